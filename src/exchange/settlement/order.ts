import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Claim, reserve } from '../ledger/balance.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Destination, PayoutRail } from '../../rails/rail.ts'
import * as queries from './payouts.sql.ts'

/** The job that plans an ordered payout, once it is covered. Its key is the payout's id. */
export const payoutDue = 'payout.due'

/** What we owe to the outside, and where it shall go. */
export type PayoutOrder = {
  transactionId: bigint | null
  purpose: 'payout' | 'refund'
  /** The refund that it pays; null for a payout. */
  refundId: bigint | null
  number: number
  rail: PayoutRail
  asset: string
  amount: bigint
  destination: Destination
  dataKey: DataKey
}

/**
 * Orders payouts inside the caller's block: the money, and what sending it may cost, is reserved now, or the payout waits, visibly,
 * until it is there. Nothing leaves here; a job plans and sends: of a refund its own, which is there already. Gives the payouts' ids.
 */
export async function orderPayouts(ctx: Ctx, db: Atomic, orders: PayoutOrder[]): Promise<bigint[]> {
  if (orders.length === 0) return []
  const rows: queries.PayoutRow[] = []
  const covered = await reserve(db, orders.map(claimOf))
  const now = ctx.clock.now()
  for (const [index, { rail, dataKey, destination, ...order }] of orders.entries()) {
    const id = await ctx.rowIds.next()
    const fee = rail.payout.mostFee(order.asset)
    rows.push({
      ...order,
      id,
      rail: rail.name,
      place: rail.custodyAccount,
      feeAsset: fee?.asset ?? null,
      mostFee: fee?.amount ?? null,
      state: covered[index] ? 'reserved' : 'waiting',
      dataKeyId: dataKey.id,
      destination: dataKey.seal(destination, destinationPlace(id)),
      orderedAt: now,
    })
  }
  queries.insert(db, rows)
  ctx.queue.enqueue(
    db,
    rows
      .filter(({ refundId }) => refundId === null)
      .map(({ id }) => ({ kind: payoutDue, key: String(id), runAt: now })),
  )
  return rows.map(({ id }) => id)
}

function claimOf({ rail, asset, amount }: PayoutOrder): Claim {
  const fee = rail.payout.mostFee(asset)
  return { place: rail.custodyAccount, asset, amount, fee_asset: fee?.asset ?? null, most_fee: fee?.amount ?? null }
}

/** Where a sealed destination belongs. */
export const destinationPlace = (payoutId: bigint): string => `payouts:${payoutId}`
