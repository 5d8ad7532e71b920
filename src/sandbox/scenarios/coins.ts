import { sale, type Scenario, scenario } from './scenario.ts'

/** Chains that change their mind. */
export const coins: readonly Scenario[] = [
  scenario({
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
    course: ['waiting_for_deposit', 'expired'],
    postings: [],
  }),
  scenario({
    name: 'reorganised-after-final',
    title:
      'The chain drops the deposit’s block after the payout: our loss, and the rail credits nothing until an operator resumes it',
    exchange: { ...sale, fromCurrency: 'LTC', fromAmount: '5' },
    steps: ['create', 'check out', 'pay', 'the chain is reorganised after the end', 'an operator resumes the rail'],
    course: ['waiting_for_deposit', 'exchanging', 'sending', 'finished', 'amounts'],
    postings: ['deposit', 'exchange', 'payout_sent', 'payout_settled', 'deposit_reversed'],
  }),
]
