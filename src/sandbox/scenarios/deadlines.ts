import { byCard, byTransfer, type Scenario, scenario } from './scenario.ts'

/** No money comes: the time to pay passes, or somebody does not want it any more. */
export const deadlines: readonly Scenario[] = [
  scenario({
    name: 'never-opened',
    title: 'The customer never comes',
    exchange: byCard,
    steps: ['create', 'the time to pay passes', 'wait for the end'],
    course: ['expired'],
    postings: [],
  }),
  scenario({
    name: 'never-paid',
    title: 'The customer completes the checkout and never pays',
    exchange: byCard,
    steps: ['create', 'check out', 'the time to pay passes', 'wait for the end'],
    course: ['waiting_for_deposit', 'expired'],
    postings: [],
  }),
  scenario({
    name: 'cancelled-by-customer',
    title: 'The customer does not want it any more, before anything is paid',
    exchange: byCard,
    steps: ['create', 'check out', 'the customer cancels', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled'],
    postings: [],
  }),
  scenario({
    name: 'cancelled-by-operator',
    title: 'An operator cancels it, before anything is paid',
    exchange: byCard,
    steps: ['create', 'check out', 'an operator cancels it', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled'],
    postings: [],
  }),
  scenario({
    name: 'paid-after-cancelled',
    title: 'Money comes after the customer has cancelled: it is not lost, it is exchanged',
    exchange: byTransfer,
    steps: ['create', 'check out', 'the customer cancels', 'pay', 'it is opened again', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled', 'on_hold', 'exchanging', 'sending', 'finished'],
  }),
]
