import { buildApi } from '../src/doors/api/app.ts'
import { readConfig } from '../src/app/config/config.ts'
import { silentLog } from '../src/platform/lib/log.ts'
import { startService } from '../src/app/start.ts'
import { readSandbox } from '../src/sandbox/sandbox-file.ts'
import { type Accounts, type Caller, openAccounts } from '../src/exchange/partners/accounts.ts'
import { hashKeyText, makeKeyText } from '../src/exchange/partners/key-text.ts'
import type { Policies } from '../src/exchange/policies/policies.ts'
import { percentText } from '../src/exchange/pricing/fees.ts'
import { feesDocument, policiesWith } from '../test/support/policies.ts'
import { answerOrders } from './helper-process.ts'
import { movingMarket } from './moving-market.ts'

/**
 * A separate process with the whole interface on a market that can be made to move, for partners that no database holds:
 * `open` says how many, each with a price list of its own, and gives their keys.
 */
export type EstimateOrder =
  | { kind: 'open'; dataDir: string; partners: number }
  | { kind: 'move'; perSecond: number }
  | { kind: 'close' }

/** What was opened; empty after other orders. */
export type EstimateServer = { origin: string; keys: string[] }

let close = async (): Promise<void> => undefined
let move = (_perSecond: number): void => undefined

async function open({ dataDir, partners }: { dataDir: string; partners: number }): Promise<EstimateServer> {
  const ports = { PORT: '0', ADMIN_PORT: '0', PROCESSOR_PORT: '0' }
  const settings = { DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error', PUBLIC_URL: '', DATABASE_URL: '' }
  const { composition, stop } = await startService(readConfig({ ...process.env, ...settings, ...ports }), silentLog)
  const sandbox = await readSandbox(dataDir)
  const { ctx } = composition
  const known = openAccounts(ctx)
  const caller = await known.find(sandbox?.public_key ?? '')
  await known.close()
  if (!caller) throw new Error('The sandbox has no partner.')

  const market = movingMarket(ctx.market, () => ctx.clock.now())
  ctx.market = market
  const { keys, accounts } = manyAccounts(caller, partners)
  ctx.policies = ownPolicies(keys.map((_, index) => caller.partner.id + BigInt(index)))
  const app = buildApi(ctx, { accounts, workersAreUp: () => Promise.resolve(true) })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })

  move = (perSecond) => market.move(perSecond)
  close = async () => {
    market.move(0)
    await app.close()
    await stop()
  }
  return { origin, keys }
}

/** A price list for each of so many partners, as a policy. */
const ownPolicies = (ids: readonly bigint[]): Policies =>
  policiesWith(
    ...ids.map((partnerId, index) => {
      const document = feesDocument({
        service: { buy: percentText(50 + (index % 100)), sell: '0.9%', swap: `0.${10 + (index % 80)}%` },
        minimum: `0.${10 + (index % 90)}`,
      })
      return { kind: 'fees' as const, document, partnerId, version: index + 2 }
    }),
  )

/** This many partners in addition to a real one, each with a commission of its own, found by their keys' hashes. */
function manyAccounts({ partner, key }: Caller, count: number): { keys: string[]; accounts: Accounts } {
  const keys = Array.from({ length: count }, () => makeKeyText('public', 'test'))
  const callers = new Map(
    keys.map((text, index) => {
      const terms = { ...partner.settings.terms, commissionBasisPoints: index % 50 }
      const own = { ...partner, id: partner.id + BigInt(index), settings: { ...partner.settings, terms } }
      return [hashKeyText(text), { partner: own, key, allowedFrom: undefined }]
    }),
  )
  return {
    keys,
    accounts: {
      find: (text) => callers.get(hashKeyText(text)),
      forget: () => undefined,
      close: () => Promise.resolve(),
    },
  }
}

answerOrders<EstimateOrder, EstimateServer>('estimate-server.js', async (order) => {
  if (order.kind === 'open') return open(order)
  if (order.kind === 'move') move(order.perSecond)
  else await close()
  return { origin: '', keys: [] }
})
