import type { Environment } from '../../exchange/settings.ts'

/** A default that differs between an exchange with real money and one where it is played. */
export const byMode = ({ sandbox, live }: { sandbox: string; live: string }) => ({
  shown: `${sandbox || 'none'} in the sandbox, ${live || 'none'} in live mode`,
  from: (given: { text(name: string): string }) => (given.text('MODE') === 'live' ? live : sandbox),
})

/** What follows from the mode: the business and its doors read these, never the mode. */
export const environmentOf = (mode: 'sandbox' | 'live'): Environment =>
  mode === 'live'
    ? {
        keyMode: 'live',
        httpsWebhooksOnly: true,
        loopbackRedirects: false,
        catalogChainsOnly: true,
        trustsHostHeader: false,
        frameOrigins: [],
      }
    : {
        keyMode: 'test',
        httpsWebhooksOnly: false,
        loopbackRedirects: true,
        catalogChainsOnly: false,
        trustsHostHeader: true,
        frameOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
      }
