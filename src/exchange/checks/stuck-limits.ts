import type { Status } from '../transactions/lifecycle.ts'
import type { StatusDetails } from '../transactions/transaction.ts'

/** How long something may wait in one state, and the end of the sentence "it waits for ...". */
export type Limit = {
  /** Milliseconds by the clock that the state's own times are written in. */
  allowedMs: number
  /** `{about}` is the rail, host or reason that the database names for it, `{amount}` an amount, `{count}` how many. */
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
  new: limit(minute, 'its end: the time to pay was over at {about}'),
  waiting_for_customer: limit(minute, 'its end: the time to pay was over at {about}'),
  waiting_for_deposit: limit(minute, 'its end: the time to pay was over at {about}'),
  'waiting_for_deposit confirming': limit(day, 'its deposit to be final, or to be taken back'),
  exchanging: limit(5 * minute, 'its payout on {about} to be planned'),
  sending: limit(30 * minute, 'evidence from {about}'),
  'sending payout_unknown': limit(10 * minute, 'a clear answer from {about}: whether it has paid is not known'),
  on_hold: limit(day, 'a person to decide'),
  'on_hold confirming': limit(day, 'its deposit to be final, or to be taken back'),
  'on_hold kyc_required': limit(3 * day, 'its customer to be verified'),
  'on_hold underpaid': limit(3 * day, 'its customer: to pay the rest, exchange what came, or have it back'),
  'on_hold late': limit(3 * day, 'its customer: to accept the price of now, or have the money back'),
  'on_hold wrong_asset': limit(3 * day, 'its customer: to have back what was sent in another asset'),
  'on_hold address_needed': limit(3 * day, 'its customer to say where to be paid'),
  'on_hold refund_pending': limit(2 * hour, 'its refund to be paid'),
  'on_hold review': limit(4 * hour, 'an operator to decide'),
}

/** What is on its way out, by the state of the order and of its plan; from when it was ordered or planned. */
const payouts: Record<'waiting' | 'reserved', Limit> = {
  waiting: limit(0, 'money: {amount} at {about}'),
  reserved: limit(day, 'its plan on {about}: it is covered'),
}
const plans: Record<'planned' | 'submitted' | 'unknown', Limit> = {
  planned: limit(10 * minute, 'being handed to {about}'),
  submitted: limit(30 * minute, 'evidence from {about}'),
  unknown: limit(10 * minute, 'a clear answer from {about}: whether it has paid is not known'),
}
const refunds: Record<'ordered' | 'held' | 'unapproved' | 'address_needed' | 'sent' | 'failed', Limit> = {
  ordered: limit(30 * minute, 'its way back: {amount} that came by {about}'),
  held: limit(4 * hour, '`transaction release`: a person keeps {amount} that came by {about}'),
  unapproved: limit(hour, '`payout approve` by two operators: {amount} that came by {about}'),
  address_needed: limit(3 * day, 'its customer to say where to send {amount}'),
  sent: limit(2 * hour, 'evidence that {amount} has gone back by {about}'),
  failed: limit(0, 'an operator: {amount} could not be sent back by {about}'),
}

/** Money on its way in. */
const deposits: Record<'suspense', Limit> = {
  suspense: limit(day, 'an operator to say whose {amount} by {about} is, or to return it'),
}
const rails: Record<'halted', Limit> = {
  halted: limit(0, '`rail resume`: nothing is credited, because {about}'),
}

/** Deliveries to others. */
const webhooks: Record<'untried' | 'failing' | 'replay', Limit> = {
  untried: limit(5 * minute, 'a process that delivers: {count} due for {about}'),
  failing: limit(hour, '{about} to take webhooks again: {count} wait'),
  replay: limit(hour, 'its last event to be queued again for {about}'),
}
const events: Record<'unplaced', Limit> = {
  unplaced: limit(2 * minute, 'their places in the feed: {count} of them'),
}
/** Limits by subject and state. Jobs have their own, in src/platform/jobs/. */
export const limits = {
  transaction: transactions,
  payout: payouts,
  plan: plans,
  refund: refunds,
  deposit: deposits,
  rail: rails,
  webhook: webhooks,
  event: events,
} as const satisfies Record<string, Record<string, Limit>>
