import type { RefundState } from '../transactions/refund-state.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayoutState } from './payouts.sql.ts'

/** A refund as it is ordered. */
export type RefundRow = {
  id: bigint
  publicId: bigint
  transactionId: bigint | null
  depositId: bigint
  asset: string
  amount: bigint
  cost: bigint
  reason: string
  at: Date
}

/** Keeps ordered refunds. */
export const insert = (db: Atomic, rows: RefundRow[]): void =>
  db.send`
    insert into refunds (id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, ordered_at)
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, 'ordered', ordered_at from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.publicId)}::bigint[],
      ${rows.map((row) => row.transactionId)}::bigint[], ${rows.map((row) => row.depositId)}::bigint[],
      ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
      ${rows.map((row) => row.cost)}::numeric[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[]
    ) as one (id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, ordered_at)`

/** A refund as it stands. */
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
  /** Since when a person keeps it from being sent; null: nobody does. */
  held_at: Date | null
}

/** The refunds of a transaction, in their order. Whoever changes one has locked the transaction. */
export const ofTransaction = (db: Db, transactionId: bigint): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where transaction_id = ${transactionId} order by id`

/** The refunds of a deposit, locked, in their order. */
export const lockOfDeposit = (db: Db, depositId: bigint): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where deposit_id = ${depositId} order by id for update`

/** Reads refunds by our ids of them. */
export const read = (db: Db, ids: bigint[]): Promise<Refund[]> =>
  db.sql`
    select id, public_id, transaction_id, deposit_id, asset, amount, cost, reason, state, held_at from refunds
    where id = any(${ids}) order by id`

/** Locks refunds. Their transactions are locked before. */
export const lock = (db: Atomic, ids: bigint[]): void =>
  db.send`select id from refunds where id = any(${ids}) order by id for update`

/** Writes down where refunds stand. */
export const mark = (db: Atomic, ids: bigint[], state: RefundState): void =>
  db.send`update refunds set state = ${state} where id = any(${ids})`

/** Keeps those of a transaction's refunds from being sent of which nothing has left by now. Gives their ids. */
export const hold = (db: Db, transactionId: bigint, at: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    update refunds set held_at = ${at}
    where transaction_id = ${transactionId} and state in ('ordered', 'address_needed') and held_at is null returning id`

/** Lets all of them go again, and gives the ids of those that are ordered. */
export const release = (db: Db, transactionId: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    with free as (
      update refunds set held_at = null where transaction_id = ${transactionId} and held_at is not null)
    select id from refunds where transaction_id = ${transactionId} and state = 'ordered'`

/** A payout that pays a refund, as it is read for planning. */
export type RefundPayout = {
  id: bigint
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
export const lockPayouts = (db: Db, refundIds: bigint[]): Promise<RefundPayout[]> =>
  db.sql`
    select id, refund_id, number, rail, place, asset, amount, fee_asset, most_fee, state, reason, destination, data_key_id
    from payouts
    where refund_id = any(${refundIds}) order by id for update`

/** The payouts of refunds, and where they stand. */
export const payoutsOf = (db: Db, refundIds: bigint[]): Promise<Pick<RefundPayout, 'refund_id' | 'state'>[]> =>
  db.sql`select refund_id, state from payouts where refund_id = any(${refundIds})`

/** The highest number that a refund of a transaction has had. */
export const lastNumber = (db: Db, transactionId: bigint): Promise<{ number: number }[]> =>
  db.sql`
    select coalesce(max(number), 0) as number from payouts
    where transaction_id = ${transactionId} and purpose = 'refund'`
