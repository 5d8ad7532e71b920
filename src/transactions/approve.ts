import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { Refusal } from '../lib/refusal.ts'
import { type Operator, operatorSubject } from '../operators/operator.ts'
import { payoutDue } from '../payouts/order.ts'
import { type LockedPayout, lockPayouts } from '../payouts/plan.ts'
import { eurCentsOf } from '../pricing/quote.ts'
import { parseAmount, scale } from '../money/amount.ts'
import { advance, type Step } from './advance.ts'
import * as queries from './approving/queries.ts'
import { lockTransactions } from './load.ts'
import type { Transaction } from './transaction.ts'

/** How many different operators a payout above the limit waits for. */
const needed = 2

/** The fact that says that a payout waits for approval. What stopped the transaction afterwards comes first. */
const waits = /^payout_held:/
const reason = `This payout needs the approval of ${needed} different operators.`

/**
 * Keeps payouts above the limit from being planned until enough different operators have approved them: their transactions go on
 * hold. Gives the others. What a payout is worth is what was exchanged for it, in euro, by its quote; where that is not known it counts as above.
 */
export async function withoutUnapproved(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<LockedPayout[]> {
  const limit = ctx.config.payouts.approvalAboveEurCents
  if (limit === undefined) return payouts
  const above = payouts.filter((payout) => isAbove(payout, transactions.get(payout.transaction_id), limit))
  if (above.length === 0) return payouts

  const counts = await countsOf(db, above)
  const held = above.filter(({ id }) => (counts.get(id) ?? 0) < needed)
  const steps = held.flatMap(({ id, transaction_id }): Step[] => {
    const transaction = transactions.get(transaction_id)
    if (!transaction) return []
    // It may be released and stopped again: each time is a fact of its own.
    const fact = `payout_held:${id}:${transaction.moves}`
    return [{ transaction, fact, to: 'on_hold', reason, change: { statusDetails: 'review' } }]
  })
  await advance(ctx, db, steps)
  return payouts.filter((payout) => !held.includes(payout))
}

/**
 * The quote may be one of a later exchange of the same pair: a payout is worth its own part of it, or a multiple. What was paid out
 * of the same transaction before counts, so that nobody gets around the limit by paying in parts.
 */
function isAbove({ amount }: LockedPayout, transaction: Transaction | undefined, limit: bigint): boolean {
  if (!transaction) return false
  const { quote, toAmount } = transaction
  const sum = amount + (toAmount ?? 0n)
  const cents = eurCentsOf(quote, parseAmount(quote.fromAmount, quote.from))
  return cents === null || scale(cents, sum, parseAmount(quote.toAmount, quote.to), 'up') > limit
}

async function countsOf(db: Atomic, payouts: { id: bigint }[]): Promise<Map<bigint, number>> {
  const rows = await queries.approvals(
    db,
    payouts.map(({ id }) => id),
  )
  return new Map(rows.map(({ payout_id: id, count }) => [id, Number.parseInt(String(count), 10)]))
}

/** How a payout stands after an approval. */
export type Approved = { payoutId: bigint; transactionId: bigint; approvals: number; needed: number; goesOn: boolean }

/**
 * One operator's approval of a payout that waits for it; `id` is the payout's, or the public one of its transaction. With the
 * second different operator it goes on. Audited. Refuses a payout that waits for no approval, or was stopped by something else
 * since, and an operator's second approval.
 */
export function approvePayout(ctx: Ctx, id: bigint, operator: Operator): Promise<Approved> {
  return ctx.db.atomic(async (db) => {
    const { payoutId, transaction } = await lockWaiting(ctx, db, id)
    const now = ctx.clock.now()
    const isNew = (await queries.insertApproval(db, { payoutId, operatorId: operator.id, at: now })).length > 0
    if (!isNew) throw new Refusal('CONFLICT', 'You have approved this payout already: another operator must, too.')

    const approvals = (await countsOf(db, [{ id: payoutId }])).get(payoutId) ?? 0
    const goesOn = approvals >= needed
    if (goesOn) {
      const fact = `payout_approved:${payoutId}:${transaction.moves}`
      await advance(ctx, db, [{ transaction, fact, to: 'exchanging' }])
      ctx.queue.enqueue(db, [{ kind: payoutDue, key: String(payoutId), runAt: now }])
    }
    recordAudit(db, {
      at: now,
      actor: operatorSubject(operator),
      action: 'payout.approved',
      subject: `payout:${payoutId}`,
      before: { approvals: approvals - 1 },
      after: { approvals, needed, transaction_id: String(transaction.publicId) },
    })
    return { payoutId, transactionId: transaction.publicId, approvals, needed, goesOn }
  })
}

/** The payout and its transaction, locked in the order in which everybody locks them. */
async function lockWaiting(ctx: Ctx, db: Atomic, id: bigint): Promise<{ payoutId: bigint; transaction: Transaction }> {
  const [found] = await queries.payoutFor(db, id)
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  const transaction = (await lockTransactions(ctx, db, [found.transaction_id])).get(found.transaction_id)
  const [payout] = await lockPayouts(db, [found.id])
  if (!transaction || !payout) throw new Refusal('NOT_FOUND', 'There is no such payout.')

  const isOpen = payout.state === 'waiting' || payout.state === 'reserved'
  const isHeld = transaction.status === 'on_hold' && waits.test(transaction.history.at(-1)?.fact ?? '')
  if (!isOpen || !isHeld) throw new Refusal('CONFLICT', 'This payout does not wait for an approval.')
  return { payoutId: payout.id, transaction }
}

/** A payout that has not come to its end. `needs`: how many more operators must approve it before it goes on. */
export type OpenPayout = queries.OpenPayoutRow & { needs: number }

/** The oldest payouts that are not ended, or only those of them that wait for approval. */
export async function listOpenPayouts(
  { db }: Pick<Ctx, 'db'>,
  { waiting, most = 1_000 }: { waiting: boolean; most?: number },
): Promise<OpenPayout[]> {
  const rows = await queries.openPayouts(db, { waiting, limit: most })
  return rows.map((row) => ({
    ...row,
    needs: row.status === 'on_hold' && waits.test(row.fact ?? '') ? Math.max(0, needed - row.approved_by.length) : 0,
  }))
}
