import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { advance, amend, type Step } from '../transactions/advance.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Submitted } from './prepared-payment.ts'
import { readRefunds } from './refund.ts'

/** How long a rail may give no clear answer about a payout before partners and customers are notified, in real milliseconds. */
const reportedAfterMs = 30_000

const isUnclear = ({ outcome }: Submitted): boolean => outcome.state === 'unclear'

/**
 * Notifies partners of payments whose outcome became unknown, or is known again: of a payout after a while, by its transaction's
 * status details; of a refund at once, by its own status. In the block that writes down what the rails said, before it locks the
 * payments.
 */
export async function reportUnknown(ctx: Ctx, db: Atomic, submitted: Submitted[]): Promise<void> {
  const now = ctx.clock.realNow().getTime()
  const turned = submitted.filter((one) => {
    const { state, unknown_since: since, refund_id: refundId } = one.payment
    if (!isUnclear(one)) return one.outcome.state === 'pending' && state === 'unknown'
    return refundId === null ? since !== null && now - since.getTime() >= reportedAfterMs : state !== 'unknown'
  })
  const ids = turned.flatMap(({ payment }) => payment.transaction_id ?? [])
  if (ids.length === 0) return
  const transactions = await lockTransactions(ctx, db, ids)
  for (const one of turned) {
    const transaction = transactions.get(one.payment.transaction_id ?? -1n)
    if (!transaction) continue
    const { refund_id: refundId } = one.payment
    const reported =
      refundId === null
        ? await reportPayout(ctx, db, transaction, one)
        : await reportRefund(ctx, db, transaction, { one, refundId })
    transactions.set(reported.id, reported)
  }
}

async function reportPayout(ctx: Ctx, db: Atomic, transaction: Transaction, one: Submitted): Promise<Transaction> {
  const { status: to, statusDetails: before } = transaction
  const statusDetails = isUnclear(one) ? ('payout_unknown' as const) : null
  if (to !== 'sending' || before === statusDetails) return transaction
  const [kind, reason] = isUnclear(one)
    ? (['payout_unknown', 'The rail does not say whether it has paid.'] as const)
    : (['payout_known', 'The rail answers again.'] as const)
  const cause = { kind, id: one.payment.payout_id }
  const step: Step = { transaction, cause, to, reason, change: { statusDetails }, isReported: true }
  const [reported] = await advance(ctx, db, [step])
  return reported ?? transaction
}

async function reportRefund(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  { one, refundId }: { one: Submitted; refundId: bigint },
): Promise<Transaction> {
  const [refund] = await readRefunds(db, [refundId])
  if (refund?.state !== 'sent') return transaction
  const plan = isUnclear(one) ? 'unknown' : 'submitted'
  const refunds = transaction.refunds.map((view) => (view.publicId === refund.public_id ? { ...view, plan } : view))
  return amend(ctx, db, transaction, { refunds })
}
