import { sale, type Scenario, scenario } from './scenario.ts'

/** Chains that change their mind. */
export const coins: readonly Scenario[] = [
  scenario({
    name: 'reorganised-deposit',
    title: 'The block with the deposit is undone before it is final: nothing is credited, and the time to pay passes',
    exchange: { ...sale, fromCurrency: 'DOGE', fromAmount: '1000' },
    steps: [
      'create',
      'check out',
      'pay',
      'the chain is reorganised before the deposit is final',
      'the time to pay passes',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'expired'],
    postings: [],
  }),
  scenario({
    name: 'reorganised-after-final',
    title:
      'The block with the deposit is undone after it was final and paid for: our loss, and the chain is credited no more until an operator says so',
    exchange: { ...sale, fromCurrency: 'LTC', fromAmount: '5' },
    steps: ['create', 'check out', 'pay', 'the chain is reorganised after the end', 'an operator resumes the rail'],
    course: ['waiting_for_deposit', 'exchanging', 'sending', 'finished', 'amounts'],
    postings: ['deposit', 'exchange', 'payout_sent', 'payout_settled', 'deposit_reversed'],
  }),
]
