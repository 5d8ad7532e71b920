import type { HaltScope } from '../../rails/halts.ts'
import type { Status } from '../transactions/lifecycle.ts'
import type { StatusDetails } from '../transactions/transaction.ts'

/** How long something may wait in one state, and the end of the sentence "It waits for ...". */
export type Limit = {
  /** Milliseconds by the clock that the state's own times are written in. */
  allowedMs: number
  /** `{about}` is a rail, host, time or reason, `{amount}` an amount, `{count}` a number. */
  waitsFor: string
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const limit = (allowedMs: number, waitsFor: string): Limit => ({ allowedMs, waitsFor })

type Open = Extract<Status, 'new' | 'waiting_for_customer' | 'waiting_for_deposit'>
type HeldState = 'on_hold' | `on_hold ${Exclude<StatusDetails, 'payout_unknown' | 'overpaid'>}`
type OpenState = Open | 'waiting_for_deposit confirming'

/**
 * A transaction by its status and why it waits. Open ones wait from their deadline on, or for confirmations from the moment
 * at which they began to wait for money; all others from their last move on.
 */
const transactions: Record<OpenState | 'exchanging' | 'sending' | 'sending payout_unknown' | HeldState, Limit> = {
  new: limit(minute, 'its end: the time to pay ended at {about}'),
  waiting_for_customer: limit(minute, 'its end: the time to pay ended at {about}'),
  waiting_for_deposit: limit(minute, 'its end: the time to pay ended at {about}'),
  'waiting_for_deposit confirming': limit(day, 'its deposit to become final or be reversed'),
  exchanging: limit(5 * minute, 'its payout on {about} to be prepared'),
  sending: limit(30 * minute, 'evidence from {about}'),
  'sending payout_unknown': limit(10 * minute, '{about} to say whether it has paid'),
  on_hold: limit(day, 'an operator to decide'),
  'on_hold confirming': limit(day, 'its deposit to become final or be reversed'),
  'on_hold kyc_required': limit(3 * day, 'its customer to pass the identity check'),
  'on_hold underpaid': limit(3 * day, 'its customer to pay the rest, exchange what arrived, or take a refund'),
  'on_hold late': limit(3 * day, 'its customer to accept the current price or take a refund'),
  'on_hold wrong_asset': limit(3 * day, 'its customer to take back what was sent in another asset'),
  'on_hold address_needed': limit(3 * day, 'its customer to enter another address'),
  'on_hold refund_pending': limit(2 * hour, 'its refund to be paid'),
  'on_hold review': limit(4 * hour, 'an operator to decide'),
}

/** What is on its way out, by the state of the order and of its plan; from when it was ordered or planned. */
const payouts: Record<'waiting' | 'reserved', Limit> = {
  waiting: limit(0, 'money: {amount} at {about}'),
  reserved: limit(day, '{about} to prepare it: the money is reserved'),
}
const plans: Record<'planned' | 'submitted' | 'unknown', Limit> = {
  planned: limit(10 * minute, 'being handed to {about}'),
  submitted: limit(30 * minute, 'evidence from {about}'),
  unknown: limit(10 * minute, '{about} to say whether it has paid'),
}
const refunds: Record<'ordered' | 'held' | 'unapproved' | 'address_needed' | 'sent' | 'failed', Limit> = {
  ordered: limit(30 * minute, 'being sent: {amount} back by {about}'),
  held: limit(4 * hour, '`transaction release`: an operator holds {amount} that came by {about}'),
  unapproved: limit(hour, '`payout approve` by two operators: {amount} that came by {about}'),
  address_needed: limit(3 * day, 'its customer to enter an address for {amount}'),
  sent: limit(2 * hour, 'evidence that {about} has paid back {amount}'),
  failed: limit(0, 'an operator: {about} could not send back {amount}'),
}

/** Money on its way in. */
const deposits: Record<'suspense', Limit> = {
  suspense: limit(day, 'an operator to match or return {amount} that came by {about}'),
}
const rails: Record<'halted', Limit> = {
  halted: limit(0, '`rail resume`: nothing is credited, because {about}'),
}
const byTwo = limit(0, '`resume` by two operators: {about}')
const halts: Record<Exclude<HaltScope, 'crediting'>, Limit> = {
  all: byTwo,
  payouts: byTwo,
  rail: byTwo,
  asset: byTwo,
  restored: limit(0, '`restore open`: {about}'),
}

/** Deliveries to partners. */
const webhooks: Record<'untried' | 'failing' | 'replay', Limit> = {
  untried: limit(5 * minute, 'a process that delivers webhooks: {count} due for {about}'),
  failing: limit(hour, '{about} to accept webhooks again: {count} waiting'),
  replay: limit(hour, 'its last event to be queued again for {about}'),
}
const events: Record<'unplaced', Limit> = {
  unplaced: limit(2 * minute, 'a place in the feed: {count} events'),
}
/** What came from a bank: files that were refused, and gaps in the numbers of statements. */
const files: Record<'refused', Limit> = {
  refused: limit(0, 'an operator to remove or replace it: {about}'),
}
const statements: Record<'missing', Limit> = {
  missing: limit(0, 'the bank to send it: a statement {about}'),
}
/** Hedges, from when they were sent. */
const hedges: Record<'unknown', Limit> = {
  unknown: limit(0, '{about} to show the order, or `hedge resolve`: it may have traded {amount}'),
}
/** Every limit, by subject and state. Jobs, e-mails among them, have their own limits in src/platform/jobs/inspect.ts. */
export const limits = {
  transaction: transactions,
  payout: payouts,
  plan: plans,
  refund: refunds,
  deposit: deposits,
  rail: rails,
  halt: halts,
  webhook: webhooks,
  event: events,
  file: files,
  statement: statements,
  hedge: hedges,
} as const satisfies Record<string, Record<string, Limit>>
