import type { Company, Environment } from '../../exchange/settings.ts'

/** A default that differs between the sandbox and live mode. */
export const byMode = ({ sandbox, live }: { sandbox: string; live: string }) => ({
  shown: `${sandbox || 'none'} in the sandbox, ${live || 'none'} in live mode`,
  from: (given: { text(name: string): string }) => (given.text('MODE') === 'live' ? live : sandbox),
})

/** What follows from the mode. Code below `app/` reads these and never the mode. */
export const environmentOf = (mode: 'sandbox' | 'live'): Environment =>
  mode === 'live'
    ? {
        demandsSafeguards: true,
        keyMode: 'live',
        httpsWebhooksOnly: true,
        loopbackRedirects: false,
        catalogChainsOnly: true,
        trustsHostHeader: false,
        secondFactor: true,
        frameOrigins: [],
        twoOperators: true,
        operatorKeys: true,
        holdsThirdPartyMoney: true,
        movesTime: false,
      }
    : {
        demandsSafeguards: false,
        keyMode: 'test',
        httpsWebhooksOnly: false,
        loopbackRedirects: true,
        catalogChainsOnly: false,
        trustsHostHeader: true,
        secondFactor: false,
        frameOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
        twoOperators: false,
        operatorKeys: false,
        holdsThirdPartyMoney: false,
        movesTime: true,
      }

/** Who the operator is where CONFIG_FILE says nothing: a sandbox's pages, emails and receipts look like those of a real one. */
export const companyOf = (mode: 'sandbox' | 'live'): Company | undefined =>
  mode === 'live'
    ? undefined
    : {
        name: 'Cambio Sandbox Ltd',
        address: '1 Sandbox Street, Testville',
        license: 'No license: a sandbox, without real money',
        support: 'help@sandbox.invalid',
      }
