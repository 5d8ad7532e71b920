import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import type { RefundState } from '../transactions/transaction.ts'
import type { PayoutState } from './payout.ts'
import { stateMachine } from './transition.ts'

/** The lifecycle of refunds. One that came back or never left is ordered again, the same way or to another place. */
export const refunds = stateMachine<RefundState>('refunds', {
  ordered: ['address_needed', 'sent', 'failed', 'cancelled'],
  address_needed: ['ordered', 'cancelled'],
  sent: ['paid', 'failed'],
  paid: ['address_needed', 'failed'],
  failed: ['ordered', 'cancelled', 'paid'],
  cancelled: [],
})

/** The job that finds where a refund goes, and sends it. Its key is our id of the refund. */
export const refundDue = 'refund.due'

/** What goes back: a part of a deposit, and how much is kept for sending it. Both in the asset's smallest unit. */
export type RefundOrder = {
  transactionId: bigint | null
  depositId: bigint
  asset: string
  amount: bigint
  cost: bigint
  reason: string
}

/** Money that goes back to its sender. `held_at`: since when staff keep it from being sent. */
export type Refund = {
  id: bigint
  public_id: bigint
  transaction_id: bigint | null
  deposit_id: bigint
  asset: string
  amount: bigint
  cost: bigint
  reason: string
  state: RefundState
  held_at: Date | null
}

const refundRows = rowWriter('refunds', {
  id: 'bigint',
  publicId: 'bigint',
  transactionId: 'bigint',
  depositId: 'bigint',
  asset: 'text',
  amount: 'numeric',
  cost: 'numeric',
  reason: 'text',
  state: 'text',
  orderedAt: 'timestamptz',
})

/** Orders refunds in the caller's block. Nothing leaves here; a job asks where to, prepares and sends. */
export async function orderRefunds(ctx: Ctx, db: Atomic, orders: RefundOrder[]): Promise<Refund[]> {
  if (orders.length === 0) return []
  const orderedAt = ctx.clock.now()
  const rows = []
  for (const order of orders) {
    rows.push({ ...order, id: await ctx.rowIds.next(), publicId: randomId(), state: 'ordered' as const, orderedAt })
  }
  refundRows.insert(db, rows)
  enqueueRefunds(ctx, db, rows)
  return rows.map(({ id, publicId, transactionId, depositId, asset, amount, cost, reason, state }) => ({
    id,
    public_id: publicId,
    transaction_id: transactionId,
    deposit_id: depositId,
    asset,
    amount,
    cost,
    reason,
    state,
    held_at: null,
  }))
}

/** Has refunds sent soon. */
export const enqueueRefunds = (
  { queue, clock }: Pick<Ctx, 'queue' | 'clock'>,
  db: Atomic,
  all: { id: bigint }[],
): void =>
  queue.enqueue(
    db,
    all.map(({ id }) => ({ kind: refundDue, key: String(id), runAt: clock.now() })),
  )

/** The refunds of a transaction, in their order. They are locked by their transaction's lock. */
export const refundsOf = (db: Db, transactionId: bigint): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where transaction_id = ${transactionId} order by id`

/** The refunds of a deposit, in their order. */
export const refundsOfDeposit = (db: Db, depositId: bigint): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where deposit_id = ${depositId} order by id`

/** The same, locked. */
export const lockRefundsOfDeposit = (db: Db, depositId: bigint): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where deposit_id = ${depositId} order by id for update`

/** Reads refunds by our ids of them. */
export const readRefunds = (db: Db, ids: bigint[]): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where id = any(${ids}) order by id`

/** Locks refunds. Their transactions are locked before. */
export const lockRefunds = (db: Atomic, ids: bigint[]): void =>
  db.send`select id from refunds where id = any(${ids}) order by id for update`

/** Whether a transaction has a refund that has not been sent and is not held. */
export const hasUnheldRefund = async (db: Db, transactionId: bigint): Promise<boolean> =>
  (
    await db.sql`
      select 1 from refunds
      where transaction_id = ${transactionId} and state in ('ordered', 'address_needed') and held_at is null limit 1`
  ).length > 0

/** Holds the refunds of a transaction that have not been sent. Gives their ids. */
export const holdRefunds = (db: Db, transactionId: bigint, at: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    update refunds set held_at = ${at}
    where transaction_id = ${transactionId} and state in ('ordered', 'address_needed') and held_at is null returning id`

/** Releases all of them, and gives the ids of those that are ordered. */
export const releaseRefunds = (db: Db, transactionId: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    with released as (
      update refunds set held_at = null where transaction_id = ${transactionId} and held_at is not null)
    select id from refunds where transaction_id = ${transactionId} and state = 'ordered'`

/** A payout that pays a refund. */
export type RefundPayout = {
  id: bigint
  transaction_id: bigint | null
  purpose: 'refund'
  refund_id: bigint
  number: number
  rail: string
  place: string
  asset: string
  amount: bigint
  fee_asset: string | null
  most_fee: bigint | null
  state: PayoutState
  reason: string | null
  destination: Buffer
  data_key_id: bigint
}

/** Locks the payouts of refunds and reads them, in their order. */
export const lockRefundPayouts = (db: Db, refundIds: bigint[]): Promise<RefundPayout[]> =>
  db.sql`
    select id, transaction_id, purpose, refund_id, number, rail, place, asset, amount, fee_asset, most_fee, state, reason, destination, data_key_id
    from payouts
    where refund_id = any(${refundIds}) order by id for update`

/** The payouts of refunds, and their states. */
export const refundPayoutsOf = (
  db: Db,
  refundIds: bigint[],
): Promise<Pick<RefundPayout, 'id' | 'refund_id' | 'state'>[]> =>
  db.sql`select id, refund_id, state from payouts where refund_id = any(${refundIds})`

/** The highest number that a payout of a refund of a transaction has had. */
export async function lastRefundNumber(db: Db, transactionId: bigint): Promise<number> {
  const [row] = await db.sql<{ number: number }>`
    select coalesce(max(number), 0) as number from payouts
    where transaction_id = ${transactionId} and purpose = 'refund'`
  return row?.number ?? 0
}

/** What is kept for sending a refund of an asset: on chains what a payout of it is charged, nothing elsewhere. */
export function refundCost(assetId: string): bigint {
  const listing = listingById(assetId)
  const fee = listing?.network.networkFee
  return listing && fee !== null && fee !== undefined ? parseAmount(fee, listing.asset) : 0n
}

/** Whether an asset moves on a chain, to an address that a customer can be asked for. */
export const isOnChain = (assetId: string): boolean => (listingById(assetId)?.network.chain ?? null) !== null
