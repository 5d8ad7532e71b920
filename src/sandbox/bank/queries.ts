import type { Db } from '../../platform/db/sql.ts'

/** The state of a payment at the bank. `recalled`: the payer's bank took it back. `returned`: the payee's bank sent it back. */
export type PaymentState = 'booked' | 'recalled' | 'returned'

/** A payment as the bank knows it. */
export type PaymentRow = {
  id: bigint
  asset: string
  amount: bigint
  remittance: string
  end_to_end_id: string | null
  state: PaymentState
}

/** Money that comes to the exchange's accounts. */
export type IncomingRow = {
  account: string
  asset: string
  amount: bigint
  remittance: string
  reference: string | undefined
  at: Date
}

/** Books a payment to us: the account has it at once. */
export const takeIn = (db: Db, row: IncomingRow): Promise<PaymentRow[]> =>
  db.sql`
    with balance as (
      insert into sandbox.bank_balances as had (asset, balance) values (${row.asset}, ${row.amount})
      on conflict (asset) do update set balance = had.balance + excluded.balance)
    insert into sandbox.bank_payments (direction, account, asset, amount, remittance, reference, state, at)
    values ('in', ${row.account}, ${row.asset}, ${row.amount}, ${row.remittance},
      ${row.reference ?? null}, 'booked', ${row.at})
    returning id, asset, amount, remittance, end_to_end_id, state`

/** Money that leaves the exchange's accounts. To whom is not kept: these tables are no place for persons. */
export type OutgoingRow = {
  asset: string
  amount: bigint
  endToEndId: string
  at: Date
}

/**
 * Carries payments out, all in one statement: one with an end-to-end id that the bank has seen is ignored, and what the
 * account does not have fails the statement (a balance below zero).
 */
export const payOut = (db: Db, rows: OutgoingRow[]): Promise<unknown[]> =>
  db.sql`
    with fresh as (
      insert into sandbox.bank_payments (direction, asset, amount, remittance, end_to_end_id, state, at)
      select 'out', asset, amount, '', end_to_end_id, 'booked', at from unnest(
        ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[],
        ${rows.map((row) => row.endToEndId)}::text[], ${rows.map((row) => row.at.toISOString())}::timestamptz[]
      ) as asked (asset, amount, end_to_end_id, at)
      on conflict (end_to_end_id) do nothing
      returning asset, amount),
    spent as (select asset, sum(amount) as amount from fresh group by asset),
    locked as (
      select asset from sandbox.bank_balances join spent using (asset) order by asset for update of bank_balances),
    debited as (
      update sandbox.bank_balances as had set balance = balance - spent.amount
      from spent join locked using (asset) where had.asset = spent.asset
      returning had.asset)
    insert into sandbox.bank_balances (asset, balance)
    select asset, -amount from spent where asset not in (select asset from debited)`

/** What the bank knows of payments out, by their end-to-end ids. */
export const paidOut = (db: Db, endToEndIds: string[]): Promise<{ id: bigint; end_to_end_id: string }[]> =>
  db.sql`select id, end_to_end_id from sandbox.bank_payments where end_to_end_id = any(${endToEndIds})`

/** Payments to us with a reference in their text, in their order. */
export const paidIn = (db: Db, reference: string): Promise<PaymentRow[]> =>
  db.sql`
    select id, asset, amount, remittance, end_to_end_id, state from sandbox.bank_payments
    where reference = ${reference} order by id`

/** To which of our accounts a payment came. */
export const paidTo = (db: Db, id: bigint): Promise<{ account: string }[]> =>
  db.sql`select account from sandbox.bank_payments where id = ${id} and direction = 'in'`

/** Takes the last payment to us with a reference back to its payer. Gives it, or nothing. */
export const recall = (db: Db, reference: string): Promise<PaymentRow[]> =>
  db.sql`
    with recalled as (
      update sandbox.bank_payments set state = 'recalled'
      where state = 'booked' and id = (
        select max(id) from sandbox.bank_payments where reference = ${reference} and state = 'booked')
      returning id, asset, amount, remittance, end_to_end_id, state),
    debited as (
      update sandbox.bank_balances as had set balance = balance - recalled.amount from recalled
      where had.asset = recalled.asset)
    select * from recalled`

/** Sends a payment of ours back to us, once. Gives it, or nothing if it was not paid or came back before. */
export const sendBack = (db: Db, endToEndId: string): Promise<PaymentRow[]> =>
  db.sql`
    with returned as (
      update sandbox.bank_payments set state = 'returned' where end_to_end_id = ${endToEndId} and state = 'booked'
      returning id, asset, amount, remittance, end_to_end_id, state),
    credited as (
      update sandbox.bank_balances as had set balance = balance + returned.amount from returned
      where had.asset = returned.asset)
    select * from returned`

/** What our account of a currency holds. */
export const balance = (db: Db, asset: string): Promise<{ balance: bigint }[]> =>
  db.sql`select balance from sandbox.bank_balances where asset = ${asset}`

/** Opens an account with its first money; one that is open is left as it is. Gives a row if it was new. */
export const open = (db: Db, asset: string, amount: bigint): Promise<{ balance: bigint }[]> =>
  db.sql`
    insert into sandbox.bank_balances (asset, balance) values (${asset}, ${amount}) on conflict do nothing
    returning balance`

/** Moves money on our accounts that was paid (or, below zero, taken back) at a page of the bank's. */
export const move = (db: Db, rows: { asset: string; amount: bigint }[]): Promise<unknown[]> =>
  db.sql`
    with moved as (
      select asset, sum(amount) as amount from unnest(
        ${rows.map((row) => row.asset)}::text[], ${rows.map((row) => row.amount)}::numeric[]) as moved (asset, amount)
      group by asset),
    locked as (
      select asset from sandbox.bank_balances join moved using (asset) order by asset for update of bank_balances),
    known as (
      update sandbox.bank_balances as had set balance = balance + moved.amount
      from moved join locked using (asset) where had.asset = moved.asset
      returning had.asset)
    insert into sandbox.bank_balances as had (asset, balance)
    select asset, amount from moved where asset not in (select asset from known) order by asset
    on conflict (asset) do update set balance = had.balance + excluded.balance`

/** One booking on our accounts, as the bank's statement has it. */
export type BookingRow = { id: bigint; reference: string; asset: string; amount: bigint; at: Date }

/** What came and left since a real time; what was recalled or sent back is listed a second time, the other way. */
export const bookings = (db: Db, since: Date): Promise<BookingRow[]> =>
  db.sql`
    select id, coalesce(end_to_end_id, reference, '') as reference, asset,
      case direction when 'in' then amount else -amount end * sign as amount, at
    from sandbox.bank_payments cross join (values (1), (-1)) as part (sign)
    where at >= ${since} and (sign = 1 or state <> 'booked') order by id`
