import { missingStatements, refusedFiles } from '../../rails/iso20022/troubles.ts'
import { listUnbookedDebits } from '../operations/own-money.ts'
import { causesOf, type Finding, type NeedSource, timesOf } from './need.ts'

/** Money that belongs to no order, and the part that could not be sent back. */
export const suspense: NeedSource = {
  kind: 'suspense',
  permission: 'money.resolve',
  causes: {
    unmatched: {
      urgency: 'today',
      sentence: '{amount} came by {about} without a known order. Match it to its order, or send it back.',
    },
    'return failed': {
      urgency: 'now',
      sentence:
        '{amount} that came by {about} without a known order could not be sent back. Find another way to return it.',
    },
  },
  page: () => '/console/money#suspense',
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, deposits.id::text as subject, deposits.at as since, null as "order", rail as about, asset,
      waiting.amount, null as count
    from deposits
    cross join lateral (
      select coalesce(sum(amount), 0) as failed from refunds
      where deposit_id = deposits.id and refunds.transaction_id is null and refunds.state = 'failed') as returned
    cross join lateral (
      select (case when transaction_id is null then deposits.amount - taken_back - refunded else 0 end
        + failed)::numeric(38, 0) as amount) as waiting
    join unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
      on wanted.cause = case when failed > 0 then 'return failed' else 'unmatched' end and deposits.at <= before
    where waiting.amount > 0 and (transaction_id is null or ended_before > 0)
    order by deposits.at, deposits.id limit ${look.limit}`,
}

/** Money that left for no order, and that nobody has said what it was for. */
export const debits: NeedSource = {
  kind: 'suspense',
  permission: 'money.resolve',
  causes: {
    debit: {
      urgency: 'today',
      sentence:
        '{amount} left {about} for no order of ours. Say what it was for: an expense, a fee, a tax, a transfer.',
    },
  },
  page: () => '/console/money#suspense',
  find: async (ctx) =>
    (await listUnbookedDebits(ctx)).map(({ payment, rail, asset, amount, at }) => ({
      cause: 'debit',
      subject: payment,
      since: at,
      order: null,
      about: rail,
      asset,
      amount,
      count: null,
    })),
}

/** Differences between the books and the statements of those who hold our money. What lies in suspense is a need as such. */
export const breaks: NeedSource = {
  kind: 'break',
  permission: 'money.resolve',
  causes: {
    open: {
      urgency: 'today',
      sentence:
        'The books and the statement of {about} differ by {amount}. Find the payment, then resolve the difference.',
    },
    signed: {
      urgency: 'now',
      sentence:
        'The signer has signed a payment of {amount} from {about} that no payout is behind. Halt everything, and find out who asked for it.',
    },
  },
  page: () => '/console/money#breaks',
  identity: ({ subject }) => `break ${subject}`,
  find: ({ db }, look) => db.sql<Finding>`
    select wanted.cause, breaks.id::text as subject, found_at as since, null as "order", account as about, asset,
      abs(amount) as amount, null as count
    from unnest(${causesOf(look)}::text[], ${timesOf(look)}::timestamptz[]) as wanted (cause, before)
    join breaks on state = 'open' and found_at <= before and breaks.cause <> 'arrived_unseen'
      and wanted.cause = case when breaks.cause = 'signed_unknown' then 'signed' else 'open' end
    order by found_at, breaks.id limit ${look.limit}`,
}

/** What a bank has sent and was refused, or has not sent. */
export const bankFiles: NeedSource = {
  kind: 'bank_file',
  permission: 'money.resolve',
  causes: {
    refused: {
      urgency: 'today',
      sentence:
        'A file of the bank was refused: {about} Nothing in it is booked: accept it, or ask the bank for another one.',
    },
    missing: {
      urgency: 'today',
      sentence: 'The bank has skipped a statement {about}. Ask the bank for it, or say that it will not come.',
    },
  },
  page: () => '/console/money#bank',
  identity: ({ cause, subject }) => `${cause} ${subject}`,
  find: async ({ db }, { before, limit }) => {
    const of = (cause: string) => ({
      before: before.filter(([one]) => one === cause).map(([one, at]): [string, Date] => [one, at]),
      limit,
    })
    const found = await Promise.all([refusedFiles(db, of('refused')), missingStatements(db, of('missing'))])
    return found.flat().map(({ state, id, since, about }) => ({
      cause: state,
      subject: id,
      since,
      order: null,
      about,
      asset: null,
      amount: null,
      count: null,
    }))
  },
}
