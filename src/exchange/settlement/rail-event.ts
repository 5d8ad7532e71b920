import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Partner } from '../partners/partner.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import { cardHash } from '../customers/traits.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { CardAuthentication, RailEvent, RailEventKind } from '../../rails/rail.ts'

/** The job that settles a rail event. Its key is our id of the event. */
export const railEventReceived = 'fact.received'

export type ReportedEvent = RailEvent & { rail: string }

/**
 * Stores what rails reported, once per rail and key, and leaves the work to a job: nothing of the business happens here. An event
 * that is reported again makes no second job.
 */
export async function receiveRailEvents(
  { queue, clock, secrets }: Pick<Ctx, 'queue' | 'clock' | 'secrets'>,
  db: Atomic,
  events: readonly ReportedEvent[],
): Promise<void> {
  const runAt = clock.now()
  const fresh = await railEvents.insertNew(
    db,
    events.map((event) => rowOf({ secrets }, event, runAt)),
  )
  queue.enqueue(
    db,
    fresh.map(({ id }) => ({ kind: railEventReceived, key: String(id), runAt })),
  )
}

/** Kinds that take the amount of their payment back, whatever else they say. */
export const reversing: ReadonlySet<RailEventKind> = new Set<RailEventKind>(['deposit_reversed', 'deposit_withdrawn'])

/** What a processor calls a card is kept as a keyed hash only. */
const rowOf = (
  keys: Pick<Ctx, 'secrets'>,
  { key, dispute, authentication, body: { fingerprint, ...body }, ...event }: ReportedEvent,
  receivedAt: Date,
) => ({
  ...event,
  cardHash: fingerprint === undefined ? null : cardHash(keys, event.rail, fingerprint),
  eventKey: key,
  dispute: dispute?.id ?? null,
  disputeRound: dispute?.round ?? null,
  respondBy: dispute?.respondBy ?? null,
  fundsMoved: dispute?.fundsMoved ?? null,
  reverses: reversing.has(event.kind) || (event.kind !== 'dispute_won' && dispute?.fundsMoved === true),
  body: JSON.stringify(authentication ? { ...body, ...authenticationOf(authentication) } : body),
  receivedAt,
})

const authenticationOf = ({ threeDSecure, liabilityShifted }: CardAuthentication): Record<string, string> => ({
  three_d_secure: threeDSecure,
  liability_shifted: String(liabilityShifted),
})

const railEvents = rowWriter<ReturnType<typeof rowOf>>('rail_events', {
  rail: 'text',
  eventKey: 'text',
  kind: 'text',
  reference: 'text',
  payment: 'text',
  asset: 'text',
  amount: 'numeric',
  dispute: 'text',
  disputeRound: 'integer',
  respondBy: 'timestamptz',
  fundsMoved: 'boolean',
  reverses: 'boolean',
  body: 'json',
  cardHash: 'bytea',
  receivedAt: 'timestamptz',
})

/**
 * A rail event with the instruction whose reference it repeats; its columns are null if no instruction has it. More of a payment
 * belongs where the payment does, whatever its reference says.
 */
export type MatchedEvent = {
  id: bigint
  rail: string
  kind: RailEventKind
  reference: string
  payment: string
  asset: string
  amount: bigint
  /** The rail's id of the dispute that it is about, until when evidence can be sent, and whether it moved the amount. */
  dispute: string | null
  /** How often that was opened again before: see `Dispute`. */
  dispute_round: number
  respond_by: Date | null
  funds_moved: boolean | null
  /** It takes the amount of its payment back. */
  reverses: boolean
  body: Record<string, string>
  /** The card that paid. */
  card_hash: Buffer | null
  received_at: Date
  /** When the rail first reported this payment: coins arrive when they are seen, and are final later. */
  arrived_at: Date
  transaction_id: bigint | null
  /** The deposit method that the instruction was for. */
  method: string | null
  /** This event, or another one about the same payment, is booked, or an earlier event has said the same. */
  booked: boolean
  /** A smaller amount of the same payment is booked: this is what it has come to since. */
  is_rest: boolean
  /** The rail has said that all of this payment was taken back, before or after this event. */
  is_reversed: boolean
  /** Our ids of other events that reverse this payment, or give it back, and are not booked: reported before it was. */
  unbooked: string[]
  /** Its amount is positive, and its asset one that the books know. */
  is_money: boolean
  /** Nothing is credited on its rail at the moment. */
  halted: boolean
  /** So much is known of its customer, or there is so much of them, that the rules of risk must be applied. */
  watched: boolean
}

/** A rail event with the transaction that it is about, locked; undefined if it has none. */
export type EventContext = {
  event: MatchedEvent
  transaction: Transaction | undefined
  partner: Partner | undefined
}

/**
 * From how many transactions of a customer, from which worth of one in euro cents, or from how many customers at one address
 * (null: any number) the rules of risk are applied.
 */
export type WatchedFrom = { transactions: number; cents: bigint; atAddress: number | null }

/** What events are read with. `growing`: rails whose payments may come to more than they said first. */
type Reading = { watchedFrom: WatchedFrom; growing: string[] }

/** Reads rail events with the instructions they answer, in the order in which they were received. Their transactions are locked. */
export const matchRailEvents = (db: Db, ids: bigint[], { watchedFrom, growing }: Reading): Promise<MatchedEvent[]> =>
  db.sql`
    select event.id, event.rail, kind, event.reference, event.payment, event.asset, event.amount, event.dispute,
      coalesce(event.dispute_round, 0) as dispute_round, respond_by, funds_moved, reverses, body, card_hash, event.received_at,
      case when known.id is not null then known.transaction_id else coalesce(deposit_instructions.transaction_id, (
        select known.transaction_id from deposits as known join rail_events as arrival on arrival.id = event_id
        where (event.reverses or event.dispute is not null or event.kind in ('deposit_final', 'reversal_withdrawn')) and matched_at is not null and known.rail = event.rail
          and known.payment = event.payment and arrival.reference = event.reference)
      ) end as transaction_id,
      coalesce((select min(received_at) from rail_events as first where first.rail = event.rail
        and first.reference = event.reference and first.kind in ('deposit_seen', 'deposit_final')
        and first.payment = event.payment), event.received_at) as arrived_at,
      case when known.id is null or known.transaction_id = deposit_instructions.transaction_id then method end as method,
      exists (select 1 from deposits where event_id = event.id)
        or exists (select 1 from deposit_reversals where event_id = event.id)
        or exists (select 1 from deposit_reinstatements where event_id = event.id)
        or exists (select 1 from deposit_rests where event_id = event.id)
        or known.id is not null and (known.amount >= event.amount or known.asset <> event.asset or event.rail <> all(${growing}::text[]))
        or kind in ('deposit_final', 'payout_returned') and exists (
          select 1 from rail_events as earlier where earlier.rail = event.rail and earlier.reference = event.reference
            and earlier.kind = event.kind and earlier.id < event.id and earlier.payment = event.payment
            and (event.kind = 'payout_returned' or earlier.amount >= event.amount or event.rail <> all(${growing}::text[])))
        or kind = 'payout_returned' and exists (
          select 1 from plans join payouts on plan_id = plans.id where plans.rail = event.rail
            and plan_key = event.reference and payouts.state = 'failed' and reason = 'returned')
          and not exists (
            select 1 from rail_events as first where first.rail = event.rail and first.reference = event.reference
              and first.kind = event.kind and first.id < event.id) as booked,
      coalesce(known.amount < event.amount and known.asset = event.asset, false) as is_rest,
      coalesce(reversed.amount >= event.amount, false) as is_reversed,
      coalesce(reversed.unbooked, '{}') as unbooked,
      event.amount > 0 and exists (select 1 from assets where assets.id = event.asset) as is_money,
      exists (select 1 from halts where scope in ('rail', 'crediting') and name = event.rail) as halted,
      coalesce((
        select exists (select 1 from customers where customers.id = about.customer_id and chargebacks > 0)
          or exists (select 1 from identity_imports as told join partner_customers as same
            on same.id = told.partner_customer_id where same.customer_id = about.customer_id)
          or exists (select 1 from customer_blocks as block join partner_customers as own
            on own.email_hash = block.email_hash where own.id = about.partner_customer_id)
          or (select count(*) >= ${watchedFrom.transactions} or max(from_amount_in_eur) >= ${watchedFrom.cents} from (
            select from_amount_in_eur from transactions as earlier
            where earlier.customer_id = about.customer_id order by id desc limit ${watchedFrom.transactions}) as latest)
          or exists (select 1 from customer_traits as trait where trait.kind = 'card' and trait.hash = event.card_hash
            and trait.customer_id <> about.customer_id)
          or ${watchedFrom.atAddress}::integer is not null and exists (
            select from customer_traits as own where own.kind = 'address' and own.customer_id = about.customer_id
              and (select count(*) from (select from customer_traits as shared where shared.kind = 'address'
                and shared.hash = own.hash limit ${watchedFrom.atAddress}) as those) >= ${watchedFrom.atAddress})
          or exists (select 1 from rail_events as other join deposit_instructions as own using (rail, reference)
            join transactions as theirs on theirs.id = own.transaction_id
            where other.id = any(${ids}) and other.card_hash = event.card_hash and theirs.customer_id <> about.customer_id)
        from transactions as about
        where about.id = deposit_instructions.transaction_id and about.customer_id is not null), false) as watched
    from rail_events as event left join deposit_instructions
      on deposit_instructions.rail = event.rail and deposit_instructions.reference = event.reference
    left join lateral (
      select sum(other.amount) filter (where other.reverses and other.is_latest and other.asset = event.asset) as amount,
        array_agg(other.id::text order by other.id) filter (where other.id <> event.id
          and not exists (select 1 from deposit_reversals where event_id = other.id)
          and not exists (select 1 from deposit_reinstatements where event_id = other.id)) as unbooked
      from (
        select id, reverses, amount, asset, row_number() over (partition by coalesce(dispute, id::text)
          order by coalesce(dispute_round, 0) desc, (kind = 'dispute_won') desc, id desc) = 1 as is_latest
        from rail_events as one
        where one.rail = event.rail and one.reference = event.reference
          and (one.reverses or one.kind = 'dispute_won' and one.funds_moved)
          and one.payment = event.payment and (one.asset = event.asset or one.dispute is not null)) as other
    ) as reversed on true
    left join deposits as known on event.kind = 'deposit_final' and known.rail = event.rail and known.payment = event.payment
    where event.id = any(${ids}) order by event.id`

/**
 * Locks the payments that rail events are about, and the cards they were made with, for the block. Money of no transaction has no
 * other row that two processes, each with one event about it, could wait for: a reversal would miss the deposit that is being booked.
 * Of two blocks that settle payments by the same card, the second one knows whose card it was.
 */
export const lockPaymentsAndCards = (db: Atomic, ids: bigint[]): void =>
  db.send`
    select pg_advisory_xact_lock(hashtextextended(name, kind)) from (
      select 0 as kind, rail || ' ' || payment as name from rail_events where id = any(${ids})
      union
      select 1, 'card ' || encode(card_hash, 'hex') from rail_events where id = any(${ids}) and card_hash is not null
      order by kind, name) as subjects`

/** Events that reverse a payment and are not settled yet. */
export const reversalsToSettle = (db: Db, { rail, payment }: { rail: string; payment: string }): Promise<unknown[]> =>
  db.sql`
    select id from rail_events where rail = ${rail} and payment = ${payment} and reverses
      and exists (select from jobs where kind = ${railEventReceived} and key = rail_events.id::text)`

/** How much of an asset a rail says has left, by payments that it reverses and by payouts, and the books have yet. */
export const leftUnbooked = async (db: Db, { rail, asset }: { rail: string; asset: string }): Promise<bigint> => {
  const [row] = await db.sql<{ amount: bigint }>`
    with waiting as (
      select id from rail_events where rail = ${rail} and reverses
        and id in (select key::bigint from jobs where kind = ${railEventReceived})
      union
      select event.id from payouts join plans on plans.id = plan_id
      join rail_events as event on event.rail = plans.rail and event.reference = plan_key and event.kind = 'payout_settled'
      where payouts.state = 'planned' and plans.rail = ${rail})
    select coalesce(sum(amount), 0)::numeric(38, 0) as amount from rail_events join waiting using (id) where asset = ${asset}`
  return row?.amount ?? 0n
}

/**
 * The events of a payment that were not booked because the rail had withdrawn it when it was reported, and has given it back now: all,
 * since later ones may say that more has come. None where something of it is booked.
 */
export const unbookedDeposit = async (db: Db, { rail, payment, asset }: MatchedEvent): Promise<string[]> =>
  (
    await db.sql<{ id: bigint }>`
      select id from rail_events where rail = ${rail} and payment = ${payment} and asset = ${asset} and kind = 'deposit_final'
        and not exists (select 1 from deposits where deposits.rail = ${rail} and deposits.payment = ${payment})
      order by id`
  ).map(({ id }) => String(id))

/**
 * Locks the transactions that rail events are about, in the order of their ids: those whose instructions have the events'
 * references, and those whose deposits were reversed or disputed or whose payouts have come back.
 */
export const lockByRailEvents = (db: Atomic, ids: bigint[]): void =>
  db.send`
    select id from transactions where id in (
      select transaction_id from rail_events join deposit_instructions using (rail, reference)
        where rail_events.id = any(${ids})
      union all
      select transaction_id from rail_events as event
        join deposits on (reverses or dispute is not null or kind in ('deposit_final', 'reversal_withdrawn')) and deposits.rail = event.rail and deposits.payment = event.payment
        where event.id = any(${ids})
      union all
      select transaction_id from rail_events as event
        join plans on kind = 'payout_returned' and plans.rail = event.rail and plan_key = event.reference
        join payouts on payouts.plan_id = plans.id
        where event.id = any(${ids}))
    order by id for update`

/**
 * What the rails say of a transaction's money that is not booked yet. `arriving`: seen, and neither final nor reversed. `final`:
 * arrived, and to be booked. Derived from all events, in whatever order they came.
 */
export async function reportedMoney(db: Db, transactionId: bigint): Promise<{ arriving: boolean; final: boolean }> {
  const payments = await db.sql<{ isFinal: boolean }>`
    select bool_or(kind = 'deposit_final') as "isFinal"
    from deposit_instructions join rail_events using (rail, reference)
    where transaction_id = ${transactionId} and (kind in ('deposit_seen', 'deposit_final') or reverses)
      and rail_events.amount > 0 and exists (select 1 from assets where assets.id = rail_events.asset)
    group by rail, payment having not bool_or(reverses)`
  return { arriving: payments.some(({ isFinal }) => !isFinal), final: payments.some(({ isFinal }) => isFinal) }
}
