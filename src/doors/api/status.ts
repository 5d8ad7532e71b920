import type { FastifyInstance } from 'fastify'

import { isAvailable, offersAt } from '../../exchange/availability/offers.ts'
import { defaultTerms } from '../../exchange/availability/partner-terms.ts'
import type { Ctx } from '../../exchange/context.ts'
import { closedMarkets } from '../../exchange/pricing/market.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { settlingMomentOf } from '../../exchange/transactions/policy.ts'
import type { Operation } from './operation.ts'
import type { WriteState } from '../../platform/jobs/heartbeat.ts'
import { inTime } from '../../platform/lib/in-time.ts'
import * as queries from './queries.ts'
import { line } from './field-shapes.ts'
import { errorFields } from './error-shape.ts'
import { eitherOf, flag, list, object, oneOf, type Shaped, type ShapeProvider, titled } from './shape.ts'

/** Tells whether some process does the work that orders need after they are made. */
export type WorkersAreUp = () => Promise<boolean>

/** `GET /v1/status`: 200 when orders can be made, else 503, saying which part is down. */
export function status(app: FastifyInstance, ctx: Ctx, workersAreUp: WorkersAreUp): void {
  const look = once(ctx, () => lookAtParts(ctx, workersAreUp))
  app
    .withTypeProvider<ShapeProvider>()
    .get(
      '/status',
      { config: { access: 'anyone', operation }, schema: { response: { 200: statusRecord } } },
      async () => {
        const { closed_markets, ...parts } = await look()
        const halts = ctx.halts.now()
        const payouts = halts.payouts ? ('halted' as const) : ('ok' as const)
        const down = Object.entries(parts).filter(([, state]) => state !== 'ok')
        const { restored } = halts
        if (down.length === 0 && !halts.all)
          return { message: 'OK', available: true, ...parts, payouts, restored, closed_markets }

        const problems = [
          ...down.map(([path, state]) => ({ path, ...problemOf(path, state) })),
          ...(halts.all ? [halted('orders', 'New orders are')] : []),
          ...(halts.payouts ? [halted('payouts', 'Payouts are')] : []),
        ]
        throw new Refusal('SERVICE_UNAVAILABLE', 'No orders can be made at the moment.', problems, 5, parts)
      },
    )
}

const problemOf = (path: string, state: string) => {
  if (state === 'read_only') return { code: 'READ_ONLY', message: 'The database takes no writes.' }
  if (state === 'disk_full') return { code: 'DISK_FULL', message: "The database's disk is full." }
  return { code: 'DOWN', message: `The ${path} part is down.` }
}

const halted = (path: string, these: string) => ({ path, code: 'HALTED', message: `${these} halted.` })

const operation: Operation = {
  id: 'getStatus',
  tag: 'Status',
  summary: 'Read the status of the service',
  description:
    'Returns 200 when transactions can be created, and 503 otherwise, with each part that is down in `errors`, and with the ' +
    'states of all parts: `database` is `read_only` or `disk_full` while it answers and takes no writes. ' +
    '`payouts` is `halted` while nothing is paid out: transactions can still be created, and their payouts wait. ' +
    '`restored` is true after our database was restored from a backup, until we have checked what left since: nothing is ' +
    'paid out then, and no e-mails and webhooks are sent. ' +
    '`closed_markets` are the pairs that have no price now, because their sources are stale or disagree or an operator ' +
    'has halted them: nothing that needs their price can be exchanged.',
  says: { 200: 'Transactions can be created.' },
  refuses: [],
  get refusedAs() {
    return { 503: statusError }
  },
}

const part = oneOf('ok', 'down')
const parts = { database: oneOf('ok', 'down', 'read_only', 'disk_full'), rates: part, workers: part }

const statusRecord = titled(
  'Status',
  object({
    message: line,
    available: flag,
    ...parts,
    payouts: oneOf('ok', 'halted'),
    restored: flag,
    closed_markets: list(line, 10_000),
  }),
)

const statusError = titled('StatusError', eitherOf({ ...errorFields, ...parts }, ['database', 'rates', 'workers']))

type Parts = Pick<Shaped<typeof statusRecord>, 'database' | 'rates' | 'workers' | 'closed_markets'>

async function lookAtParts(ctx: Ctx, workersAreUp: WorkersAreUp): Promise<Parts> {
  const [database, workers] = await Promise.all([answers(() => writesNow(ctx)), answers(workersAreUp)])
  const moment = settlingMomentOf(ctx, ctx.clock.now())
  const offers = offersAt(moment, defaultTerms)
  const rates = [...offers.currencies.values()].some(isAvailable)
  return {
    database: database ?? 'down',
    rates: stateOf(rates),
    workers: stateOf(workers ?? false),
    closed_markets: closedMarkets(moment),
  }
}

const stateOf = (isUp: boolean): 'ok' | 'down' => (isUp ? 'ok' : 'down')

/** How long a part may take to answer, so that the status is answered within two seconds by a process that is busy, too. */
const patienceMs = 1_000

/** Whether the database answers and takes writes. Rejects when it does not answer in time. */
export async function writesNow({ db, heartbeat }: Pick<Ctx, 'db' | 'heartbeat'>): Promise<WriteState> {
  const state = heartbeat.writes()
  return state !== 'ok' || (await inTime(patienceMs, queries.ping(db))) ? state : 'read_only'
}

/** Undefined from a part that cannot even be asked; why, its own log lines say. */
async function answers<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await inTime(patienceMs, ask())
  } catch {
    return undefined
  }
}

const keptForMs = 500

/** However many ask, the parts are looked at twice a second at most. */
function once<T>({ clock }: Pick<Ctx, 'clock'>, look: () => Promise<T>): () => Promise<T> {
  let last: { at: number; answer: Promise<T> } | undefined
  return () => {
    const now = clock.realNow().getTime()
    if (!last || Math.abs(now - last.at) >= keptForMs) last = { at: now, answer: look() }
    return last.answer
  }
}
