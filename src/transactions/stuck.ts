import { bookedAsset } from '../catalog/sync-assets.ts'
import type { Ctx } from '../context.ts'
import { type SeenJob, stuckJobs } from '../jobs/look.ts'
import { after } from '../lib/clock.ts'
import { formatAmount } from '../money/amount.ts'
import { waitingPayouts } from '../payouts/plan.ts'
import { open, type Status } from './lifecycle.ts'
import * as queries from './looking/queries.ts'

/** Something that has waited longer than it should. */
export type Stuck = {
  what: 'transaction' | 'payout' | 'job'
  /** A transaction's public id, our id of a payout, the kind and key of a job. */
  id: string
  /** The public id of the transaction that it holds up, where that is known. */
  transactionId: bigint | null
  /** Since when it waits. */
  since: Date
  /** A sentence's end: "waits for ...". */
  waitsFor: string
}

const minute = 60_000

/** How long a transaction may rest where a program or a person should move it on, in milliseconds of business time. */
const allowedMs: Partial<Record<Status, number>> = {
  exchanging: 5 * minute,
  sending: 30 * minute,
  on_hold: 24 * 60 * minute,
}

/** How long after its deadline a transaction may still stand open. */
const lateMs = minute

/** The most of each kind that one look gives. */
const most = 1_000

/**
 * Finds what has waited longer than it should, and what it waits for: transactions longer in a status than it allows, payouts
 * that wait for money, jobs that failed or are overdue. The longest first.
 */
export async function findStuck(ctx: Ctx): Promise<Stuck[]> {
  const [transactions, payouts, jobs] = await Promise.all([
    stuckTransactions(ctx),
    stuckPayouts(ctx),
    stuckJobs(ctx.db, ctx.clock, most),
  ])
  const found = [...transactions, ...payouts, ...jobs.map(jobStuck)]
  return found.toSorted((one, other) => one.since.getTime() - other.since.getTime())
}

async function stuckTransactions({ db, clock }: Ctx): Promise<Stuck[]> {
  const now = clock.now()
  const before = (Object.entries(allowedMs) as [Status, number][]).map(([status, ms]): [Status, Date] => [
    status,
    after(now, -ms),
  ])
  const rows = await queries.resting(db, { before, open: [...open], lateBefore: after(now, -lateMs), limit: most })
  return rows.map((row) => ({
    what: 'transaction',
    id: String(row.public_id),
    transactionId: row.public_id,
    since: row.since,
    waitsFor: reasonOf(row),
  }))
}

function reasonOf({
  status,
  status_details: details,
  expires_at: expiresAt,
  rail,
  plan_state: plan,
}: queries.RestingRow): string {
  const why = details === null ? '' : ` (${details})`
  if (open.has(status)) return `its end: the time to pay was over at ${expiresAt.toISOString()}${why}`
  if (status === 'on_hold') return `a person to decide${why}`
  if (status === 'exchanging') return `its payout on ${rail ?? 'a rail'} to be planned`
  return plan === 'unknown' ? `a clear answer from ${rail}: whether it has paid is not known` : `evidence from ${rail}`
}

async function stuckPayouts({ db }: Ctx): Promise<Stuck[]> {
  const rows = await waitingPayouts(db, most)
  const found = await queries.publicIds(
    db,
    rows.map(({ transaction_id }) => transaction_id),
  )
  const publicIds = new Map(found.map(({ id, public_id }) => [id, public_id]))
  return rows.map(({ id, transaction_id, place, asset, amount, ordered_at }) => ({
    what: 'payout',
    id: String(id),
    transactionId: publicIds.get(transaction_id) ?? null,
    since: ordered_at,
    waitsFor: `money: ${amountText(amount, asset)} at ${place}`,
  }))
}

function amountText(amount: bigint, assetId: string): string {
  const asset = bookedAsset(assetId)
  return asset ? `${formatAmount(amount, asset)} ${assetId}` : `${amount} units of ${assetId}`
}

const jobStuck = ({ kind, key, attempts, runAt, lastError }: SeenJob): Stuck => ({
  what: 'job',
  id: `${kind} ${key}`,
  transactionId: null,
  since: runAt,
  waitsFor:
    attempts > 0
      ? `its next attempt, after ${attempts} that failed: ${lastError ?? 'no reason was noted'}`
      : 'a process that does it',
})
