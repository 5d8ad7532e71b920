import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayTo } from '../../rails/rail.ts'
import type { StoredEvent, StoredKind } from './stored-event.ts'

/** Keeps facts, once per rail and key. Gives the ids of those that are new. */
export const insertFacts = (db: Db, facts: StoredEvent[], at: Date): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into facts (rail, fact_key, kind, reference, body, received_at)
    select rail, fact_key, kind, reference, body, ${at} from unnest(
      ${facts.map((fact) => fact.rail)}::text[], ${facts.map((fact) => fact.key)}::text[],
      ${facts.map((fact) => fact.kind)}::text[], ${facts.map((fact) => fact.reference)}::text[],
      ${facts.map(({ body, payment, asset, amount }) => JSON.stringify({ ...body, payment, asset, amount: String(amount) }))}::json[]
    ) as fact (rail, fact_key, kind, reference, body)
    on conflict (rail, fact_key) do nothing
    returning id`

/** A fact beside the instruction whose reference it repeats; the instruction's columns are null where there is none. */
export type MatchedRow = {
  id: bigint
  rail: string
  kind: StoredKind
  reference: string
  body: { payment: string; asset: string; amount: string } & Record<string, string>
  received_at: Date
  /** When the rail first said that this payment is there: coins arrive when they are seen, and are final later. */
  arrived_at: Date
  transaction_id: bigint | null
  /** The deposit method that the instruction was for. */
  method: string | null
  asset: string | null
  amount: bigint | null
  /**
   * This fact, or another word for the same payment, has made a deposit or brought a payout back, or an earlier fact has said the
   * same.
   */
  booked: boolean
  /** The rail has said that all of this payment was taken back, before or after what this fact says. */
  reversed: boolean
  /** Our ids of facts that take something of this payment back and are not booked: told before it was. */
  unbooked_reversals: string[]
  /** It tells of more than nothing, of an asset that the books know. */
  is_money: boolean
  /** Nothing is credited on its rail at the moment. */
  halted: boolean
  /** Of the customer that it is about something is known, or there is so much of, that the rules of risk must be asked. */
  watched: boolean
}

/** From how many transactions of a customer, or from what worth of one in euro cents, the rules of risk are asked. */
const watchedFrom = { transactions: 20, cents: 500_000 }

/** Reads facts with the instructions they answer, in the order in which they were received. Their transactions are locked before. */
export const matchFacts = (db: Db, ids: bigint[]): Promise<MatchedRow[]> =>
  db.sql`
    select facts.id, facts.rail, kind, facts.reference, body, facts.received_at,
      coalesce(deposit_instructions.transaction_id, (
        select known.transaction_id from deposits as known join facts as told on told.id = fact_id
        where facts.kind = 'deposit.reversed' and matched_at is not null and known.rail = facts.rail
          and known.payment = facts.body ->> 'payment' and told.reference = facts.reference)
      ) as transaction_id,
      coalesce((select min(received_at) from facts as first where first.rail = facts.rail
        and first.reference = facts.reference and first.kind in ('deposit.seen', 'deposit.final')
        and first.body ->> 'payment' = facts.body ->> 'payment'), facts.received_at) as arrived_at,
      method, deposit_instructions.asset, deposit_instructions.amount,
      exists (select 1 from deposits where fact_id = facts.id)
        or exists (select 1 from deposit_reversals where fact_id = facts.id)
        or kind = 'deposit.final' and exists (
          select 1 from deposits where deposits.rail = facts.rail and payment = facts.body ->> 'payment')
        or kind in ('deposit.final', 'payout.returned') and exists (
          select 1 from facts as earlier where earlier.rail = facts.rail and earlier.reference = facts.reference
            and earlier.kind = facts.kind and earlier.id < facts.id
            and earlier.body ->> 'payment' = facts.body ->> 'payment')
        or kind = 'payout.returned' and exists (
          select 1 from plans join payouts on plan_id = plans.id where plans.rail = facts.rail
            and plan_key = facts.reference and payouts.state = 'failed' and reason = 'returned')
          and not exists (
            select 1 from facts as first where first.rail = facts.rail and first.reference = facts.reference
              and first.kind = facts.kind and first.id < facts.id) as booked,
      coalesce(undone.amount >= (facts.body ->> 'amount')::numeric, false) as reversed,
      coalesce(undone.unbooked, '{}') as unbooked_reversals,
      (body ->> 'amount')::numeric > 0 and exists (select 1 from assets where assets.id = body ->> 'asset') as is_money,
      exists (select 1 from halted_rails where halted_rails.rail = facts.rail) as halted,
      coalesce((
        select exists (select 1 from customers where customers.id = about.customer_id and chargebacks > 0)
          or exists (select 1 from identity_imports as told join partner_customers as same
            on same.id = told.partner_customer_id where same.customer_id = about.customer_id)
          or exists (select 1 from customer_blocks as block join partner_customers as own
            on own.email_hash = block.email_hash where own.id = about.partner_customer_id)
          or (select count(*) >= ${watchedFrom.transactions} or max(from_amount_in_eur) >= ${watchedFrom.cents} from (
            select from_amount_in_eur from transactions as earlier
            where earlier.customer_id = about.customer_id order by id desc limit ${watchedFrom.transactions}) as latest)
        from transactions as about
        where about.id = deposit_instructions.transaction_id and about.customer_id is not null), false) as watched
    from facts left join deposit_instructions
      on deposit_instructions.rail = facts.rail and deposit_instructions.reference = facts.reference
    left join lateral (
      select sum((told.body ->> 'amount')::numeric) as amount,
        array_agg(told.id::text order by told.id) filter (where deposit_reversals.id is null) as unbooked
      from facts as told left join deposit_reversals on fact_id = told.id
      where told.rail = facts.rail and told.reference = facts.reference and told.kind = 'deposit.reversed'
        and told.body ->> 'payment' = facts.body ->> 'payment' and told.body ->> 'asset' = facts.body ->> 'asset'
    ) as undone on true
    where facts.id = any(${ids}) order by facts.id`

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
  factId: bigint
  rail: string
  payment: string
  asset: string
  amount: bigint
  /** How much of it is exchanged in the same block. */
  exchanged: bigint
  state: 'seen' | 'final'
  at: Date
}

/** Keeps deposits. A fact or a payment that made a deposit before fails the block. */
export const insertDeposits = (db: Atomic, rows: DepositRow[]): void =>
  db.send`
    insert into deposits (id, transaction_id, fact_id, rail, payment, asset, amount, exchanged, state, at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.transactionId)}::bigint[],
      ${rows.map((row) => row.factId)}::bigint[], ${rows.map((row) => row.rail)}::text[],
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
  state: 'seen' | 'final' | 'reversed' | 'lost'
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
    where transaction_id = ${transactionId} and state <> 'seen' order by id`

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
export type ReversalRow = { id: bigint; depositId: bigint; factId: bigint; amount: bigint; lost: bigint }

/**
 * Takes an amount of a deposit back: before it was used (`reversed`) or, at our loss, after (`lost`). A fact that has taken
 * something back before fails the block, and so does more than there is.
 */
export const takeBack = (db: Atomic, { id, depositId, factId, amount, lost }: ReversalRow): void => {
  db.send`
    insert into deposit_reversals (id, deposit_id, fact_id, amount, lost)
    values (${id}, ${depositId}, ${factId}, ${amount}, ${lost})`
  db.send`
    update deposits set taken_back = taken_back + ${amount},
      state = case when state = 'lost' or ${lost}::numeric > 0 then 'lost' else 'reversed' end
    where id = ${depositId}`
}

/** Deposits that are nobody's and lie in suspense, oldest first. */
export const inSuspense = (db: Db, limit: number): Promise<SuspenseRow[]> =>
  db.sql`
    select deposits.id, deposits.rail, payment, reference, asset, deposits.amount - taken_back as amount, at from deposits
    join facts on facts.id = fact_id
    where transaction_id is null and deposits.state <> 'seen' and taken_back < deposits.amount
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

/** Locks a deposit. */
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

/** The payments that a transaction's rails have told of, with everything that was told of each. */
export const payments = (db: Db, transactionId: bigint): Promise<{ payment: string; kinds: StoredKind[] }[]> =>
  db.sql`
    select body ->> 'payment' as payment, array_agg(kind) as kinds
    from deposit_instructions join facts using (rail, reference)
    where transaction_id = ${transactionId} and kind in ('deposit.seen', 'deposit.final', 'deposit.reversed')
      and (body ->> 'amount')::numeric > 0 and exists (select 1 from assets where assets.id = body ->> 'asset')
    group by rail, 1`

/** Whether money was booked for a transaction and not taken back. */
export const isBooked = async (db: Db, transactionId: bigint): Promise<boolean> => {
  const rows = await db.sql`
    select 1 from deposits where transaction_id = ${transactionId} and state in ('seen', 'final', 'lost') limit 1`
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
