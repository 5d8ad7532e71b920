import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { readRefunds } from './refund.ts'
import type { Sent } from './send.ts'
import { advance, amend } from '../transactions/advance.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** How long a rail may give no clear answer about a payout before partners and customers are told, in real milliseconds. */
const toldAfterMs = 30_000

const isUnclear = ({ outcome }: Sent): boolean => outcome.state === 'unclear'

/**
 * Tells partners of what the rail does not say whether it made it, and of that of which it speaks again: of a payout after a while,
 * its transaction is where it was, as `payout_unknown` or not any more; of a refund at once, by its own status. In the block that
 * writes down what the rails said, and before that locks the plans.
 */
export async function tellUnclear(ctx: Ctx, db: Atomic, sent: Sent[]): Promise<void> {
  const now = ctx.clock.realNow().getTime()
  const turned = sent.filter((one) => {
    const { state, unknown_since: since, refund_id: refundId } = one.plan
    if (!isUnclear(one)) return one.outcome.state === 'pending' && state === 'unknown'
    return refundId === null ? since !== null && now - since.getTime() >= toldAfterMs : state !== 'unknown'
  })
  const ids = turned.flatMap(({ plan }) => plan.transaction_id ?? [])
  if (ids.length === 0) return
  const transactions = await lockTransactions(ctx, db, ids)
  for (const one of turned) {
    const transaction = transactions.get(one.plan.transaction_id ?? -1n)
    if (!transaction) continue
    const told =
      one.plan.refund_id === null
        ? await tellOfPayout(ctx, db, transaction, one)
        : await tellOfRefund(ctx, db, transaction, { one, refundId: one.plan.refund_id })
    transactions.set(told.id, told)
  }
}

async function tellOfPayout(ctx: Ctx, db: Atomic, transaction: Transaction, one: Sent): Promise<Transaction> {
  const { status: to, statusDetails: before } = transaction
  const statusDetails = isUnclear(one) ? 'payout_unknown' : null
  if (to !== 'sending' || before === statusDetails) return transaction
  const [kind, reason] = isUnclear(one)
    ? (['payout_unknown', 'The rail does not say whether it has paid.'] as const)
    : (['payout_known', 'The rail answers again.'] as const)
  const cause = { kind, id: one.plan.payout_id }
  const [told] = await advance(ctx, db, [
    { transaction, cause, to, reason, change: { statusDetails }, isReported: true },
  ])
  return told ?? transaction
}

async function tellOfRefund(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  { one, refundId }: { one: Sent; refundId: bigint },
): Promise<Transaction> {
  const [refund] = await readRefunds(db, [refundId])
  if (refund?.state !== 'sent') return transaction
  const plan = isUnclear(one) ? 'unknown' : 'submitted'
  const refunds = transaction.refunds.map((view) => (view.publicId === refund.public_id ? { ...view, plan } : view))
  return amend(ctx, db, transaction, { refunds })
}
