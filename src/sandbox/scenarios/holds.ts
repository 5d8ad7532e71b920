import { byCard, byTransfer, type Scenario, scenario } from './scenario.ts'

/** Transactions that a person stops. */
export const holds: readonly Scenario[] = [
  scenario({
    name: 'held-released',
    title: 'An operator puts it on hold; the money arrives and waits; the operator releases it',
    exchange: byCard,
    steps: ['create', 'check out', 'an operator holds it', 'pay', 'an operator releases it', 'wait for the end'],
    course: ['waiting_for_deposit', 'on_hold', 'amounts', 'exchanging', 'sending', 'finished'],
  }),
  scenario({
    name: 'held-refunded',
    title: 'An operator puts it on hold; the money arrives, and the operator refunds it',
    exchange: byCard,
    steps: ['create', 'check out', 'an operator holds it', 'pay', 'an operator refunds it', 'wait for the end'],
    course: ['waiting_for_deposit', 'on_hold', 'amounts', 'refund', 'refund', 'refunded', 'refund'],
    postings: ['deposit', 'payout_sent', 'payout_settled'],
  }),
  scenario({
    name: 'partly-refunded',
    title: 'An operator refunds a part of the money and releases the rest',
    exchange: byTransfer,
    steps: [
      'create',
      'check out',
      'an operator holds it',
      'pay',
      'an operator refunds a part',
      'an operator releases it',
      'wait for the end',
    ],
    course: [
      'waiting_for_deposit',
      'on_hold',
      'amounts',
      'refund',
      'refund',
      'refund',
      'exchanging',
      'sending',
      'finished',
    ],
    postings: ['deposit', 'payout_sent', 'payout_settled', 'exchange', 'payout_sent', 'payout_settled'],
  }),
  scenario({
    name: 'approved-by-two',
    title: 'A payout above the limit waits until two different operators have approved it',
    exchange: byTransfer,
    steps: [
      'create',
      'check out',
      'an operator holds it',
      'pay more than one operator may let go',
      'an operator releases it',
      'the first operator approves',
      'the second operator approves',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'on_hold', 'amounts', 'exchanging', 'on_hold', 'exchanging', 'sending', 'finished'],
  }),
]
