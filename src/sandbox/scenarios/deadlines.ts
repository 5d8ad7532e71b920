import { byCard, byTransfer, type Scenario, scenario } from './scenario.ts'

/** No money comes: the time to pay passes, or somebody does not want it any more. */
export const deadlines: readonly Scenario[] = [
  scenario({
    name: 'never-opened',
    title: 'The customer never opens the checkout',
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
    title: 'The customer cancels before paying',
    exchange: byCard,
    steps: ['create', 'check out', 'the customer cancels', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled'],
    postings: [],
  }),
  scenario({
    name: 'cancelled-by-operator',
    title: 'An operator cancels it before any payment',
    exchange: byCard,
    steps: ['create', 'check out', 'an operator cancels it', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled'],
    postings: [],
  }),
  scenario({
    name: 'paid-after-cancelled',
    title: 'Money arrives after the customer has cancelled: it is exchanged',
    exchange: byTransfer,
    steps: ['create', 'check out', 'the customer cancels', 'pay', 'it is opened again', 'wait for the end'],
    course: ['waiting_for_deposit', 'cancelled', 'on_hold', 'exchanging', 'sending', 'finished'],
  }),
]
