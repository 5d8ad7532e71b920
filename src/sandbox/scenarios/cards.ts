import { byCard, type Scenario, scenario } from './scenario.ts'

/** What cards do besides paying. */
export const cards: readonly Scenario[] = [
  scenario({
    name: 'declined-then-paid',
    title: 'The first card is declined, the second pays',
    exchange: byCard,
    steps: ['create', 'check out', 'the card is declined', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'card-challenge',
    title: 'The customer’s bank asks for a 3-D Secure challenge, which is passed',
    exchange: byCard,
    steps: ['create', 'check out', 'the card is challenged', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'card-voided',
    title: 'The challenge is never answered, and the processor voids the payment',
    exchange: byCard,
    steps: [
      'create',
      'check out',
      'the card is challenged',
      'the processor voids the payment',
      'the time to pay passes',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'expired'],
    postings: [],
  }),
  scenario({
    name: 'chargeback-before-exchange',
    title: 'The card payment is charged back while the transaction is on hold: nothing is owed, nothing is lost',
    exchange: byCard,
    steps: [
      'create',
      'check out',
      'an operator holds it',
      'pay',
      'the payment is charged back',
      'an operator cancels it',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'on_hold', 'amounts', 'amounts', 'cancelled'],
    postings: ['deposit', 'deposit_reversed'],
  }),
  scenario({
    name: 'chargeback',
    title: 'The card payment is charged back after the payout: our loss, and it counts against the customer',
    exchange: byCard,
    steps: ['create', 'check out', 'pay', 'the payment is charged back', 'the loss is booked'],
    course: ['waiting_for_deposit', 'exchanging', 'sending', 'finished', 'amounts'],
    postings: ['deposit', 'exchange', 'payout_sent', 'payout_settled', 'deposit_reversed'],
  }),
]
