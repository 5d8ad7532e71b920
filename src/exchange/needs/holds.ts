import { reviewedOutcomes } from '../settlement/payer.ts'
import { causesOf, day, type Finding, hour, type NeedSource, orderOr, sameOrder, timesOf } from './need.ts'

/**
 * Orders on hold, from their last status change on, and those whose money is not final for long. Ended ones are not read. `{about}` is
 * why: what a colleague wrote, else what the status history says.
 */
export const heldOrders: NeedSource = {
  kind: 'hold',
  permission: 'orders.release',
  causes: {
    on_hold: { urgency: 'today', sentence: 'Order {order} is on hold. {about} Release it, or refund it.' },
    'on_hold review': {
      urgency: 'today',
      sentence: 'Order {order} is on hold for you to look at. {about} Release it, or refund it.',
    },
    'on_hold payer': {
      urgency: 'today',
      sentence:
        'Order {order} is on hold because someone else may have paid it. {about} Compare payer and customer. Release it, or refund it.',
    },
    'on_hold refund_pending': {
      urgency: 'today',
      afterMs: 2 * hour,
      sentence:
        'Order {order}: its refund has been on its way for longer than usual. If it lasts, tell the people who run the servers.',
    },
    'on_hold confirming': {
      urgency: 'today',
      afterMs: day,
      sentence:
        'Order {order}: its payment has not become final for a day. Look at it on its network; if it is final there, tell the people who run the servers.',
    },
    'waiting_for_deposit confirming': {
      urgency: 'today',
      afterMs: day,
      sentence:
        'Order {order}: its payment has not become final for a day. Look at it on its network; if it is final there, tell the people who run the servers.',
    },
    'on_hold kyc_required': {
      urgency: 'later',
      sentence: 'Order {order} waits for its customer to pass the identity check. If it takes long, write to them.',
    },
    'on_hold underpaid': {
      urgency: 'later',
      sentence:
        'Order {order}: too little was paid. Its customer can pay the rest, exchange what arrived or take a refund. If it takes long, write to them.',
    },
    'on_hold late': {
      urgency: 'later',
      sentence:
        'Order {order} was paid after its price had ended. Its customer can accept the current price or take a refund. If it takes long, write to them.',
    },
    'on_hold wrong_asset': {
      urgency: 'later',
      sentence:
        'Order {order} was paid in another currency. Its customer takes it back. If it takes long, write to them.',
    },
    'on_hold address_needed': {
      urgency: 'later',
      sentence:
        'Order {order} waits for its customer to say where the money should go. If it takes long, write to them.',
    },
  },
  page: orderOr('/console/orders'),
  identity: sameOrder,
  find: ({ db }, look) => db.sql<Finding>`
    with wanted as (
      select cause, split_part(cause, ' ', 1) as status, nullif(split_part(cause, ' ', 2), '') as details, before
      from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)),
    open as (
      select *, case when status_details = 'review' and exists (
          select from payer_checks as checked join deposits on deposits.id = deposit_id
          where checked.transaction_id = transactions.id and outcome = any(${reviewedOutcomes}::text[])
            and accepted_at is null and amount > exchanged + refunded + taken_back)
        then 'payer' else status_details end as details
      from transactions where status = 'on_hold'
      union all
      select *, status_details from transactions where status = 'waiting_for_deposit' and status_details = 'confirming')
    select wanted.cause, public_id::text as subject, entered.at as since, public_id as "order",
      coalesce('“' || held.reason || '”, says ' || held.by || '.', entered.reason) as about,
      from_asset as asset, case when from_amount > 0 then from_amount else expected_from end as amount, null as count
    from open as transactions
    join wanted on wanted.status = transactions.status and wanted.details is not distinct from (
      select exact.details from wanted as exact
      where exact.status = transactions.status and exact.details = transactions.details)
    cross join lateral (
      select at, reason, kind from status_history where transaction_id = transactions.id order by number desc limit 1) as entered
    left join lateral (
      select after ->> 'reason' as reason, coalesce(nullif(operators.name, ''), operators.email, 'the command line') as by
      from audit left join operators on actor = 'operator:' || operators.id
      where entered.kind = 'held' and subject = 'transaction:' || public_id and action = 'transaction.held'
      order by audit.id desc limit 1) as held on true
    where entered.at <= wanted.before
    order by entered.at, transactions.id limit ${look.limit}`,
}

/** Refunds that a person, or the customer, holds up. Those of money without an order are among the money in suspense. */
export const heldRefunds: NeedSource = {
  kind: 'hold',
  permission: 'orders.release',
  causes: {
    'refund held': {
      urgency: 'today',
      sentence: 'Order {order}: a colleague holds the refund of {amount}. Release the order, and it is sent.',
    },
    'refund failed': {
      urgency: 'now',
      sentence: 'Order {order}: {about} could not send back {amount}. Send the refund to another destination.',
    },
    'refund address_needed': {
      urgency: 'later',
      sentence:
        'Order {order} waits for its customer to say where {amount} should go back to. If it takes long, write to them.',
    },
  },
  page: orderOr('/console/money'),
  identity: sameOrder,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, coalesce(transactions.public_id, refunds.public_id)::text as subject, waits.since,
      transactions.public_id as "order", deposits.rail as about, refunds.asset, refunds.amount - cost as amount, null as count
    from refunds
    cross join lateral (
      select case when refunds.state <> 'ordered' then refunds.state else 'held' end as state,
        coalesce(held_at, ordered_at) as since) as waits
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = 'refund ' || waits.state and waits.since <= before
    join deposits on deposits.id = deposit_id
    join transactions on transactions.id = refunds.transaction_id
    where refunds.state in ('address_needed', 'failed') or refunds.state = 'ordered' and held_at is not null
    order by waits.since, refunds.id limit ${look.limit}`,
}
