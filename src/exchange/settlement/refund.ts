import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import * as queries from './refunds.sql.ts'

export {
  hold as holdRefunds,
  lastNumber as lastRefundNumber,
  lock as lockRefunds,
  lockOfDeposit as lockRefundsOf,
  lockPayouts as lockRefundPayouts,
  mark as markRefunds,
  ofTransaction as refundsOf,
  payoutsOf as refundPayoutsOf,
  read as readRefunds,
  release as releaseRefunds,
} from './refunds.sql.ts'

/** Money that goes back to whoever it came from, and where that stands. */
export type Refund = queries.Refund

/** The job that finds where a refund goes, and sends it. Its key is our id of the refund. */
export const refundDue = 'refund.due'

/** What is to go back: a part of a deposit, and what of it is kept for sending it. Both in the asset's smallest unit. */
export type RefundOrder = {
  transactionId: bigint | null
  depositId: bigint
  asset: string
  amount: bigint
  cost: bigint
  reason: string
}

/** Orders refunds in the caller's block. Nothing leaves here; a job asks where to, plans and sends. Gives them as they are kept. */
export async function orderRefunds(ctx: Ctx, db: Atomic, orders: RefundOrder[]): Promise<Refund[]> {
  if (orders.length === 0) return []
  const at = ctx.clock.now()
  const rows: queries.RefundRow[] = []
  for (const order of orders) rows.push({ ...order, id: await ctx.rowIds.next(), publicId: randomId(), at })
  queries.insert(db, rows)
  ctx.queue.enqueue(
    db,
    rows.map(({ id }) => ({ kind: refundDue, key: String(id), runAt: at })),
  )
  return rows.map(({ id, publicId, transactionId, depositId, asset, amount, cost, reason }) => ({
    id,
    public_id: publicId,
    transaction_id: transactionId,
    deposit_id: depositId,
    asset,
    amount,
    cost,
    reason,
    state: 'ordered',
    held_at: null,
  }))
}
