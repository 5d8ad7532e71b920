import type { Db } from '../../platform/db/sql.ts'
import type { PayoutState } from '../settlement/payout.ts'
import type { PreparedState } from '../settlement/prepared-payment.ts'

/** A row and its fault, if any. `public_id` is null for money in suspense. */
export type Unlike = { id: bigint; public_id: bigint | null; fault: string | null }

/** A part of a table, by its ids: those after one, so many at most. */
export type Part = { afterId: bigint; limit: number }

/**
 * Compares the next deposits with their rail events and deposit instructions: event, rail, payment, asset, amount, and the
 * transaction of the reference.
 */
export const unlikeFacts = (db: Db, { afterId, limit }: Part): Promise<Unlike[]> =>
  db.sql`
    select deposits.id, public_id, case
        when deposits.transaction_id is not null and public_id is null then 'is of a transaction that is gone'
        when event.id is null then 'has lost the rail event that reported it'
        when event.kind not in ('deposit_final', 'payout_returned') or event.rail <> deposits.rail
          or event.asset <> deposits.asset or event.amount + rest.amount <> deposits.amount or not rest.is_as_told or event.payment <> coalesce(deposits.payment, event.payment)
          then 'is not what its rail told'
        when deposits.transaction_id is not null and matched_at is null
          and told.transaction_id is distinct from deposits.transaction_id
          then 'was told for another transaction, or for none'
      end as fault
    from (select * from deposits where id > ${afterId} order by id limit ${limit}) as deposits
    left join transactions on transactions.id = deposits.transaction_id
    left join rail_events as event on event.id = event_id
    left join deposit_instructions as told on told.rail = event.rail and told.reference = event.reference
    left join lateral (
      select coalesce(sum(one.amount), 0) as amount, coalesce(max(more.amount) = deposits.amount and bool_and(more.kind = 'deposit_final'
        and (more.rail, more.asset, more.payment) = (deposits.rail, deposits.asset, deposits.payment)), true) as is_as_told
      from deposit_rests as one join rail_events as more on more.id = one.event_id where deposit_id = deposits.id) as rest on true
    order by deposits.id`

/** A payout with its prepared payment and its refund. Null is missing. */
export type PayoutRow = {
  id: bigint
  transaction_id: bigint | null
  public_id: bigint | null
  state: PayoutState
  reason: string | null
  is_planned: boolean
  plan_id: bigint | null
  plan_state: PreparedState | null
  is_on_its_rail: boolean | null
  has_evidence: boolean | null
  /** It pays its refund, or the rest after earlier payouts, for the same transaction. True for other payouts. */
  is_as_refunded: boolean
  destination: Buffer
  data_key_id: bigint
  wrapped_key: Buffer | null
  body: Buffer | null
  plan_data_key_id: bigint | null
  plan_wrapped_key: Buffer | null
}

/** Reads the next payouts after an id, including refunds and returns from suspense. */
export const payouts = (db: Db, { afterId, limit }: Part): Promise<PayoutRow[]> =>
  db.sql`
    select payouts.id, payouts.transaction_id, transactions.public_id, payouts.state, payouts.reason,
      payouts.plan_id is not null as is_planned, plans.id as plan_id, plans.state as plan_state, plans.rail = payouts.rail as is_on_its_rail,
      evidence is not null as has_evidence,
      purpose = 'payout' or coalesce(
        refunds.asset = payouts.asset and (refunds.amount - refunds.cost = payouts.amount
            or refunds.amount - refunds.cost > payouts.amount and exists (
              select 1 from payouts as before where before.refund_id = refunds.id and before.id < payouts.id))
          and refunds.transaction_id is not distinct from payouts.transaction_id, false) as is_as_refunded,
      destination, payouts.data_key_id, own.wrapped as wrapped_key,
      body, plans.data_key_id as plan_data_key_id, of_plan.wrapped as plan_wrapped_key
    from (select * from payouts where id > ${afterId} order by id limit ${limit}) as payouts
    left join transactions on transactions.id = payouts.transaction_id
    left join plans on plans.id = payouts.plan_id
    left join refunds on refunds.id = refund_id
    left join data_keys as own on own.id = payouts.data_key_id
    left join data_keys as of_plan on of_plan.id = plans.data_key_id
    order by payouts.id`

/** Plans that pay nothing: no payout is theirs. At most a hundred. */
export const plansOfNothing = (db: Db): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from plans where not exists (select 1 from payouts where plan_id = plans.id) order by id limit 100`

/** Compares the next refunds with what they are paid by, and with the deposit that they give back. */
export const unlikePayouts = (db: Db, { afterId, limit }: Part): Promise<Unlike[]> =>
  db.sql`
    select refunds.id, transactions.public_id, case
        when refunds.transaction_id is not null and transactions.public_id is null then 'is of a transaction that is gone'
        when (refunds.state = 'paid') <> coalesce(by.is_paid, false) then 'is ' || refunds.state || ', and its payouts are not'
        when (refunds.state = 'sent') <> coalesce(by.is_open, false) then 'is ' || refunds.state || ', and its payouts are not'
        when deposits.id is null or deposits.asset <> refunds.asset
          or refunds.transaction_id is not null and deposits.transaction_id is distinct from refunds.transaction_id
          then 'gives back another deposit'
        when refunds.state <> 'cancelled' and deposits.refunded < refunds.amount then 'is not what its deposit was used for'
      end as fault
    from (select * from refunds where id > ${afterId} order by id limit ${limit}) as refunds
    left join transactions on transactions.id = refunds.transaction_id
    left join deposits on deposits.id = refunds.deposit_id
    left join lateral (
      select bool_or(state = 'paid') as is_paid, bool_or(state = 'planned') as is_open
      from payouts where refund_id = refunds.id) as by on true
    order by refunds.id`
