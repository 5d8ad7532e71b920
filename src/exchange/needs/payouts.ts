import type { Db } from '../../platform/db/sql.ts'
import { showPayout } from '../settlement/end-payout.ts'
import { scoreText } from '../settlement/payer.ts'
import {
  causesOf,
  type Finding,
  hour,
  type Look,
  minute,
  type NeedSource,
  orderOr,
  sameOrder,
  timesOf,
} from './need.ts'

const samePayment = ({ order, subject }: Finding): string => (order === null ? `payment ${subject}` : `order ${order}`)

const look = 'It may have been paid: ask those who can look at the rail before you do anything else.'
const lasting = 'If that lasts, tell the people who run the servers.'

/** Orders whose payout does not come to its end, from their last status change on. */
export const lateOrders: NeedSource = {
  kind: 'unknown_payout',
  permission: 'orders.hold',
  causes: {
    'sending payout_unknown': {
      urgency: 'now',
      sentence: `Order {order}: {about} does not say whether it has paid {amount}. ${look}`,
    },
    exchanging: {
      urgency: 'today',
      afterMs: 5 * minute,
      sentence: `Order {order} is exchanged, and its payout of {amount} through {about} has not been sent yet. ${lasting}`,
    },
    sending: {
      urgency: 'today',
      afterMs: 30 * minute,
      sentence: `Order {order}: {about} has not confirmed the payout of {amount} yet. ${look}`,
    },
  },
  page: orderOr('/console/orders'),
  identity: sameOrder,
  find: ({ db }, asked) => db.sql<Finding>`
    with wanted as (
      select cause, split_part(cause, ' ', 1) as status, nullif(split_part(cause, ' ', 2), '') as details, before
      from unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before))
    select wanted.cause, public_id::text as subject, entered.at as since, public_id as "order", payout.rail as about,
      coalesce(payout.asset, to_asset) as asset, coalesce(payout.amount, expected_to) as amount, null as count
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
      select rail, asset, amount, state from payouts where transaction_id = transactions.id order by payouts.id desc limit 1)
      as payout on true
    where entered.at <= wanted.before and payout.state is distinct from 'waiting'
    order by entered.at, transactions.id limit ${asked.limit}`,
}

/** Prepared payments of orders and refunds that have no end. */
export const latePayments: NeedSource = {
  kind: 'unknown_payout',
  permission: 'orders.hold',
  causes: {
    unknown: {
      urgency: 'now',
      sentence: `{about} does not say whether it has paid {amount}. ${look}`,
    },
    submitted: {
      urgency: 'today',
      afterMs: 30 * minute,
      sentence: `{about} has not confirmed that it has paid {amount}. ${look}`,
    },
    planned: {
      urgency: 'today',
      afterMs: 10 * minute,
      sentence: `{about} has not taken a payment of {amount} yet. ${lasting}`,
    },
  },
  page: orderOr('/console/money'),
  identity: samePayment,
  find: ({ db }, asked) => db.sql<Finding>`
    with open as (
      select payouts.*, transactions.public_id from partners
      cross join unnest(array['retail', 'b2b']) as kinds (kind)
      join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
        and transactions.status = 'sending'
      join payouts on transaction_id = transactions.id
      union
      select payouts.*, transactions.public_id from (select id, transaction_id from refunds where state = 'sent') as refunds
      join payouts on refund_id = refunds.id
      left join transactions on transactions.id = refunds.transaction_id)
    select wanted.cause, plans.id::text as subject, coalesce(unknown_since, planned_at) as since, public_id as "order",
      plans.rail as about, asset, amount, null as count
    from open
    join plans on plans.id = plan_id
    join unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before)
      on plans.state = wanted.cause and planned_at <= before
    order by planned_at, plans.id limit ${asked.limit}`,
}

/** Payments to accounts that other people hold, as their banks say: our bank waits for a person. */
export const otherPayees: NeedSource = {
  kind: 'unknown_payout',
  permission: 'orders.hold',
  causes: {
    'payee close': {
      urgency: 'now',
      sentence:
        '{about} has a similar name for the account that gets {amount}. Ask those who sign at the bank to confirm it there, or to refuse it.',
    },
    'payee none': {
      urgency: 'now',
      sentence:
        '{about} has another name for the account that gets {amount}. Ask those who sign at the bank to refuse it, unless you know better.',
    },
  },
  page: orderOr('/console/money'),
  identity: samePayment,
  find: async (ctx, asked) => {
    const found = await paymentsToOthers(ctx.db, asked)
    return Promise.all(
      found.map(async ({ payoutId, about, ...finding }) => {
        const score = (await showPayout(ctx, payoutId)).payee?.score ?? null
        const likeness = score === null ? '' : ` (likeness to the customer’s name: ${scoreText(score)})`
        return { ...finding, about: `${about}${likeness}` }
      }),
    )
  },
}

/** Payments that may have left before the database was restored: nothing orders them again. */
export const unsurePayments: NeedSource = {
  kind: 'unknown_payout',
  permission: 'payouts.approve',
  causes: {
    'payout unsure': {
      urgency: 'today',
      sentence:
        'The exchange was restored, and {about} may have paid {amount} before: it is not ordered again. Look for it in the statements; if later ones lack it, two of you can end it.',
    },
  },
  page: orderOr('/console/money'),
  identity: samePayment,
  find: ({ db }, asked) => db.sql<Finding>`
    select wanted.cause, plans.id::text as subject, unsure_since as since, public_id as "order", plans.rail as about, payouts.asset,
      payouts.amount, null as count
    from iso20022_payments as payment
    join unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before) on unsure_since <= before
    join plans on plans.rail = payment.rail and plan_key = payment.key
    join payouts on payouts.plan_id = plans.id
    left join transactions on transactions.id = payouts.transaction_id
    where unsure_since is not null and payment.state = 'sent'
    order by unsure_since, plans.id limit ${asked.limit}`,
}

const paymentsToOthers = (db: Db, asked: Look): Promise<(Finding & { payoutId: bigint })[]> =>
  db.sql`
    select wanted.cause, plans.id::text as subject, submitted_at as since, public_id as "order", plans.rail as about,
      payouts.asset, payouts.amount, null as count, payouts.id as "payoutId"
    from iso20022_payments as payment
    join unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = 'payee ' || payee_match and submitted_at <= before
    join plans on plans.rail = payment.rail and plan_key = payment.key
    join payouts on payouts.plan_id = plans.id
    left join transactions on transactions.id = payouts.transaction_id
    where payee_match in ('close', 'none') and payment.state = 'sent'
    order by submitted_at, plans.id limit ${asked.limit}`

/** Refunds that are not sent, or not confirmed. */
export const lateRefunds: NeedSource = {
  kind: 'unknown_payout',
  permission: 'orders.hold',
  causes: {
    'refund ordered': {
      urgency: 'today',
      afterMs: 30 * minute,
      sentence: `A refund of {amount} by {about} has not been sent yet. ${lasting}`,
    },
    'refund sent': {
      urgency: 'today',
      afterMs: 2 * hour,
      sentence: `{about} has not confirmed that it has paid back {amount}. ${look}`,
    },
  },
  page: orderOr('/console/money'),
  identity: ({ order, cause, subject }) => (order === null ? `${cause} ${subject}` : `order ${order}`),
  find: ({ db }, asked) => db.sql<Finding>`
    select wanted.cause, refunds.public_id::text as subject, ordered_at as since, transactions.public_id as "order",
      deposits.rail as about, refunds.asset, refunds.amount - cost as amount, null as count
    from refunds
    join unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = 'refund ' || refunds.state and ordered_at <= before
    join deposits on deposits.id = deposit_id
    left join transactions on transactions.id = refunds.transaction_id
    where refunds.state in ('ordered', 'sent') and held_at is null
    order by ordered_at, refunds.id limit ${asked.limit}`,
}

/** Payouts that the signer has refused, as their rails have noted. */
export const signerRefusals: NeedSource = {
  kind: 'signer_refusal',
  permission: 'payouts.approve',
  causes: {
    refused: {
      urgency: 'now',
      sentence:
        'The signer refuses to sign a payout of {amount}. {about} Ask those who run the signer to allow it, or end the payout.',
    },
  },
  page: orderOr('/console/money'),
  identity: samePayment,
  find: ({ db, rails }, asked) => db.sql<Finding>`
    with refused as (
      select plans.id, message from chain_refusals
      join plans on plans.rail = any(${rails.all.map(({ name }) => name)}::text[]) and plans.plan_key = chain_refusals.plan_key)
    select distinct on (planned_at, plans.id) wanted.cause, plans.id::text as subject, planned_at as since, public_id as "order",
      message as about, asset, amount, null as count
    from unnest(${causesOf(asked)}::text[], ${timesOf(asked)}::timestamptz[]) as wanted (cause, before)
    join refused on true
    join plans on plans.id = refused.id and planned_at <= before and plans.state in ('planned', 'submitted', 'unknown')
    left join payouts on plan_id = plans.id
    left join transactions on transactions.id = transaction_id
    order by planned_at, plans.id limit ${asked.limit}`,
}
