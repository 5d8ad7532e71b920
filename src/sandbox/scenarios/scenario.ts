import type { EventType } from '../../exchange/events/event.ts'
import type { EntryKind } from '../../exchange/ledger/entry.ts'
import type { CreateInput } from '../../exchange/transactions/create-input.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import type { StepWord } from './steps.ts'

/** What a scenario exchanges, as a create request says it. */
export type Exchange = Pick<CreateInput, 'fromCurrency' | 'toCurrency' | 'fromAmount' | 'depositCategory'>

/**
 * One ending of a transaction, as data: what is exchanged, what happens after it was created, and what comes of it. `statuses` are
 * those that it goes through, `postings` the kinds of the entries in its books, `events` what its partner is told, all in order.
 */
export type Scenario = {
  name: string
  title: string
  exchange: Exchange
  steps: StepWord[]
  statuses: Status[]
  postings: EntryKind[]
  events: EventType[]
  ends_in: Status
  /** Two rails move at the same time: postings and events of one may come before or between the other's. */
  interleaves?: true
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
