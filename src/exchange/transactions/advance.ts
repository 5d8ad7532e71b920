import assert from 'node:assert/strict'

import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { EventType, NewEvent } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import type { NewEmail } from '../mail/email.ts'
import { sendMails } from '../mail/send.ts'
import { emailsOf } from './status-email.ts'
import { endsWithoutMoney, lifecycle, type Status } from './lifecycle.ts'
import * as queries from './transactions.sql.ts'
import { anyRecordOf } from './record.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import { type DecisionPolicies, insertDecisionPolicies } from './decision-policies.ts'
import { type Cause, changeKinds, countOf, type StatusChange } from './status-history.ts'
import { personalPlace, type Transaction } from './transaction.ts'

/** What may change along with a status. */
export type Change = Partial<
  Pick<
    Transaction,
    | 'statusDetails'
    | 'expectedFrom'
    | 'expectedTo'
    | 'initialExpectedFrom'
    | 'payoutAddressId'
    | 'fromAmount'
    | 'fromAmountInEur'
    | 'toAmount'
    | 'country'
    | 'depositMethod'
    | 'errors'
    | 'refunds'
    | 'outputHash'
    | 'partnerCustomerId'
    | 'customerId'
    | 'personal'
    | 'quote'
    | 'quoteNumber'
    | 'quoteExpiresAt'
    | 'expiresAt'
  >
>

/** A status change of a transaction that this block has locked: why, and where to. */
export type Step = {
  transaction: Transaction
  cause: Cause
  to: Status
  reason?: string
  change?: Change
  /** The policies that decided it, where a policy did. */
  policies?: PolicyVersions
  /** Partners are notified although neither its status nor an amount is another one (docs/decisions/0041). */
  isReported?: boolean
}

/**
 * Changes the status of transactions, and is the only code that writes it. Status, history, the events for partners and the
 * emails to customers are written here, the ledger entries and the next jobs by the caller in the same block: all of it commits
 * together or not at all. A cause that happens once, and has happened, changes nothing. Steps of one transaction follow each other.
 *
 * Gives the transactions as they now are, one for each step that did happen.
 */
export async function advance(ctx: Ctx, db: Atomic, steps: Step[]): Promise<Transaction[]> {
  const latest = new Map<bigint, Transaction>()
  const changes: queries.StatusChangeRow[] = []
  const decisions: DecisionPolicies[] = []
  const events: NewEvent[] = []
  const emails: NewEmail[] = []
  for (const step of steps) {
    const before = latest.get(step.transaction.id) ?? step.transaction
    const earlier = countOf(before.history, step.cause)
    if (earlier > 0 && !changeKinds[step.cause.kind].repeats) continue
    const changed = changeStatus(before, step, { occurrence: earlier + 1, at: nextMoment(ctx, before) })
    const reported = eventsOf(ctx, before, changed, step.isReported)
    latest.set(changed.id, { ...changed, events: before.events + reported.length })
    const row = statusChangeRow(changed)
    changes.push(row)
    if (step.policies) decisions.push({ transactionId: row.transactionId, number: row.number, policies: step.policies })
    events.push(...reported)
    emails.push(...emailsOf(step, changed))
  }
  if (latest.size === 0) return []

  queries.save(db, [...latest.values()].map(changedRow))
  queries.insertStatusChanges(db, changes)
  recordEvents(ctx, db, events)
  await sendMails(ctx, db, emails)
  if (decisions.length > 0) insertDecisionPolicies(db, decisions)
  return [...latest.values()]
}

/**
 * Saves a change without a new status: what a customer completes at the checkout, or a payment attempt that failed. Partners are
 * notified of changed amounts and refunds.
 */
export function amend(ctx: Ctx, db: Atomic, transaction: Transaction, change: Change): Transaction {
  const changed = { ...transaction, ...change, updatedAt: nextMoment(ctx, transaction) }
  const events = eventsOf(ctx, transaction, changed)
  const amended = { ...changed, events: transaction.events + events.length }
  queries.save(db, [changedRow(amended)])
  recordEvents(ctx, db, events)
  return amended
}

/** Now, or when it was changed last, whichever is later: another process may be ahead by a moment, and a history goes one way. */
function nextMoment({ clock }: Pick<Ctx, 'clock'>, { updatedAt }: Transaction): Date {
  const now = clock.now()
  return now < updatedAt ? updatedAt : now
}

function changeStatus(
  before: Transaction,
  { cause, to, reason, change }: Step,
  { occurrence, at }: Pick<StatusChange, 'occurrence' | 'at'>,
): Transaction {
  assert(
    to === before.status || lifecycle[before.status].includes(to),
    `${cause.kind} cannot make a ${before.status} transaction ${to}`,
  )
  const changed = { ...before, statusDetails: null, ...change }
  assert(!endsWithoutMoney.has(to) || changed.fromAmount === 0n, `a transaction with money in it cannot be ${to}`)

  const { kind, id: subjectId = null } = cause
  return {
    ...changed,
    status: to,
    statusChanges: before.statusChanges + 1,
    history: [...before.history, { kind, subjectId, occurrence, status: to, reason: reason ?? null, at }],
    updatedAt: at,
  }
}

/** The row of a transaction's last status change. */
export function statusChangeRow({ id, statusChanges, history }: Transaction): queries.StatusChangeRow {
  const last = history.at(-1)
  assert(last, 'a transaction has a history from its creation on')
  return { ...last, transactionId: id, number: statusChanges, subject: changeKinds[last.kind].about }
}

/**
 * The events of a change: a new status; else changed amounts, or what else became of the money (`isReported`); and refunds whose
 * state changed. B2B has a single type, for its status.
 */
function eventsOf(ctx: Ctx, before: Transaction, after: Transaction, isReported = false): NewEvent[] {
  const types: EventType[] = []
  const isB2b = after.kind === 'b2b'
  const hasNewStatus = after.status !== before.status
  if (isB2b && (hasNewStatus || isReported)) types.push('b2b.transaction.status_changed')
  else if (hasNewStatus) types.push('transaction.status_changed')
  else if (!isB2b && (isReported || amountsOf(after) !== amountsOf(before))) types.push('transaction.amounts_changed')
  if (!isB2b && refundsOf(after) !== refundsOf(before)) types.push('transaction.refund_changed')
  return types.map((type, index) => eventOf(ctx, { ...after, events: before.events + index + 1 }, type))
}

const amountsOf = ({ fromAmount, expectedFrom, expectedTo, toAmount }: Transaction): string =>
  [fromAmount, expectedFrom, expectedTo, toAmount].join()

const refundsOf = ({ refunds }: Transaction): string =>
  refunds.map(({ publicId, state, plan }) => `${publicId} ${state} ${plan === 'unknown'}`).join()

const eventOf = (ctx: Ctx, transaction: Transaction, type: EventType): NewEvent => ({
  stream: transaction.publicId,
  sequence: transaction.events,
  partnerId: transaction.partnerId,
  type,
  at: transaction.updatedAt,
  dataKey: transaction.dataKey,
  payload: transaction.isErased ? { id: String(transaction.publicId) } : anyRecordOf(ctx, transaction),
})

/** The events of transactions that have just been created; of B2B's there is one type, for the first status too. */
export const createdEvents = (ctx: Ctx, created: Transaction[]): NewEvent[] =>
  created.map((transaction) =>
    eventOf(ctx, transaction, transaction.kind === 'b2b' ? 'b2b.transaction.status_changed' : 'transaction.created'),
  )

/** The columns of a transaction that a change writes. */
function changedRow(transaction: Transaction): queries.Changed {
  const { dataKey, personal, publicId, errors, refunds: _, ...rest } = transaction
  return { ...rest, errors: JSON.stringify(errors), personal: dataKey.seal(personal, personalPlace(publicId)) }
}

/** The row of a transaction that has just been created. */
export const createdRow = (transaction: Transaction): queries.Created => ({
  ...changedRow(transaction),
  publicId: transaction.publicId,
  checkoutToken: transaction.checkoutToken,
  partnerId: transaction.partnerId,
  kind: transaction.kind,
  side: transaction.side,
  fromAsset: transaction.from.asset.id,
  toAsset: transaction.to.asset.id,
  depositMethod: transaction.depositMethod,
  payoutMethod: transaction.payoutMethod,
  terms: JSON.stringify(transaction.terms),
  externalPartnerLinkId: transaction.externalPartnerLinkId,
  dataKeyId: transaction.dataKey.id,
  createdAt: transaction.createdAt,
})
