import type { Db } from '../../platform/db/sql.ts'
import type { Status } from '../transactions/lifecycle.ts'
import type { StatusChange } from '../transactions/status-history.ts'

/** A status change. The subject's id is decimal text, because ids exceed the exact range of a float. */
export type Change = Pick<StatusChange, 'kind' | 'status'> & { number: number; subjectId: string | null }

/** What was booked: an entry's kind and the id that it refers to. */
export type Booked = { kind: string; ref: string }

/** What must agree with the ledger, read in one statement: status, history, money in, money out, money owed. */
export type Agreement = {
  id: bigint
  public_id: bigint
  status: Status
  is_b2b: boolean
  status_changes: number
  history: Change[]
  /** A status change or an event is earlier than its predecessor or than the transaction. */
  goes_back: boolean
  events: number
  counted_events: bigint
  /** The number of events about a status, and the first stored event. */
  status_events: bigint
  first_event: number | null
  /** An event belongs to another partner. */
  is_told_elsewhere: boolean
  quote_number: number
  counted_quotes: bigint
  from_amount: bigint
  deposited: bigint
  to_amount: bigint | null
  paid: bigint | null
  output_hash: string | null
  proof: string | null
  booked: Booked[]
  /** Reversals, by their entries' `ref`, in whose block an exchange was mirrored. */
  undoing: bigint[]
  owed: bigint
  /** A refund of it is paid, or would have cost more than it is. */
  has_refunded: boolean
  unplanned: bigint
  unproven: bigint
}

/**
 * Reads the next transactions after an id. Each row is consistent, whatever runs concurrently. Events older than `eventsSince`
 * may be deleted from the start of a stream; those count as present.
 */
export const agreements = (db: Db, afterId: bigint, limit: number, eventsSince: Date): Promise<Agreement[]> =>
  db.sql`
    select transactions.id, public_id, transactions.status, kind = 'b2b' as is_b2b, status_changes,
      coalesce(past.history, '[]') as history, transactions.events,
      coalesce(past.goes_back or past.first_at < created_at, false) or exists (
        select 1 from events join events as later using (stream)
        where stream = public_id and later.sequence = events.sequence + 1 and later.at < events.at) as goes_back,
      coalesce(
        (select min(sequence) - 1 + count(*) from events where stream = public_id),
        case when past.last_at < ${eventsSince} then transactions.events else 0 end) as counted_events,
      (select count(*) from events where stream = public_id
        and type in ('transaction.created', 'transaction.status_changed', 'b2b.transaction.status_changed')) as status_events,
      (select min(sequence) from events where stream = public_id) as first_event,
      exists (select 1 from events where stream = public_id and events.partner_id <> transactions.partner_id) as is_told_elsewhere,
      quote_number, (select count(*) from quotes where transaction_id = transactions.id) as counted_quotes,
      from_amount,
      ((select coalesce(sum(amount - ended_before), 0) from deposits
          where transaction_id = transactions.id and asset = from_asset)
        - (select coalesce(sum(amount) filter (where kind in ('deposit_reversed', 'loss_recovered')
                and debit = 'customer:' || public_id), 0)
              - coalesce(sum(amount) filter (where kind = 'deposit_reinstated' and credit = 'customer:' || public_id), 0)
            from entries join postings on entry_id = entries.id
            where transaction_id = transactions.id and asset = from_asset
              and kind in ('deposit_reversed', 'loss_recovered', 'deposit_reinstated')))::numeric(38, 0) as deposited,
      to_amount, paid.amount as paid, output_hash, paid.proof,
      coalesce((select json_agg(json_build_object('kind', kind, 'ref', ref::text)) from entries
        where transaction_id = transactions.id), '[]') as booked,
      array(select reversal.ref from entries as reversal join entries as mirror using (transaction_id, xid)
        where reversal.transaction_id = transactions.id and reversal.kind = 'deposit_reversed'
          and mirror.kind = 'exchange_mirrored') as undoing,
      (select count(*) from (
        select 1 from entries join audit_postings on entry_id = entries.id
        where entries.transaction_id = transactions.id and account = 'customer:' || public_id
        group by asset having sum(amount) <> 0) as open_balances) as owed,
      exists (select 1 from refunds where transaction_id = transactions.id and state = 'paid')
        or exists (select 1 from entries where transaction_id = transactions.id and kind = 'write_off') as has_refunded,
      (select count(*) from payouts where transaction_id = transactions.id
        and (plan_id is null) <> (payouts.state in ('waiting', 'reserved', 'cancelled'))) as unplanned,
      (select count(*) from payouts join plans on plans.id = plan_id where transaction_id = transactions.id
        and payouts.state = 'paid' and (plans.state <> 'done' or evidence is null)) as unproven
    from transactions
    left join lateral (
      select json_agg(json_build_object('number', number, 'kind', kind, 'subjectId', subject_id::text, 'status', status)
          order by number) as history,
        min(at) as first_at, max(at) as last_at, bool_or(at < before) as goes_back
      from (select *, lag(at) over (order by number) as before from status_history
        where transaction_id = transactions.id) as change
    ) as past on true
    left join lateral (
      select sum(amount)::numeric(38, 0) as amount, (array_agg(evidence ->> 'hash' order by payouts.id desc))[1] as proof
      from payouts left join plans on plans.id = plan_id
      where transaction_id = transactions.id and purpose = 'payout' and payouts.state = 'paid') as paid on true
    where transactions.id > ${afterId} order by transactions.id limit ${limit}`

/**
 * Of the transactions after one id up to another, those whose deposits are said to be used for more or less than was booked:
 * exchanged, refunded, taken back.
 */
export const misused = (db: Db, afterId: bigint, lastId: bigint): Promise<{ public_id: bigint }[]> =>
  db.sql`
    select public_id from transactions
    left join lateral (
      select sum(exchanged) as exchanged, sum(refunded - ended_before) as refunded, sum(taken_back) as taken_back
      from deposits where transaction_id = transactions.id) as said on true
    left join lateral (
      select coalesce(sum(amount) filter (where kind = 'exchange' and debit = 'customer:' || public_id), 0)
          - coalesce(sum(amount) filter (where kind = 'exchange_mirrored' and credit = 'customer:' || public_id), 0) as exchanged,
        coalesce(sum(amount) filter (where kind = 'write_off'), 0) as written_off,
        coalesce(sum(amount) filter (where kind = 'deposit_reversed'), 0)
          - coalesce(sum(amount) filter (where kind = 'deposit_reinstated'), 0) as taken_back
      from entries join postings on entry_id = entries.id
      where transaction_id = transactions.id and (asset = from_asset or kind in ('write_off', 'deposit_reversed', 'deposit_reinstated'))) as booked on true
    left join lateral (
      select sum(amount) as amount from refunds
      where transaction_id = transactions.id and state <> 'cancelled') as ordered on true
    where transactions.id > ${afterId} and transactions.id <= ${lastId}
      and (coalesce(said.exchanged, 0) <> booked.exchanged
        or coalesce(said.refunded, 0) <> booked.written_off + coalesce(ordered.amount, 0)
        or coalesce(said.taken_back, 0) <> booked.taken_back)`

/** A quote with its transaction and the exchange booked at it; `lines` is null where nothing was exchanged. */
export type QuoteRow = {
  transaction_id: bigint
  public_id: bigint
  partner_id: bigint
  from_asset: string
  to_asset: string
  number: number
  quote: unknown
  stamp: Buffer | null
  carried_over: boolean
  valid_until: Date
  is_current: boolean
  expected_from: bigint
  expected_to: bigint
  quote_expires_at: Date
  lines: [debit: string, credit: string, asset: string, amount: string][] | null
}

/** Reads the next quotes after one. */
export const quotes = (db: Db, after: { transactionId: bigint; number: number }, limit: number): Promise<QuoteRow[]> =>
  db.sql`
    select transaction_id, public_id, partner_id, from_asset, to_asset, number, quote, stamp, carried_over, valid_until,
      number = quote_number as is_current, expected_from, expected_to, quote_expires_at,
      (select json_agg(json_build_array(debit, credit, asset, amount::text) order by line)
        from entries join postings on entry_id = entries.id
        where entries.transaction_id = transactions.id and kind = 'exchange' and ref = number) as lines
    from quotes join transactions on transactions.id = transaction_id
    where (transaction_id, number) > (${after.transactionId}, ${after.number}::integer)
    order by transaction_id, number limit ${limit}`

/** Reserves that differ from the sum of their open payouts. */
export const misreserved = (db: Db): Promise<{ place: string; asset: string }[]> =>
  db.sql`
    select place, asset from reserves left join (
      select place, part.asset, sum(part.amount) as promised from payouts
      cross join lateral (values (asset, amount), (fee_asset, most_fee)) as part (asset, amount)
      where state in ('reserved', 'planned') group by place, part.asset) as open using (place, asset)
    where reserved <> coalesce(promised, 0)`
