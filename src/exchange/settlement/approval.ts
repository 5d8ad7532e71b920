import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Policy } from '../policies/policies.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Operator, operatorSubject } from '../operators/operator.ts'
import { permissionsOf } from '../operators/roles.ts'
import { type LockedPayout, payoutDue } from './payout.ts'
import { enqueueRefunds, lockRefunds, type Refund } from './refund.ts'
import { advance, type Step } from '../transactions/advance.ts'
import * as queries from './approval.sql.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { isPayoutAbove, isRefundAbove } from './approval-limit.ts'

/** How many different operators a payout above the limit waits for; a refund above it, too. */
const needed = 2

const reasonOf = (what: 'payout' | 'refund'): string =>
  `This ${what} needs the approval of ${needed} different operators.`

/**
 * Keeps payouts above the limit from being sent until enough different operators have approved them: their transactions are put on hold.
 * Gives the others.
 */
export async function withoutUnapproved(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<LockedPayout[]> {
  const above = payouts.filter((payout) => {
    const transaction = transactions.get(payout.transaction_id)
    const limit = approvalPolicy(ctx, transaction).rules.payoutsAboveEurCents
    return limit !== undefined && isPayoutAbove(payout, transaction, limit)
  })
  if (above.length === 0) return payouts

  const counts = await countsOf(db, above)
  const held = above.filter(({ id }) => (counts.get(id) ?? 0) < needed)
  const steps = held.flatMap(({ id, transaction_id }): Step[] => {
    const transaction = transactions.get(transaction_id)
    if (!transaction) return []
    const cause = { kind: 'payout_needs_approval', id } as const
    const policies = { approvals: approvalPolicy(ctx, transaction).version }
    const change = { statusDetails: 'review' } as const
    return [{ transaction, cause, to: 'on_hold', reason: reasonOf('payout'), change, policies }]
  })
  await advance(ctx, db, steps)
  return payouts.filter((payout) => !held.includes(payout))
}

/**
 * Whether a refund's payout, which this block has locked, has to wait until enough different operators have approved it: whatever
 * ordered it, and where it has no transaction, too. The status of its transaction stays; the history says so.
 */
export async function needsApproval(
  ctx: Ctx,
  db: Atomic,
  { refund, transaction }: { refund: Refund; transaction: Transaction | undefined },
  payoutId: bigint,
): Promise<boolean> {
  const { version, rules } = approvalPolicy(ctx, transaction)
  const limit = rules.payoutsAboveEurCents
  if (limit === undefined || !(await isRefundAbove(ctx, db, { refund, transaction }, limit))) return false
  if (((await countsOf(db, [{ id: payoutId }])).get(payoutId) ?? 0) >= needed) return false
  queries.askApproval(db, payoutId, ctx.clock.now())
  if (transaction) {
    const { status: to, statusDetails } = transaction
    const cause = { kind: 'refund_needs_approval', id: payoutId } as const
    const policies = { approvals: version }
    await advance(ctx, db, [
      { transaction, cause, to, reason: reasonOf('refund'), change: { statusDetails }, policies },
    ])
  }
  return true
}

/** Says above which amount in euro cents a payout of this partner's needs approval; undefined where none does. */
const approvalPolicy = ({ policies, clock }: Ctx, transaction: Transaction | undefined): Policy<'approvals'> =>
  policies.at(clock.now(), 'approvals', transaction?.partnerId)

async function countsOf(db: Atomic, payouts: { id: bigint }[]): Promise<Map<bigint, number>> {
  const rows = await queries.approvals(
    db,
    payouts.map(({ id }) => id),
  )
  return new Map(rows.map(({ payout_id: id, count }) => [id, Number.parseInt(String(count), 10)]))
}

/** A payout after an approval. `transactionId` is null where it gives money back from suspense. */
export type Approved = {
  payoutId: bigint
  transactionId: bigint | null
  approvals: number
  needed: number
  isApproved: boolean
}

/**
 * One operator's approval of a payout or refund that waits for it; `id` is the payout's, or the public one of its transaction, in
 * which then no other waits. The second different operator's sends it. Audited. Refuses what waits for no approval, or was held for
 * another reason since, and an operator's second approval.
 */
export function approvePayout(ctx: Ctx, id: bigint, operator: Operator): Promise<Approved> {
  if (!permissionsOf[operator.role].has('payouts.approve'))
    throw new Refusal('FORBIDDEN', 'Your role does not include the approval of payouts.')
  return ctx.db.atomic(async (db) => {
    const waiting = await lockWaiting(ctx, db, id)
    const { payoutId } = waiting
    const now = ctx.clock.now()
    const isNew = (await queries.insertApproval(db, { payoutId, operatorId: operator.id, at: now })).length > 0
    if (!isNew) throw new Refusal('CONFLICT', 'You have approved this payout already: another operator must, too.')

    const approvals = (await countsOf(db, [{ id: payoutId }])).get(payoutId) ?? 0
    const isApproved = approvals >= needed
    if (isApproved) await release(ctx, db, waiting)
    const transactionId = waiting.transaction?.publicId ?? null
    recordAudit(db, {
      at: now,
      actor: operatorSubject(operator),
      action: 'payout.approved',
      subject: `payout:${payoutId}`,
      before: { approvals: approvals - 1 },
      after: { approvals, needed, transaction_id: transactionId === null ? null : String(transactionId) },
    })
    return { payoutId, transactionId, approvals, needed, isApproved }
  })
}

async function release(ctx: Ctx, db: Atomic, { payoutId, refundId, transaction }: Waiting): Promise<void> {
  if (refundId !== null) {
    queries.endAsking(db, payoutId)
    enqueueRefunds(ctx, db, [{ id: refundId }])
    return
  }
  if (!transaction) throw new Error(`Payout ${payoutId} belongs to no transaction.`)
  await advance(ctx, db, [{ transaction, cause: { kind: 'payout_approved', id: payoutId }, to: 'exchanging' }])
  ctx.queue.enqueue(db, [{ kind: payoutDue, key: String(payoutId), runAt: ctx.clock.now() }])
}

type Waiting = { payoutId: bigint; refundId: bigint | null; transaction: Transaction | undefined }

/** What waits, its refund and its transaction, locked in the order that holds everywhere. */
async function lockWaiting(ctx: Ctx, db: Atomic, id: bigint): Promise<Waiting> {
  const found = await foundBy(db, id)
  const { transaction_id: owner, refund_id: refundId } = found
  const transaction = owner === null ? undefined : (await lockTransactions(ctx, db, [owner])).get(owner)
  if (refundId !== null) lockRefunds(db, [refundId])
  const [payout] = await queries.lockPayout(db, found.id)
  if (!payout || (owner !== null && !transaction)) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  if (!payout.waits) throw new Refusal('CONFLICT', 'This payout is not waiting for approval.')
  return { payoutId: payout.id, refundId, transaction }
}

async function foundBy(db: Atomic, id: bigint): Promise<queries.FoundRow> {
  const rows = await queries.payoutsFor(db, id)
  const waiting = rows.filter(({ waits }) => waits)
  if (waiting.length > 1) {
    const ids = waiting.map((row) => String(row.id)).join(' and ')
    throw new Refusal('CONFLICT', `The payouts ${ids} of this transaction wait for approvals: name one.`)
  }
  const found = waiting[0] ?? rows[0]
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  return found
}

/** A payout or refund that has not ended. `needs`: how many more operators must approve it before it is sent. */
export type OpenPayout = queries.OpenPayoutRow & { needs: number }

/** The oldest payouts and refunds that are ordered and not ended, or only those of them that wait for approval. */
export async function listOpenPayouts(
  { db }: Pick<Ctx, 'db'>,
  { waiting, most = 1_000 }: { waiting: boolean; most?: number },
): Promise<OpenPayout[]> {
  const rows = await queries.openPayouts(db, { waiting, limit: most })
  return rows.map((row) => ({ ...row, needs: row.waits ? Math.max(0, needed - row.approved_by.length) : 0 }))
}
