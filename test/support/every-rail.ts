import { openRegistry, type RailRegistry } from '../../src/rails/registry.ts'
import { paymentCategories } from '../../src/reference/catalog/payment-category.ts'
import type { Rail } from '../../src/rails/rail.ts'

const unused = (): never => {
  throw new Error('This rail only says what it serves.')
}

/** A rail that serves what it is told to, for tests that move no money. */
export const servingRail = (serves: Rail['serves'], name = 'serving'): Rail => ({
  name,
  custodyAccount: name,
  serves,
  deposit: { instruct: unused, look: unused, origin: unused },
  payout: { lookAfterMs: 1_000, mostFee: unused, prepare: unused, submit: unused, look: unused, owns: () => false },
  balance: unused,
})

/** A registry in which every payment category is served on every network, both ways. */
export const everyRail: RailRegistry = openRegistry([
  servingRail([
    {
      directions: ['deposit', 'payout'],
      categories: paymentCategories.map(({ category }) => category),
      networks: 'any',
    },
  ]),
])
