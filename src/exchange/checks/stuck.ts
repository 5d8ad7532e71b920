import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Ctx } from '../context.ts'
import { type SeenJob, stuckJobs } from '../../platform/jobs/inspect.ts'
import { after } from '../../platform/lib/clock.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { missingStatements, refusedFiles } from '../../rails/iso20022/troubles.ts'
import { ended, lifecycle, type Status } from '../transactions/lifecycle.ts'
import { type Limit, limits } from './stuck-limits.ts'
import * as queries from './stuck.sql.ts'
import type { UnderWay } from './stuck.sql.ts'

/** Something that has waited longer than it should. */
export type Stuck = {
  what: keyof typeof limits | 'job'
  /** Which of its limits it has passed: a status, a state, for jobs `failed` or `overdue`. */
  state: string
  /** A transaction's or refund's public id, our id of other things, a rail's name, the kind and key of a job. */
  id: string
  /** The public id of the transaction that it holds up, where that is known. */
  transactionId: bigint | null
  /** Since when it waits. */
  since: Date
  /** A sentence's end: "waits for ...". */
  waitsFor: string
}

/** The most of each kind that one look gives. */
const most = 1_000

type What = keyof typeof limits

const looks: Record<What, (db: Ctx['db'], asked: queries.Before) => Promise<queries.WaitingRow[]>> = {
  transaction: queries.transactions,
  payout: queries.payouts,
  plan: queries.plans,
  refund: queries.refunds,
  deposit: queries.deposits,
  rail: queries.rails,
  halt: queries.halts,
  webhook: queries.webhooks,
  event: queries.events,
  file: refusedFiles,
  statement: missingStatements,
  hedge: queries.hedges,
}

/**
 * Finds what has waited longer than its state allows (`stuck-limits.ts`), including failed and overdue jobs, and what it waits
 * for. The longest first, at most a thousand of each kind. A transaction and its prepared payment are reported once.
 */
export async function findStuck(ctx: Ctx): Promise<Stuck[]> {
  const found: Stuck[] = []
  for (const what of Object.keys(looks) as What[]) found.push(...(await lookAt(ctx, what)))
  const sending = new Set(found.flatMap((one) => (one.state.startsWith('sending') ? [one.transactionId] : [])))
  const once = found.filter(({ what, transactionId }) => what !== 'plan' || !sending.has(transactionId))
  const jobs = await stuckJobs(ctx.db, ctx.clock, most)
  return [...once, ...jobs.map(jobStuck)].toSorted((one, other) => one.since.getTime() - other.since.getTime())
}

/** Counts of what is in progress, late or not: open transactions by status, jobs, webhooks, suspense, halted rails. */
export async function countUnderWay({
  db,
}: Pick<Ctx, 'db'>): Promise<UnderWay & { transactions: Map<Status, number> }> {
  const underWay = await queries.underWay(db)
  const counted = new Map((await queries.countByStatus(db, openStatuses)).map(({ status, count }) => [status, count]))
  return { ...underWay, transactions: new Map(openStatuses.map((status) => [status, counted.get(status) ?? 0])) }
}

const openStatuses = (Object.keys(lifecycle) as Status[]).filter((status) => !ended.has(status))

/** Every kind of thing that can be stuck with each state that has a limit. */
export const stuckStates: readonly { what: Stuck['what']; state: string }[] = [
  ...Object.entries(limits).flatMap(([what, own]) => Object.keys(own).map((state) => ({ what: what as What, state }))),
  { what: 'job', state: 'failed' },
  { what: 'job', state: 'overdue' },
]

async function lookAt({ db, clock }: Ctx, what: What): Promise<Stuck[]> {
  const own: Record<string, Limit> = limits[what]
  const now = clock.now()
  const before = Object.entries(own).map(([state, { allowedMs }]): [string, Date] => [state, after(now, -allowedMs)])
  const rows = await looks[what](db, { before, limit: most })
  return rows.map((row) => ({
    what,
    state: row.state,
    id: row.id,
    transactionId: row.public_id,
    since: row.since,
    waitsFor: sentence(own[row.state], row),
  }))
}

function sentence(limit: Limit | undefined, { about, asset, amount, count }: queries.WaitingRow): string {
  if (!limit) throw new Error('Something is waiting in a state that has no time limit.')
  return limit.waitsFor
    .replace('{about}', () => about ?? 'nobody')
    .replace('{amount}', () => amountText(amount ?? 0n, asset ?? ''))
    .replace('{count}', () => String(count ?? 0))
}

function amountText(amount: bigint, assetId: string): string {
  const asset = bookedAsset(assetId)
  return asset ? `${formatAmount(amount, asset)} ${assetId}` : `${amount} units of ${assetId}`
}

const jobStuck = ({ kind, key, attempts, runAt, lastError }: SeenJob): Stuck => ({
  what: 'job',
  state: attempts > 0 ? 'failed' : 'overdue',
  id: `${kind} ${key}`,
  transactionId: null,
  since: runAt,
  waitsFor:
    attempts > 0
      ? `its next attempt, after ${attempts} that failed: ${lastError ?? 'no reason was noted'}`
      : 'a process that does it',
})
