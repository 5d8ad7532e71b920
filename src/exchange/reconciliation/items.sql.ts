import type { Db } from '../../platform/db/sql.ts'
import { held } from '../ledger/account.ts'

/**
 * One payment of a rail, as both sides know it. `in`: the rail's id of a payment to us, with its reversals. `out`: the key of a
 * prepared payment of ours, with its return.
 */
export type ItemKey = { rail: string; direction: 'in' | 'out'; key: string }

/** What a side has of one payment in one asset; below zero for what left. `at`: its first and its last booking. */
export type Item = ItemKey & { asset: string; amount: bigint; first: Date; last: Date }

/** The payments whose bookings at a custody account lie in a period of business time. */
export const keysBooked = (
  db: Db,
  { place, since, until }: { place: string; since: Date; until: Date },
): Promise<ItemKey[]> =>
  db.sql`
    with booked as (
      select distinct kind, ref from entries join postings on entry_id = entries.id
      where at >= ${since} and at < ${until} and ('held:' || ${place}::text) in (debit, credit))
    select deposits.rail, 'in' as direction, coalesce(deposits.payment, event.payment) as key
    from booked
    left join deposit_reversals as reversal on booked.kind = 'deposit_reversed' and reversal.id = booked.ref
    left join deposit_reinstatements as given on booked.kind = 'deposit_reinstated' and given.id = booked.ref
    left join deposit_rests as rest on booked.kind = 'deposit' and rest.id = booked.ref
    join deposits on deposits.id = coalesce(reversal.deposit_id, given.deposit_id, rest.deposit_id, booked.ref)
    join rail_events as event on event.id = deposits.event_id
    where booked.kind in ('deposit', 'deposit_reversed', 'deposit_reinstated')
    union
    select own_money.rail, 'in', own_money.payment from booked
    left join own_money_reversals as back on back.id = booked.ref
    join own_money on own_money.id = coalesce(back.own_money_id, booked.ref) where booked.kind = 'own_money' and deposit_id is null
    union
    select plans.rail, 'out', plan_key from booked
    join payouts on payouts.id = booked.ref join plans on plans.id = payouts.plan_id
    where booked.kind in ('payout_settled', 'payout_returned', 'payout_return_withdrawn')`

/** Everything that is booked at a custody account about some payments, one row a payment and asset. */
export const itemsBooked = (db: Db, place: string, keys: readonly ItemKey[]): Promise<Item[]> =>
  db.sql`
    with wanted as (
      select * from unnest(${keys.map(({ rail }) => rail)}::text[], ${keys.map(({ direction }) => direction)}::text[],
        ${keys.map(({ key }) => key)}::text[]) as wanted (rail, direction, key)),
    taken as (
      select wanted.*, deposits.id as deposit_id, deposits.transaction_id
      from wanted join deposits on deposits.rail = wanted.rail and deposits.payment = wanted.key
      where direction = 'in'),
    paid as (
      select wanted.*, payouts.id as payout_id, payouts.transaction_id
      from wanted join plans on plans.rail = wanted.rail and plan_key = wanted.key
      join payouts on payouts.plan_id = plans.id
      where direction = 'out'),
    booked as (
      select rail, direction, key, transaction_id, 'deposit' as kind, deposit_id as ref from taken
      union all
      select rail, direction, key, taken.transaction_id, 'deposit', rest.id from taken join deposit_rests as rest using (deposit_id)
      union all
      select rail, direction, key, transaction_id, 'deposit_reversed', reversal.id
      from taken join deposit_reversals as reversal using (deposit_id)
      union all
      select rail, direction, key, transaction_id, 'deposit_reinstated', given.id
      from taken join deposit_reinstatements as given using (deposit_id)
      union all
      select wanted.rail, wanted.direction, key, null, 'own_money', own.id
      from wanted join own_money on own_money.rail = wanted.rail and own_money.payment = wanted.key
      cross join lateral (
        select own_money.id union all
        select back.id from own_money_reversals as back where back.own_money_id = own_money.id) as own
      where wanted.direction = 'in' and deposit_id is null
      union all
      select rail, direction, key, transaction_id, kind, payout_id
      from paid cross join (values ('payout_settled'), ('payout_returned'), ('payout_return_withdrawn')) as kinds (kind)),
    stored as (
      select rail, direction, key, entries.id, at from booked
      join entries on entries.transaction_id = booked.transaction_id and entries.kind = booked.kind and entries.ref = booked.ref
      union all
      -- What was in suspense when it was booked.
      select rail, direction, key, entries.id, at from booked
      join entries on entries.transaction_id is null and entries.kind = booked.kind and entries.ref = booked.ref)
    select rail, direction, key, asset,
      sum(case when debit = 'held:' || ${place}::text then amount else -amount end)::numeric(38, 0) as amount,
      min(at) as first, max(at) as last
    from stored join postings on entry_id = stored.id
    where ('held:' || ${place}::text) in (debit, credit)
    group by rail, direction, key, asset`

/** How far our side is with payments: whether the rail reported them, and the states of their prepared payments. */
export type Progress = ItemKey & {
  isReported: boolean
  state: 'planned' | 'submitted' | 'unknown' | 'done' | 'never' | null
}

/** Reads how far our side is with payments. */
export const progressOf = (db: Db, keys: readonly (ItemKey & { reference: string })[]): Promise<Progress[]> =>
  db.sql`
    select wanted.rail, direction, key, plans.state, direction = 'in' and exists (
        select 1 from rail_events as event
        where event.rail = wanted.rail and event.reference = wanted.reference and event.payment = wanted.key) as "isReported"
    from unnest(${keys.map(({ rail }) => rail)}::text[], ${keys.map(({ direction }) => direction)}::text[],
      ${keys.map(({ key }) => key)}::text[], ${keys.map(({ reference }) => reference)}::text[]
    ) as wanted (rail, direction, key, reference)
    left join plans on direction = 'out' and plans.rail = wanted.rail and plan_key = wanted.key`

/** Which of a rail's references are keys of prepared payments of ours. */
export const planKeys = (db: Db, rail: string, references: readonly string[]): Promise<{ plan_key: string }[]> =>
  db.sql`select plan_key from plans where rail = ${rail} and plan_key = any(${[...references]}::text[])`

/** What moves at a custody account and is not booked yet. */
export type Moving = { asset: string; incoming: bigint; outgoing: bigint }

/**
 * What moves at a custody account and is not booked yet, by asset. `incoming`: payments that its rails have seen since a time, neither
 * booked, reversed nor declined. `outgoing`: the most that payments under way may have taken, fees included.
 */
export const movingAt = (
  db: Db,
  { place, rails, since }: { place: string; rails: readonly string[]; since: Date },
): Promise<Moving[]> =>
  db.sql`
    with arrivals as (
      select distinct on (rail, payment) asset, amount from rail_events as seen
      where rail = any(${[...rails]}::text[]) and kind = 'deposit_seen' and received_at > ${since}
        and exists (select 1 from assets where id = asset)
        and not exists (select 1 from deposits where deposits.rail = seen.rail and deposits.payment = seen.payment)
        and not exists (
          select 1 from rail_events as ending where ending.rail = seen.rail and ending.reference = seen.reference
            and ending.payment = seen.payment and (ending.reverses or ending.kind = 'deposit_declined'))
      order by rail, payment, id desc),
    parts as (
      select asset, amount as incoming, 0::numeric as outgoing from arrivals
      union all
      select part.asset, 0, part.amount from payouts
      cross join lateral (values (payouts.asset, payouts.amount), (fee_asset, most_fee)) as part (asset, amount)
      where place = ${place} and state = 'planned' and part.asset is not null)
    select asset, sum(incoming)::numeric(38, 0) as incoming, sum(outgoing)::numeric(38, 0) as outgoing from parts group by asset`

/**
 * A transfer between custody accounts, as it is booked at one of them, in one asset. `amount` and `fee` (what sending it took) are
 * below zero for what left.
 */
export type BookedTransfer = { reference: string; asset: string; amount: bigint; fee: bigint; at: Date }

/** Transfers between custody accounts that are booked at one of them in a period of business time, one row an asset. */
export const transfersBooked = (
  db: Db,
  { place, since, until }: { place: string; since: Date; until: Date },
): Promise<BookedTransfer[]> =>
  db.sql`
    select reference, postings.asset, at,
      coalesce(sum(change) filter (where 'transit' in (debit, credit)), 0)::numeric(38, 0) as amount,
      coalesce(sum(change) filter (where 'transit' not in (debit, credit)), 0)::numeric(38, 0) as fee
    from entries join rebalances on rebalances.id = ref join postings on entry_id = entries.id
    cross join lateral (select case debit when ${held(place)} then postings.amount else -postings.amount end as change) as booked
    where entries.transaction_id is null and kind in ('transfer_sent', 'transfer_received')
      and at >= ${since} and at < ${until} and ${held(place)} in (debit, credit)
    group by entries.id, reference, postings.asset, at`
