import type { Ctx } from '../context.ts'
import { sentBy } from '../ledger/transaction-entries.ts'
import { post } from '../ledger/post.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { lockDeposit, lossOf, useDeposits } from './deposit.ts'
import { type Owner, recoveryEntry, refundCostReversalEntry } from './entries.ts'
import { cancelUnprepared, type CancellablePayout, isUnprepared } from './payout.ts'
import { lockRefundPayouts, readRefunds, type Refund, refunds } from './refund.ts'
import { transition } from './transition.ts'

/** Refunds, and the payouts that pay them. */
type RefundRows = { refunds: Refund[]; payouts: (CancellablePayout & { refund_id: bigint | null })[] }

/**
 * Cancels those refunds of a deposit that have not left, or have come back whole: their money is free again, and nothing is kept for
 * having tried. Gives how much.
 */
export async function cancelRefunds(
  ctx: Ctx,
  db: Atomic,
  { depositId, owner }: { depositId: bigint; owner: Owner },
  rows: RefundRows,
): Promise<bigint> {
  let amount = 0n
  for (const refund of rows.refunds) {
    const { id, state, asset, cost } = refund
    if (refund.deposit_id !== depositId || !cancellable.has(state)) continue
    const own = rows.payouts.filter((payout) => payout.refund_id === id)
    const prepared = own.filter((payout) => !isUnprepared(payout) && payout.state !== 'cancelled')
    if (await isOut(db, refund, prepared)) continue

    cancelUnprepared(db, own)
    transition(db, refunds, [{ id }], state, 'cancelled')
    const wasKept = prepared.length > 0 && cost > 0n
    if (wasKept) await post(db, ctx, [refundCostReversalEntry(owner, { id, asset, cost }, ctx.clock.now())])
    amount += refund.amount
  }
  if (amount > 0n) useDeposits(db, [{ id: depositId, exchanged: 0n, refunded: -amount }])
  return amount
}

/** States in which a refund need not have left. */
const cancellable: ReadonlySet<Refund['state']> = new Set<Refund['state']>(['ordered', 'address_needed', 'failed'])

/** Whether something of a refund has left and has not come back. */
async function isOut(db: Atomic, { transaction_id: id }: Refund, prepared: { id: bigint }[]): Promise<boolean> {
  if (prepared.length === 0) return false
  const payoutIds = prepared.map((payout) => payout.id)
  const [sent] = await sentBy(db, id, payoutIds)
  return sent?.amount !== 0n
}

/**
 * Cancels a refund that came back, or that the rail will never carry out, where its payment was reversed before: what counted as our
 * loss no longer does. `owner`: its transaction, locked; undefined for money from suspense.
 */
export async function cancelReversedRefund(ctx: Ctx, db: Atomic, owner: Owner, refundId: bigint): Promise<void> {
  const [refund] = await readRefunds(db, [refundId])
  const deposit = refund && (await lockDeposit(db, refund.deposit_id))
  // A part that had ended before the rest was given to a transaction is not the transaction's: it lies in suspense again.
  if (!refund || !deposit || refund.transaction_id !== deposit.transaction_id || lossOf(deposit) === 0n) return
  const payouts = await lockRefundPayouts(db, [refund.id])
  const back = await cancelRefunds(ctx, db, { depositId: deposit.id, owner }, { refunds: [refund], payouts })
  const amount = lossOf(deposit) - lossOf({ ...deposit, refunded: deposit.refunded - back })
  if (amount === 0n) return
  await post(db, ctx, [recoveryEntry(owner, { ref: refundId, asset: refund.asset, amount }, ctx.clock.now())])
}
