import { byCard, byTransfer, type Scenario, scenario } from './scenario.ts'

/** Money that comes when the price has moved, or its time is over. */
export const prices: readonly Scenario[] = [
  scenario({
    name: 'late-within-bound',
    title: 'Money arrives after the deadline, and the price has hardly moved: it is exchanged at the new price',
    exchange: { ...byCard, toCurrency: 'USDC' },
    steps: ['create', 'check out', 'the time to pay passes', 'pay', 'it is opened again', 'wait for the end'],
    course: ['waiting_for_deposit', 'expired', 'on_hold', 'exchanging', 'sending', 'finished'],
  }),
  scenario({
    name: 'late-accepted',
    title: 'The price has moved too far when the money arrives; the customer accepts the new price',
    exchange: { ...byTransfer, toCurrency: 'DOT' },
    steps: [
      'create',
      'check out',
      'the price rises by a tenth',
      'pay',
      'the price falls back',
      'the customer accepts the new price',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'on_hold', 'exchanging', 'sending', 'finished'],
  }),
  scenario({
    name: 'late-refunded',
    title: 'The price has moved too far when the money arrives; the customer takes a refund',
    exchange: { ...byTransfer, toCurrency: 'XLM' },
    steps: [
      'create',
      'check out',
      'the price rises by a tenth',
      'pay',
      'the price falls back',
      'the customer wants it back',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'on_hold', 'refund', 'refund', 'refunded', 'refund'],
    postings: ['deposit', 'payout_sent', 'payout_settled'],
  }),
]
