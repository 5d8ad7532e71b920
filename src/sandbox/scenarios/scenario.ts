import type { EventType } from '../../exchange/events/event.ts'
import type { EntryKind } from '../../exchange/ledger/entry.ts'
import type { CreateInput } from '../../exchange/transactions/create-input.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import type { StepName } from './steps.ts'

/** What a scenario exchanges, as a create request says it. */
export type Exchange = Pick<CreateInput, 'fromCurrency' | 'toCurrency' | 'fromAmount' | 'depositCategory'>

/**
 * One ending of a transaction, as data: what is exchanged, what happens once it is created, and what comes of it. `statuses` are
 * those that it goes through, `postings` the kinds of its ledger entries, `events` the types that its partner gets, all in order.
 */
export type Scenario = {
  name: string
  title: string
  exchange: Exchange
  steps: StepName[]
  statuses: Status[]
  postings: EntryKind[]
  events: EventType[]
  ends_in: Status
  /**
   * Two rails move at the same time: postings and events of one may come before or between the other's. Where the payout arrives
   * before the refund has left, the order is on hold in between.
   */
  interleaves?: true
}

/** What a partner sees happen to a transaction: a new status, or a change of its refunds or amounts without one. */
type Change = Status | 'refund' | 'amounts'

/** A scenario as this folder writes it down. Without `course` and `postings` it is paid, exchanged and sent without incident. */
type Story = Omit<Scenario, 'statuses' | 'postings' | 'events' | 'ends_in'> & {
  course?: Change[]
  postings?: EntryKind[]
}

/** Completes a scenario: its statuses and events follow from its course. */
export function scenario({
  course = ['waiting_for_deposit', 'exchanging', 'sending', 'finished'],
  postings = ['deposit', 'exchange', 'payout_sent', 'payout_settled'],
  ...story
}: Story): Scenario {
  const statuses: Status[] = ['new', ...course.filter((change) => change !== 'refund' && change !== 'amounts')]
  const events = course.map((change) => eventTypes[change] ?? 'transaction.status_changed')
  return {
    ...story,
    statuses,
    postings,
    events: ['transaction.created', ...events],
    ends_in: statuses.at(-1) ?? 'new',
  }
}

const eventTypes: Partial<Record<Change, EventType>> = {
  refund: 'transaction.refund_changed',
  amounts: 'transaction.amounts_changed',
}

/** A buy for a hundred euro, paid by card. */
export const byCard: Exchange = {
  fromCurrency: 'EUR',
  toCurrency: 'BTC',
  fromAmount: '100',
  depositCategory: 'VISA_MC',
}

/** A buy paid by bank transfer: its price is fixed when the money arrives, and it can be paid in parts. */
export const byTransfer: Exchange = { ...byCard, fromAmount: '250', depositCategory: 'SEPA' }

/** A sale: coins come in, euro go to a bank account. */
export const sale: Exchange = {
  fromCurrency: 'BTC',
  toCurrency: 'EUR',
  fromAmount: '0.01',
  depositCategory: undefined,
}

/** Coins for other coins. */
export const swap: Exchange = { ...sale, toCurrency: 'ETH' }
