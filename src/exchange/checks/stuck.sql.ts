import { type Db, one } from '../../platform/db/sql.ts'

/** What is done for one transaction: rail events, payouts, plans, refunds and emails, by our ids of them. */
export const workFor = (
  db: Db,
  id: bigint,
): Promise<{ what: 'railEvent' | 'payout' | 'plan' | 'refund' | 'mail'; id: bigint }[]> =>
  db.sql`
    select 'railEvent' as what, rail_events.id from deposit_instructions join rail_events using (rail, reference) where transaction_id = ${id}
    union all select 'payout', id from payouts where transaction_id = ${id}
    union all select 'plan', plan_id from payouts where transaction_id = ${id} and plan_id is not null
    union all select 'refund', id from refunds where transaction_id = ${id}
    union all select 'mail', id from mails where transaction_id = ${id}`

/** What waits, in which state, and since when by the state's own clock. `amount` in the smallest unit of `asset`. */
export type WaitingRow = {
  state: string
  id: string
  public_id: bigint | null
  since: Date
  about: string | null
  asset: string | null
  amount: bigint | null
  count: number | null
}

/** For each state the time since before which something must have waited to be found, and how many rows are wanted. */
export type Before = { before: [state: string, at: Date][]; limit: number }

const states = ({ before }: Before) => before.map(([state]) => state)
const times = ({ before }: Before) => before.map(([, at]) => at.toISOString())

/**
 * Transactions by their status, and what they wait for behind it. Ended ones are not read: each partner's are found by the
 * index of their status.
 */
export const transactions = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    with wanted as (
      select state, split_part(state, ' ', 1) as status, nullif(split_part(state, ' ', 2), '') as details, before
      from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before))
    select wanted.state, public_id::text as id, public_id, waits.since, waits.about, null as asset, null as amount, null as count
    from (select distinct status from wanted) as open
    cross join partners
    cross join unnest(array['retail', 'b2b']) as kinds (kind)
    join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
      and transactions.status = open.status
    join wanted on wanted.status = transactions.status and wanted.details is not distinct from (
      select details from wanted as exact where exact.status = transactions.status and details = status_details)
    cross join lateral (
      select at from status_history where transaction_id = transactions.id order by number desc limit 1) as entered
    left join lateral (
      select payouts.rail from payouts where transaction_id = transactions.id order by payouts.id desc limit 1) as payout on true
    cross join lateral (
      select case when is_open then expires_at else entered.at end as since,
        case when is_open then to_json(expires_at) #>> '{}' else coalesce(payout.rail, 'a rail') end as about
      from (select wanted.details is null and wanted.status in ('new', 'waiting_for_customer', 'waiting_for_deposit') as is_open)
        as question) as waits
    where waits.since < wanted.before
    order by waits.since, transactions.id limit ${asked.limit}`

/** Payouts that are not planned, whatever they pay. What they wait for is what lacks: the chain's coin where only that does. */
export const payouts = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select payouts.state, payouts.id::text as id, public_id, ordered_at as since,
      case payouts.state when 'waiting' then payouts.place else rail end as about,
      case when lacks_fee then fee_asset else payouts.asset end as asset,
      case when lacks_fee then most_fee else payouts.amount + case when fee_asset = payouts.asset then most_fee else 0 end end as amount,
      null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join payouts on payouts.state = wanted.state and ordered_at < before
    cross join lateral (
      select payouts.state = 'waiting' and fee_asset <> payouts.asset
        and exists (select 1 from reserves as own where own.place = payouts.place and own.asset = payouts.asset
          and own.covered - own.reserved >= payouts.amount)
        and not exists (select 1 from reserves as coins where coins.place = payouts.place and coins.asset = fee_asset
          and coins.covered - coins.reserved >= most_fee) as lacks_fee) as short
    left join transactions on transactions.id = transaction_id
    order by ordered_at, payouts.id limit ${asked.limit}`

/** Plans that have no end. */
export const plans = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select plans.state, plans.id::text as id, public_id, planned_at as since, plans.rail as about, asset, amount, null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join plans on plans.state = wanted.state and planned_at < before
    left join payouts on plan_id = plans.id
    left join transactions on transactions.id = transaction_id
    order by planned_at, plans.id limit ${asked.limit}`

/** Refunds that have no end. */
export const refunds = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select wanted.state, refunds.public_id::text as id, transactions.public_id, waits.since, deposits.rail as about,
      refunds.asset, refunds.amount - cost as amount, null as count
    from refunds
    cross join lateral (
      select min(approval_asked_at) as at from payouts
      where refund_id = refunds.id and payouts.state in ('waiting', 'reserved')) as asked
    cross join lateral (
      select case when refunds.state <> 'ordered' then refunds.state when held_at is not null then 'held'
          when asked.at is not null then 'unapproved' else 'ordered' end as state,
        coalesce(case when refunds.state = 'ordered' then coalesce(held_at, asked.at) end, ordered_at) as since) as waits
    join unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
      on wanted.state = waits.state and waits.since < before
    join deposits on deposits.id = deposit_id
    left join transactions on transactions.id = refunds.transaction_id
    where refunds.state in ('ordered', 'address_needed', 'sent', 'failed')
    order by waits.since, refunds.id limit ${asked.limit}`

/** Money that belongs to no transaction and is not on its way back. */
export const deposits = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select wanted.state, deposits.id::text as id, public_id, deposits.at as since, rail as about, asset, amount, null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join deposits on deposits.at < before and transaction_id is null and exchanged + refunded + taken_back < amount
    left join transactions on transactions.id = transaction_id
    order by deposits.at, deposits.id limit ${asked.limit}`

/** Rails on which nothing is credited. */
export const rails = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select wanted.state, name as id, null as public_id, since, reason as about, null as asset, null as amount, null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join halts on scope = 'crediting' and since < before
    order by since, name limit ${asked.limit}`

/** Hedges whose outcome is not known. Sent in real time, which business time is never behind. */
export const hedges = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select state, id::text as id, null as public_id, sent_at as since, venue as about, base as asset, amount, null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join hedges using (state) where sent_at < before
    order by sent_at, id limit ${asked.limit}`

/** What operators have halted. */
export const halts = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select wanted.state, case name when '' then scope else name end as id, null as public_id, since, reason as about,
      null as asset, null as amount, null as count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    join halts on scope = wanted.state and since < before
    order by since, scope, name limit ${asked.limit}`

/**
 * Endpoints with something to deliver that nobody tries, those that have taken nothing since a time, and repetitions that do not end. The queue holds what is not delivered, and nothing else.
 */
export const webhooks = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    with wanted as (
      select state, before from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)),
    queued as (
      select endpoint_id, count(*)::integer as count, min(next_at) filter (where lease_until is null) as due
      from webhook_queue group by endpoint_id),
    waiting as (
      select case status when 'active' then 'untried' else status end as state, id, url,
        case status when 'active' then due else failing_since end as since, coalesce(queued.count, 0) as count
      from webhook_endpoints left join queued on endpoint_id = id where status in ('active', 'failing')
      union all
      select 'replay', webhook_replays.id, url, asked_at, queued from webhook_replays
      join webhook_endpoints on webhook_endpoints.id = endpoint_id where ended_at is null)
    select state, id::text, null as public_id, since, substring(url from '^[a-z]+://[^/?#]+') as about, null as asset,
      null as amount, count
    from waiting join wanted using (state) where since < before
    order by since, id limit ${asked.limit}`

/** Committed events that have no place in the feed, as one. Those of older database transactions than the relay looks at have. */
export const events = (db: Db, asked: Before): Promise<WaitingRow[]> =>
  db.sql`
    select wanted.state, first.id::text as id, null as public_id, first.since, null as about, null as asset, null as amount,
      first.count
    from unnest(${states(asked)}::text[], ${times(asked)}::timestamptz[]) as wanted (state, before)
    cross join (
      select min(id) as id, min(at) as since, count(*)::integer as count from events
      where xid >= (select seen_below from event_relay) and not exists (select from event_feed where event_id = events.id))
      as first
    where first.since < before limit ${asked.limit}`

/** How much is under way now, whether or not it is late. */
export type UnderWay = { jobs: number; jobs_failed: number; undelivered: number; suspense: number; halted: number }

/** Counts what is under way, all but the transactions. */
export const underWay = async (db: Db): Promise<UnderWay> =>
  one(
    await db.sql<UnderWay>`
      select (select count(*)::integer from jobs) as jobs,
        (select count(*)::integer from jobs where attempts > 0) as jobs_failed,
        (select count(*)::integer from webhook_queue) as undelivered,
        (select count(*)::integer from deposits where transaction_id is null
          and exchanged + refunded + taken_back < amount) as suspense,
        (select count(distinct name)::integer from halts where scope in ('rail', 'crediting')) as halted`,
  )

/** Counts transactions by status, without empty statuses. */
export const countByStatus = (db: Db, statuses: string[]): Promise<{ status: string; count: number }[]> =>
  db.sql`
    select transactions.status, count(*)::integer as count from unnest(${statuses}::text[]) as wanted (status)
    cross join partners
    cross join unnest(array['retail', 'b2b']) as kinds (kind)
    join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
      and transactions.status = wanted.status
    group by transactions.status`
