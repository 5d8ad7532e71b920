import { sale, type Scenario } from './scenario.ts'

/** Chains that change their mind. */
export const coins: readonly Scenario[] = [
  {
    name: 'reorganised-deposit',
    title: 'The chain drops the deposit’s block before it is final: nothing is credited, and the order expires',
    exchange: { ...sale, fromCurrency: 'DOGE', fromAmount: '1000' },
    steps: [
      'create',
      'check out',
      'pay',
      'the chain is reorganised before the deposit is final',
      'the time to pay passes',
      'wait for the end',
    ],
    statuses: ['new', 'waiting_for_deposit', 'expired'],
    postings: [],
    events: ['transaction.created', 'transaction.status_changed', 'transaction.status_changed'],
    ends_in: 'expired',
  },
  {
    name: 'reorganised-after-final',
    title:
      'The chain drops the deposit’s block after the payout: our loss, and the rail credits nothing until an operator resumes it',
    exchange: { ...sale, fromCurrency: 'LTC', fromAmount: '5' },
    steps: ['create', 'check out', 'pay', 'the chain is reorganised after the end', 'an operator resumes the rail'],
    statuses: ['new', 'waiting_for_deposit', 'exchanging', 'sending', 'finished'],
    postings: ['deposit', 'exchange', 'payout_sent', 'payout_settled', 'deposit_reversed'],
    events: [
      'transaction.created',
      'transaction.status_changed',
      'transaction.status_changed',
      'transaction.status_changed',
      'transaction.status_changed',
      'transaction.amounts_changed',
    ],
    ends_in: 'finished',
  },
]
