import { byCard, sale, type Scenario, scenario } from './scenario.ts'

/** Payouts that do not go out at once, or come back. */
export const payouts: readonly Scenario[] = [
  scenario({
    name: 'payout-timeout',
    title: 'The chain takes the payout and does not respond: the payout is found, not sent again',
    exchange: byCard,
    steps: ['create', 'check out', 'the rail will not answer in time', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'payout-refused',
    title: 'The chain permanently refuses the payout; an operator orders it again',
    exchange: byCard,
    steps: [
      'create',
      'check out',
      'the rail will refuse the payout permanently',
      'pay',
      'an operator releases it',
      'wait for the end',
    ],
    course: ['waiting_for_deposit', 'exchanging', 'sending', 'on_hold', 'exchanging', 'sending', 'finished'],
    postings: ['deposit', 'exchange', 'payout_sent', 'payout_failed', 'payout_sent', 'payout_settled'],
  }),
  scenario({
    name: 'payout-bounces',
    title: 'The bank returns the payout; the customer enters another account',
    exchange: sale,
    steps: ['create', 'check out', 'pay', 'what was paid out comes back', 'give another address', 'wait for the end'],
    course: [
      'waiting_for_deposit',
      'exchanging',
      'sending',
      'finished',
      'on_hold',
      'exchanging',
      'sending',
      'finished',
    ],
    postings: [
      'deposit',
      'exchange',
      'payout_sent',
      'payout_settled',
      'payout_returned',
      'payout_sent',
      'payout_settled',
    ],
  }),
  scenario({
    name: 'payout-waits',
    title: 'The wallet holds too little for the payout: it waits until there is enough',
    exchange: { ...byCard, toCurrency: 'ALGO' },
    steps: [
      'create',
      'check out',
      'the owner takes the coins home',
      'pay',
      'the owner brings the coins back',
      'wait for the end',
    ],
  }),
]
