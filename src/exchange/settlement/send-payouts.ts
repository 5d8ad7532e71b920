import type { Ctx } from '../context.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { lockInactive } from '../partners/payout-addresses.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import { stopsPayout } from '../../rails/halts.ts'
import { advance, type Step } from '../transactions/advance.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { withoutUnapproved } from './approval.ts'
import { payoutEntry } from './entries.ts'
import { withoutOtherPayees } from './hold-payees.ts'
import { coverWaiting, isUnprepared, type LockedPayout, lockPayouts, transactionsOf } from './payout.ts'
import { preparePayments } from './prepared-payment.ts'

/** How long a payout that is not covered, or halted, waits before it is looked at again, in real milliseconds. */
const coverAgainMs = 5_000

/** Prepares the payments of ordered payouts: from `exchanging` to `sending`. What is not covered or is halted waits; what is on hold stays. */
export const sendPayouts = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) => ctx.queue.revisit(jobs, (db, held) => send(ctx, db, held)),
})

async function send(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<Map<bigint, Again>> {
  const ids = jobs.map(({ key }) => BigInt(key))
  const owners = await transactionsOf(db, ids)
  const transactions = await lockTransactions(
    ctx,
    db,
    owners.map(({ transaction_id }) => transaction_id),
  )
  const payouts: LockedPayout[] = []
  for (const row of await lockPayouts(db, ids)) {
    const transaction = transactions.get(row.transaction_id)
    if (transaction && mayBeSent(row, transaction)) payouts.push({ ...row, dataKey: transaction.dataKey })
  }
  if (payouts.length === 0) return new Map()

  const halts = ctx.halts.now()
  const unhalted = payouts.filter(({ rail, asset }) => !stopsPayout(halts, rail, asset))
  const allowed = await withoutInactive(ctx, db, unhalted, transactions)
  const known = await withoutOtherPayees(ctx, db, allowed, transactions)
  const payable = await withoutUnapproved(ctx, db, known, transactions)
  const covered = await coverWaiting(db, payable)
  if (covered.length > 0) await prepare(ctx, db, covered, transactions)
  const halted = payouts.filter((payout) => !unhalted.includes(payout))
  return putOff(ctx, jobs, [...payable, ...halted], covered)
}

/**
 * B2B pays to a registered address that is active, checked again now, when the payment is about to be prepared: a payout to another
 * one is held for staff. An address keeps its status until this block ends.
 */
async function withoutInactive(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<LockedPayout[]> {
  const addressOf = ({ transaction_id: id }: LockedPayout) => transactions.get(id)?.payoutAddressId ?? undefined
  const inactive = await lockInactive(
    db,
    payouts.flatMap((payout) => addressOf(payout) ?? []),
  )
  if (inactive.size === 0) return payouts
  const isInactive = (payout: LockedPayout) => inactive.has(addressOf(payout) ?? -1n)
  const steps = payouts.filter(isInactive).flatMap((payout): Step[] => {
    const transaction = transactions.get(payout.transaction_id)
    if (!transaction) return []
    const cause = { kind: 'payout_address_inactive', id: payout.id } as const
    return [{ transaction, cause, to: 'on_hold', reason: inactiveReason, change: inReview }]
  })
  await advance(ctx, db, steps)
  return payouts.filter((payout) => !isInactive(payout))
}

const inactiveReason = 'The registered payout address is no longer active.'
const inReview = { statusDetails: 'review' } as const

const mayBeSent = (payout: Pick<LockedPayout, 'state'>, { status }: Transaction): boolean =>
  status === 'exchanging' && isUnprepared(payout)

async function prepare(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<void> {
  await preparePayments(ctx, db, payouts)
  const at = ctx.clock.now()
  const entries: Entry[] = []
  const steps: Step[] = []
  for (const payout of payouts) {
    const transaction = transactions.get(payout.transaction_id)
    if (!transaction) continue
    entries.push(payoutEntry(transaction, payout, at))
    steps.push({ transaction, cause: { kind: 'payout_prepared', id: payout.id }, to: 'sending' })
  }
  await advance(ctx, db, steps)
  await post(db, ctx, entries)
}

function putOff(ctx: Ctx, jobs: Job[], payouts: LockedPayout[], covered: LockedPayout[]): Map<bigint, Again> {
  const done = new Set(covered.map(({ id }) => id))
  const waiting = new Set(payouts.filter(({ id }) => !done.has(id)).map(({ id }) => String(id)))
  const at = after(ctx.clock.realNow(), coverAgainMs)
  return new Map(jobs.filter(({ key }) => waiting.has(key)).map(({ id }) => [id, { at, timebase: 'real' as const }]))
}
