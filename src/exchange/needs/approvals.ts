import { approvalsOfKinds } from '../approvals/approvals.sql.ts'
import type { ContentKind } from '../approvals/content.ts'
import { isGenuine } from '../approvals/stamp.ts'
import type { Ctx } from '../context.ts'
import { listKeys, whyNotCountersigned } from '../operators/operator-keys.ts'
import { type AskedResume, askedResumes } from '../settlement/halts.ts'
import { assetText } from './asset-text.ts'
import { causesOf, type Finding, type NeedSource, orderOr, sameOrder, timesOf } from './need.ts'

/** Payouts and refunds above the limit of the policy `approvals`. */
export const payoutApprovals: NeedSource = {
  kind: 'approval',
  permission: 'payouts.approve',
  causes: {
    payout: {
      urgency: 'now',
      sentence: 'A payout of {amount} waits for approval by two operators. Compare it with the order, then approve it.',
    },
    refund: {
      urgency: 'now',
      sentence: 'A refund of {amount} waits for approval by two operators. Compare it with the order, then approve it.',
    },
  },
  page: () => '/console/money#approvals',
  identity: sameOrder,
  find: ({ db }, look) => db.sql<Finding>`
    with held as (
      select payouts.*, transactions.public_id from transactions join payouts on transaction_id = transactions.id and purpose = 'payout'
      where transactions.status = 'on_hold'
      union
      select payouts.*, transactions.public_id from refunds join payouts on refund_id = refunds.id
      left join transactions on transactions.id = refunds.transaction_id
      where refunds.state = 'ordered' and approval_asked_at is not null)
    select wanted.cause, held.id::text as subject, coalesce(approval_asked_at, ordered_at) as since, public_id as "order",
      null as about, asset, amount, null as count
    from held
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = purpose and ordered_at <= before
    join payout_waits on payout_waits.id = held.id and payout_waits.waits
    order by held.id limit ${look.limit}`,
}

/** Versions of policies that were proposed and are neither approved nor rejected. */
export const policyApprovals: NeedSource = {
  kind: 'approval',
  permission: 'policies.approve',
  causes: {
    policy: {
      urgency: 'today',
      sentence: 'A change of the policy {about} Another operator must approve or reject it.',
    },
  },
  page: ({ subject }) => `/console/prices/${subject.split(' ')[0] ?? ''}`,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, kind || ' ' || version as subject, proposed_at as since, null as "order",
      '“' || kind || '” is proposed by ' || coalesce(nullif(operators.name, ''), operators.email, 'the command line')
        || ': “' || reason || '”.' as about,
      null as asset, null as amount, null as count
    from policies
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before) on proposed_at <= before
    left join operators on author = 'operator:' || operators.id
    where approved_at is null and rejected_at is null
    order by proposed_at, policies.id limit ${look.limit}`,
}

/** Hedges, and transfers between our own accounts, that wait for operators. */
export const treasuryApprovals: NeedSource = {
  kind: 'approval',
  permission: 'payouts.approve',
  causes: {
    hedge: {
      urgency: 'now',
      sentence:
        'A hedge at {about} over {amount} waits for approval. Approve or cancel it; until then we bear the price of this amount.',
    },
    rebalance: {
      urgency: 'today',
      sentence: 'A transfer of {amount} from {about} waits for approval. Approve or cancel it.',
    },
  },
  page: () => '/console/money',
  identity: ({ cause, subject }) => `${cause} ${subject}`,
  find: ({ db }, look) => db.sql<Finding>`
    with wanted as (
      select cause, before from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)),
    proposed as (
      select 'hedge' as cause, id::text as subject, proposed_at as since, venue as about, base as asset, amount
      from hedges where state = 'proposed'
      union all
      select 'rebalance', id::text, proposed_at, source || ' to ' || account, asset, amount
      from rebalances where state = 'proposed')
    select cause, subject, since, null as "order", about, asset, amount, null as count
    from proposed join wanted using (cause) where since <= before
    order by since, subject limit ${look.limit}`,
}

/** Halts that one operator wants to end: another one must, too. */
export const resumeApprovals: NeedSource = {
  kind: 'approval',
  permission: 'system.halt',
  causes: {
    resume: {
      urgency: 'now',
      sentence: '{about} Another operator must agree before it continues.',
    },
  },
  page: () => '/console/system',
  identity: ({ subject }) => `rail ${subject}`,
  find: async (ctx, look) => {
    const asked = await askedResumes(ctx)
    return ctx.db.sql<Finding>`
    select wanted.cause, asked.subject, asked.at as since, null as "order",
      coalesce(nullif(operators.name, ''), operators.email, asked.by) || ' wants to resume ' || what || '.' as about,
      null as asset, null as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join unnest(${asked.map(({ scope, name }) => name || scope)}::text[], ${asked.map(whatResumes)}::text[],
      ${asked.map(({ by }) => by)}::text[], ${asked.map(({ at }) => at.toISOString())}::timestamptz[]) as asked (subject, what, by, at)
      on asked.at <= before
    left join operators on asked.by = 'operator:' || operators.id
    order by asked.at, asked.subject limit ${look.limit}`
  },
}

const whatResumes = ({ scope, name }: AskedResume): string =>
  scope === 'all' ? 'everything' : scope === 'asset' ? assetText(name) : name || scope

/** The approvals of a kind that we wrote: a row that somebody with the database's role has added counts for nothing. */
async function givenOf({ db, secrets }: Ctx, kind: ContentKind): Promise<{ subjects: string[]; times: string[] }> {
  const rows = (await approvalsOfKinds(db, [kind])).filter((row) => isGenuine(secrets, row))
  return { subjects: rows.map(({ subject }) => subject), times: rows.map(({ at }) => at.toISOString()) }
}

/** Prepared payments that one operator wants to end: another one must, too. */
export const endApprovals: NeedSource = {
  kind: 'approval',
  permission: 'payouts.approve',
  causes: {
    'payment end': {
      urgency: 'today',
      sentence:
        'A colleague wants to end a payment of {amount} by {about} that can not be carried out any more, or says that the bank has paid it. Look at it, then agree.',
    },
  },
  page: orderOr('/console/money#payments'),
  // In addition to the order's own need: a row of the database's role must not hide it.
  identity: ({ subject }) => `payment end ${subject}`,
  find: async (ctx, look) => {
    const given = await givenOf(ctx, 'payout_end')
    return ctx.db.sql<Finding>`
    select wanted.cause, plan_id::text as subject, min(at) as since, public_id as "order", payouts.rail as about, payouts.asset,
      payouts.amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join unnest(${given.subjects}::text[], ${given.times}::timestamptz[]) as given (subject, at) on at <= before
    join payouts on payouts.id::text = subject and payouts.state = 'planned'
    left join transactions on transactions.id = transaction_id
    group by wanted.cause, payouts.id, public_id
    order by min(at), payouts.id limit ${look.limit}`
  },
}

/** Files of banks that one operator has accepted: another one must, too. */
export const fileApprovals: NeedSource = {
  kind: 'approval',
  permission: 'money.resolve',
  causes: {
    'bank file': {
      urgency: 'today',
      sentence: 'A colleague accepts a file of the bank that was refused: {about} Look at it, then agree.',
    },
  },
  page: () => '/console/money#bank',
  identity: ({ subject }) => `refused ${subject}`,
  find: async (ctx, look) => {
    const given = await givenOf(ctx, 'bank_file')
    return ctx.db.sql<Finding>`
    select wanted.cause, file.rail || ' ' || name as subject, min(at) as since, null as "order",
      coalesce(min(file.reason), min(part.why), '') as about, null as asset, null as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join unnest(${given.subjects}::text[], ${given.times}::timestamptz[]) as given (subject, at) on at <= before
    join iso20022_files as file on file.id::text = subject and cleared_at is null and file.wanted is distinct from 'accept'
    left join iso20022_parts as part on part.file_id = file.id and part.state = 'refused'
    where file.state = 'refused' or part.file_id is not null
    group by wanted.cause, file.id
    order by min(at), file.id limit ${look.limit}`
  },
}

/** Bookings that one operator withdraws, because their statements do not have them, or adds for lost ones: another one must, too. */
export const bookingApprovals: NeedSource = {
  kind: 'approval',
  permission: 'money.resolve',
  causes: {
    'bank booking': {
      urgency: 'today',
      sentence:
        'A colleague wants to withdraw a booking of {amount} that {about} reported, or to book what lies between two statements. Look at it, then agree.',
    },
  },
  page: () => '/console/money#breaks',
  identity: ({ subject }) => `break ${subject}`,
  find: async (ctx, look) => {
    const given = await givenOf(ctx, 'bank_booking')
    return ctx.db.sql<Finding>`
    select wanted.cause, breaks.id::text as subject, min(at) as since, null as "order", account as about, asset, abs(amount) as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join unnest(${given.subjects}::text[], ${given.times}::timestamptz[]) as given (subject, at) on at <= before
    join breaks on breaks.id::text = subject and breaks.state = 'open'
    group by wanted.cause, breaks.id
    order by min(at), breaks.id limit ${look.limit}`
  },
}

/** Addresses that B2B transactions are to pay out to, of partners whose account asks for an operator's approval. */
export const addressApprovals: NeedSource = {
  kind: 'approval',
  permission: 'partners.manage',
  causes: {
    'payout address': {
      urgency: 'today',
      sentence:
        '{about} wants to be paid at a new address. Ask somebody there whether it is theirs, then approve or reject it.',
    },
  },
  page: ({ subject }) => `/console/partners/${subject.split(' ')[0] ?? ''}`,
  identity: ({ subject }) => `address ${subject}`,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, partner_id || ' ' || address.id as subject, address.created_at as since, null as "order",
      partners.name as about, null as asset, null as amount, null as count
    from payout_addresses as address
    join partners on partners.id = partner_id and partners.disabled_at is null
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      on address.created_at <= before
    where address.status = 'pending_review' and needs_approval and approved_at is null
    order by address.created_at, address.id limit ${look.limit}`,
}

/** Keys of operators that earlier keys have not countersigned yet. */
export const keyApprovals: NeedSource = {
  kind: 'approval',
  permission: 'team.view',
  causes: {
    'operator key': {
      urgency: 'today',
      sentence:
        'A key of {about} counts once it is countersigned. Ask its owner about it, then countersign it with yours.',
    },
  },
  page: () => '/console/passkeys',
  identity: ({ subject }) => `key ${subject}`,
  find: async (ctx, look) => {
    const keys = (await listKeys(ctx)).filter((key) => key.isAdded && whyNotCountersigned(key) === undefined)
    return ctx.db.sql<Finding>`
    select wanted.cause, key.id as subject, added_at as since, null as "order",
      coalesce(nullif(operators.name, ''), operators.email) as about, null as asset, null as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join unnest(${keys.map(({ id }) => String(id))}::text[], ${keys.map(({ operatorId }) => String(operatorId))}::text[],
      ${keys.map(({ addedAt }) => addedAt.toISOString())}::timestamptz[]) as key (id, owner, added_at) on added_at <= before
    join operators on operators.id::text = owner and disabled_at is null
    order by added_at, key.id limit ${look.limit}`
  },
}
