import { byTransfer, type Scenario, scenario } from './scenario.ts'

/** Bank transfers whose owner is not known. */
export const unmatched: readonly Scenario[] = [
  scenario({
    name: 'suspense-matched',
    title: 'A transfer arrives without its reference; an operator matches it, and it is exchanged',
    exchange: byTransfer,
    steps: ['create', 'check out', 'pay without the reference', 'an operator matches the money', 'wait for the end'],
    postings: ['suspense_matched', 'exchange', 'payout_sent', 'payout_settled'],
  }),
  scenario({
    name: 'suspense-returned',
    title: 'A transfer arrives without its reference; an operator returns it, and the customer cancels',
    exchange: byTransfer,
    steps: [
      'create',
      'check out',
      'pay without the reference',
      'an operator sends the money back',
      'the customer cancels',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'cancelled'],
    postings: [],
  }),
]
