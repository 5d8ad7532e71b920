import assert from 'node:assert/strict'
import { test } from 'node:test'

import { servingRail } from '../../test/support/every-rail.ts'
import { openRegistry } from './registry.ts'

const card = servingRail([{ directions: ['deposit'], categories: ['VISA_MC'], networks: 'any' }], 'card')
const bank = servingRail([{ directions: ['deposit', 'payout'], categories: ['SEPA'], networks: ['EUR'] }], 'bank')

test('finds the rail that serves a category on a network, in the direction asked', () => {
  const registry = openRegistry([card, bank])
  assert.equal(registry.forDeposit('VISA_MC', 'USD'), card)
  assert.equal(registry.forPayout('VISA_MC', 'USD'), undefined, 'its payout half makes refunds only')
  assert.equal(registry.forDeposit('SEPA', 'EUR'), bank)
  assert.equal(registry.forPayout('SEPA', 'EUR'), bank)
  assert.equal(registry.forPayout('SEPA', 'GBP'), undefined)
  assert.equal(registry.forDeposit('CRYPTO', 'BTC'), undefined)
})

test('the first rail in the list is used, and the others are still found by name', () => {
  const real = servingRail([{ directions: ['payout'], categories: ['SEPA'], networks: 'any' }], 'real')
  const registry = openRegistry([real, bank])
  assert.equal(registry.forPayout('SEPA', 'EUR'), real)
  assert.equal(registry.forDeposit('SEPA', 'EUR'), bank)
  assert.equal(registry.payout('bank'), bank)
  assert.equal(registry.deposit('nobody'), undefined)
  assert.deepEqual(registry.all, [real, bank])
})

test('refuses a name that is taken or no path, and a service that the rail cannot give', () => {
  assert.throws(() => openRegistry([card, card]), /Two rails have the name card/)
  assert.throws(() => openRegistry([{ ...card, name: 'Card/1' }]), /is not a name for a rail/)
  const { payout: _, ...rest } = bank
  assert.throws(() => openRegistry([rest]), /serves a payout but has no payout half/)
})
