import { byCard, byTransfer, sale, swap, type Scenario, scenario } from './scenario.ts'

/** The straight roads: paid as agreed, in time. */
export const straight: readonly Scenario[] = [
  scenario({
    name: 'card-buy',
    title: 'A buy paid by card',
    exchange: byCard,
    steps: ['create', 'check out', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'sepa-buy',
    title: 'A buy paid by bank transfer, priced when the money arrives',
    exchange: byTransfer,
    steps: ['create', 'check out', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'open-banking-buy',
    title: 'A buy paid on the page of the customer’s bank',
    exchange: { ...byCard, depositCategory: 'OPEN_BANKING' },
    steps: ['create', 'check out', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'sell',
    title: 'Coins arrive and are confirmed, and euros go to a bank account',
    exchange: sale,
    steps: ['create', 'check out', 'pay', 'wait for the end'],
  }),
  scenario({
    name: 'swap',
    title: 'Coins arrive and are confirmed, and other coins go out',
    exchange: swap,
    steps: ['create', 'check out', 'pay', 'wait for the end'],
  }),
]
