import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayTo } from '../../rails/rail.ts'

/** Where a customer is told to pay. */
export type InstructionRow = {
  transactionId: bigint
  rail: string
  reference: string
  method: string
  asset: string
  amount: bigint
  payTo: string
  at: Date
}

/** Keeps instructions. */
export const insertInstructions = (db: Atomic, rows: InstructionRow[]): void =>
  db.send`
    insert into deposit_instructions (transaction_id, rail, reference, method, asset, amount, pay_to, created_at)
    select * from unnest(
      ${rows.map((row) => row.transactionId)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.reference)}::text[], ${rows.map((row) => row.method)}::text[],
      ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
      ${rows.map((row) => row.payTo)}::json[], ${rows.map((row) => row.at.toISOString())}::timestamptz[])`

/** The latest instruction of a transaction. */
export const instructionOf = (
  db: Db,
  transactionId: bigint,
): Promise<{ rail: string; reference: string; method: string; asset: string; amount: bigint; pay_to: PayTo }[]> =>
  db.sql`
    select rail, reference, method, asset, amount, pay_to from deposit_instructions
    where transaction_id = ${transactionId} order by id desc limit 1`

/** Every reference that a transaction's customer was given, on whatever rail. */
export const referencesOf = (db: Db, transactionId: bigint): Promise<{ rail: string; reference: string }[]> =>
  db.sql`select rail, reference from deposit_instructions where transaction_id = ${transactionId} order by id`

/** The methods by which a transaction's customer was told to pay, and when, in their order. */
export const instructedMethods = (db: Db, transactionId: bigint): Promise<{ method: string; created_at: Date }[]> =>
  db.sql`select method, created_at from deposit_instructions where transaction_id = ${transactionId} order by id`

/** A deposit as it is booked. */
export type DepositRow = {
  id: bigint
  transactionId: bigint | null
  eventId: bigint
  rail: string
  payment: string
  asset: string
  amount: bigint
  /** How much of it is exchanged in the same block. */
  exchanged: bigint
  state: 'final'
  at: Date
}

/** Keeps deposits. A fact or a payment that made a deposit before fails the block. */
export const insertDeposits = (db: Atomic, rows: DepositRow[]): void =>
  db.send`
    insert into deposits (id, transaction_id, event_id, rail, payment, asset, amount, exchanged, state, at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.transactionId)}::bigint[],
      ${rows.map((row) => row.eventId)}::bigint[], ${rows.map((row) => row.rail)}::text[],
      ${rows.map((row) => row.payment)}::text[], ${rows.map((row) => row.asset)}::text[],
      ${rows.map((row) => row.amount)}::numeric[], ${rows.map((row) => row.exchanged)}::numeric[],
      ${rows.map((row) => row.state)}::text[], ${rows.map((row) => row.at.toISOString())}::timestamptz[])`

/** A booked deposit that a rail speaks of again. */
export type BookedRow = {
  id: bigint
  transaction_id: bigint | null
  rail: string
  asset: string
  amount: bigint
  /** What of it was exchanged, refunded, and taken back by its rail. */
  exchanged: bigint
  refunded: bigint
  taken_back: bigint
  state: 'final' | 'reversed' | 'lost'
  /** When an operator found whose it is; null where the rail said so. */
  matched_at: Date | null
}

/** Locks the deposit that was booked for a payment. */
export const lockBooked = (db: Db, rail: string, payment: string): Promise<BookedRow[]> =>
  db.sql`
    select id, transaction_id, rail, asset, amount, exchanged, refunded, taken_back, state, matched_at from deposits
    where rail = ${rail} and payment = ${payment} for update`

/** The deposits of a transaction that were booked, oldest first. */
export const ofTransaction = (db: Db, transactionId: bigint): Promise<BookedRow[]> =>
  db.sql`
    select id, transaction_id, rail, asset, amount, exchanged, refunded, taken_back, state, matched_at from deposits
    where transaction_id = ${transactionId} order by id`

/** How much more, or less, of a deposit is used for what. */
export type UseRow = { id: bigint; exchanged: bigint; refunded: bigint }

/** Writes down what deposits are used for. More than there is of one fails the block. */
export const use = (db: Atomic, rows: UseRow[]): void =>
  db.send`
    update deposits set exchanged = deposits.exchanged + used.exchanged, refunded = deposits.refunded + used.refunded
    from (
      select id, sum(exchanged) as exchanged, sum(refunded) as refunded
      from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.exchanged)}::numeric[],
        ${rows.map((row) => row.refunded)}::numeric[]) as one (id, exchanged, refunded) group by id) as used
    where deposits.id = used.id`

/** What one fact takes back of a deposit, and what of it was not free any more. `id` is its entry's `ref`. */
export type ReversalRow = { id: bigint; depositId: bigint; eventId: bigint; amount: bigint; lost: bigint }

/**
 * Takes an amount of a deposit back: before it was used (`reversed`) or, at our loss, after (`lost`). A fact that has taken
 * something back before fails the block, and so does more than there is.
 */
export const takeBack = (db: Atomic, { id, depositId, eventId, amount, lost }: ReversalRow): void => {
  db.send`
    insert into deposit_reversals (id, deposit_id, event_id, amount, lost)
    values (${id}, ${depositId}, ${eventId}, ${amount}, ${lost})`
  db.send`
    update deposits set taken_back = taken_back + ${amount},
      state = case when state = 'lost' or ${lost}::numeric > 0 then 'lost' else 'reversed' end
    where id = ${depositId}`
}

/** Deposits that are nobody's and lie in suspense, oldest first. */
export const inSuspense = (db: Db, limit: number): Promise<SuspenseRow[]> =>
  db.sql`
    select deposits.id, deposits.rail, deposits.payment, reference, deposits.asset, deposits.amount - taken_back as amount, at from deposits
    join rail_events on rail_events.id = event_id
    where transaction_id is null and taken_back < deposits.amount
      and (refunded = 0 or exists (select 1 from refunds where deposit_id = deposits.id and refunds.state = 'failed'))
    order by deposits.id limit ${limit}`

/** Money of nobody's, what of it was not taken back, and the reference that came with it. */
export type SuspenseRow = {
  id: bigint
  rail: string
  payment: string | null
  reference: string
  asset: string
  amount: bigint
  at: Date
}

export const lockDeposit = (db: Db, id: bigint): Promise<(BookedRow & { at: Date })[]> =>
  db.sql`
    select id, transaction_id, rail, asset, amount, exchanged, refunded, taken_back, state, matched_at, at from deposits
    where id = ${id} for update`

/** Gives a deposit of nobody's to a transaction. */
export const match = (db: Atomic, id: bigint, transactionId: bigint, at: Date): void =>
  db.send`
    update deposits set transaction_id = ${transactionId}, matched_at = ${at}
    where id = ${id} and transaction_id is null and state = 'final'`

/** By which rail and under which id of the rail's a deposit came. */
export const paymentOf = (db: Db, id: bigint): Promise<{ rail: string; payment: string | null }[]> =>
  db.sql`select rail, payment from deposits where id = ${id}`

/** Whether money was booked for a transaction and not taken back. */
export const isBooked = async (db: Db, transactionId: bigint): Promise<boolean> => {
  const rows = await db.sql`
    select 1 from deposits where transaction_id = ${transactionId} and state in ('final', 'lost') limit 1`
  return rows.length > 0
}

/** A rail on which nothing is credited, since when, and why. */
export type HaltedRow = { rail: string; since: Date; reason: string }

/** Keeps that a rail has stopped, unless it has already. */
export const insertHalted = (db: Atomic, { rail, since, reason }: HaltedRow): void =>
  db.send`
    insert into halted_rails (rail, since, reason) values (${rail}, ${since}, ${reason}) on conflict (rail) do nothing`

/** The rails that have stopped. */
export const halted = (db: Db): Promise<HaltedRow[]> =>
  db.sql`select rail, since, reason from halted_rails order by since, rail`

/** Lets a rail go on, and gives it as it was; nothing if it had not stopped. */
export const removeHalted = (db: Db, rail: string): Promise<HaltedRow[]> =>
  db.sql`delete from halted_rails where rail = ${rail} returning rail, since, reason`
