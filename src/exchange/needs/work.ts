import { stuckJobs } from '../../platform/jobs/inspect.ts'
import { causesOf, type Finding, hour, minute, type NeedSource, orderOr, sameOrder, timesOf } from './need.ts'

const page = orderOr('/console/system#jobs')

/** Work that fails again and again, or that no process does. What an order waits for is a need of that order. */
export const jobs: NeedSource = {
  kind: 'job',
  permission: 'system.halt',
  causes: {
    failed: {
      urgency: 'today',
      sentence:
        'Work fails and is tried again by itself: {about}. Attempts so far: {count}. If it does not stop, tell the people who run the servers: they find the error on the page System.',
    },
    overdue: {
      urgency: 'now',
      sentence: 'Work is due and no server does it: {about}. Tell the people who run the servers.',
    },
  },
  page,
  identity: ({ order, subject }) =>
    order === null ? subject.replace(/^plan\.due (?=\d+$)/, 'payment ') : `order ${order}`,
  find: async ({ db, clock }, { limit }) => {
    const rows = await stuckJobs(db, clock, limit)
    const orders = await db.sql<{ subject: string; order: bigint }>`
      select wanted.kind || ' ' || wanted.key as subject, public_id as "order"
      from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ key }) => key)}::text[]) as wanted (kind, key)
      cross join lateral (select case when key ~ '^[0-9]{1,18}$' then key::bigint end as id) as named
      cross join lateral (
        select case wanted.kind
          when 'transaction.deadline' then id
          when 'payout.due' then (select transaction_id from payouts where payouts.id = named.id)
          when 'plan.due' then (select transaction_id from payouts where plan_id = named.id limit 1)
          when 'refund.due' then (select transaction_id from refunds where refunds.id = named.id)
        end as transaction_id) as owner
      join transactions on transactions.id = owner.transaction_id`
    const orderOf = new Map(orders.map(({ subject, order }) => [subject, order]))
    return rows.map(({ kind, key, attempts, runAt }): Finding => {
      const subject = `${kind} ${key}`
      const about = textOf[kind] ?? 'background work'
      const cause = attempts > 0 ? 'failed' : 'overdue'
      const order = orderOf.get(subject) ?? null
      return { cause, subject, since: runAt, order, about, asset: null, amount: null, count: attempts }
    })
  },
}

/** What each kind of job does, for a person. */
const textOf: Readonly<Record<string, string>> = {
  'fact.received': 'booking what a rail has reported',
  'bank_file.taken': 'comparing bookings with a statement',
  'payout.due': 'sending a payout',
  'plan.due': 'sending a payout',
  'capture.due': 'collecting a card payment',
  'refund.due': 'sending a refund',
  'transaction.deadline': 'ending an order whose time is over',
  'transaction.shared_token': 'taking over an identity check',
  'identity.review': 'reading an identity check',
  'customer.proven': 'reporting an identity check',
  'customer.standing_changed': 'continuing orders after an identity check',
  'payout_address.due': 'activating a payout address',
  'mail.due': 'sending e-mails',
  'need_mail.due': 'sending e-mails to operators',
  'question.reminder': 'reminding a customer',
  'endpoint.ended': 'ending a webhook endpoint',
  'endpoint.replay': 'sending webhooks again',
  'hedging.due': 'hedging the exposure',
  'hedge.due': 'following a hedge',
}

/** Longer than any order may be paid. A job ends each order at its deadline, and one that fails or waits is found at once. */
const longAgo = '10 days'

/** Orders that are so old that their time to pay must be over, and that have not ended. */
export const overdueOrders: NeedSource = {
  kind: 'job',
  permission: 'system.halt',
  causes: {
    deadline: {
      urgency: 'today',
      afterMs: minute,
      sentence:
        'Order {order}: its time to pay is over, and it has not been ended. Tell the people who run the servers.',
    },
  },
  page: orderOr('/console/orders'),
  identity: sameOrder,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, public_id::text as subject, expires_at as since, public_id as "order", null as about,
      from_asset as asset, expected_from as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    cross join partners
    cross join unnest(array['retail', 'b2b']) as kinds (kind)
    cross join unnest(array['new', 'waiting_for_customer', 'waiting_for_deposit']) as open (status)
    join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
      and transactions.status = open.status and transactions.created_at <= before - ${longAgo}::interval
      and status_details is null and expires_at <= before
    order by expires_at, transactions.id limit ${look.limit}`,
}

/** Deliveries to partners that no process makes, and repetitions that do not end. */
export const deliveries: NeedSource = {
  kind: 'job',
  permission: 'system.halt',
  causes: {
    untried: {
      urgency: 'now',
      afterMs: 5 * minute,
      sentence: 'No server delivers webhooks: {count} are due for {about}. Tell the people who run the servers.',
    },
    replay: {
      urgency: 'today',
      afterMs: hour,
      sentence: 'Sending events again to {about} does not come to its end. Tell the people who run the servers.',
    },
  },
  page,
  identity: ({ cause, subject }) => `${cause} ${subject}`,
  find: ({ db }, look) => db.sql<Finding>`
    with wanted as (
      select cause, before from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)),
    waiting as (
      select 'untried' as cause, webhook_endpoints.id, url, queued.due as since, queued.count
      from webhook_endpoints
      cross join lateral (
        select count(*)::integer as count, min(next_at) as due from (
          select next_at from webhook_queue
          where endpoint_id = webhook_endpoints.id and lease_until is null and next_at is not null
          order by next_at limit 1000) as first) as queued
      where status = 'active'
      union all
      select 'replay', webhook_replays.id, url, asked_at, queued from webhook_replays
      join webhook_endpoints on webhook_endpoints.id = endpoint_id where ended_at is null)
    select cause, id::text as subject, since, null as "order", substring(url from '^[a-z]+://[^/?#]+') as about, null as asset,
      null as amount, count
    from waiting join wanted using (cause) where since <= before
    order by since, id limit ${look.limit}`,
}

/** Committed events that have no place in the feed, as one. Those of older database transactions than the relay looks at have. */
export const unplacedEvents: NeedSource = {
  kind: 'job',
  permission: 'system.halt',
  causes: {
    unplaced: {
      urgency: 'now',
      afterMs: 2 * minute,
      sentence: '{count} events do not reach the feed of their partners. Tell the people who run the servers.',
    },
  },
  page,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, 'events' as subject, first.since, null as "order", null as about, null as asset, null as amount, first.count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    cross join (
      select min(at) as since, count(*)::integer as count from events
      where xid >= (select seen_below from event_relay) and not exists (select from event_feed where event_id = events.id))
      as first
    where first.since <= before limit ${look.limit}`,
}
