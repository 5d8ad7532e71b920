import assert from 'node:assert/strict'
import { test } from 'node:test'

import { servingRail } from '../../test/support/every-rail.ts'
import { chooseRail, openRegistry, withoutRails } from './registry.ts'

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

const preferring = (name: string, priority: number, weight = 1) => ({
  ...servingRail([{ directions: ['deposit', 'payout'], categories: ['VISA_MC'], networks: 'any' }], name),
  preference: { priority, weight },
})

test('rails with a preference share what they serve, the lowest priority number first; others step back', () => {
  const [backup, main, other] = [preferring('backup', 2), preferring('main', 1), preferring('other', 1, 3)]
  const registry = openRegistry([backup, main, other, card])
  assert.deepEqual(registry.depositRails('VISA_MC', 'EUR'), [main, other, backup])
  assert.equal(registry.forDeposit('VISA_MC', 'EUR'), main)
  assert.deepEqual(openRegistry([card, main]).depositRails('VISA_MC', 'EUR'), [card])
  const without = withoutRails(registry, new Set(['main', 'other']))
  assert.equal(without.forDeposit('VISA_MC', 'EUR'), backup)
  assert.equal(withoutRails(registry, new Set(['main', 'other', 'backup'])).forPayout('VISA_MC', 'EUR'), undefined)
})

test('a new payment goes to a usable rail, by weight, the same each time', () => {
  const [backup, main, other, idle] = [
    preferring('backup', 2),
    preferring('main', 1),
    preferring('other', 1, 3),
    preferring('idle', 1, 0),
  ]
  const rails = [main, other, idle, backup]
  const counts = new Map<string, number>()
  for (let id = 1n; id <= 1_000n; id += 1n) {
    const chosen = chooseRail(rails, id, () => true)
    assert.equal(
      chooseRail(rails, id, () => true),
      chosen,
    )
    counts.set(chosen?.name ?? '', (counts.get(chosen?.name ?? '') ?? 0) + 1)
  }
  assert.deepEqual([...counts.keys()].toSorted(), ['main', 'other'])
  const share = (counts.get('main') ?? 0) / 1_000
  assert.ok(share > 0.2 && share < 0.3, `${share} of a quarter`)
  assert.equal(
    chooseRail(rails, 7n, ({ name }) => name === 'backup'),
    backup,
  )
  assert.equal(
    chooseRail(rails, 7n, () => false),
    main,
    'better to try than to refuse',
  )
  assert.equal(
    chooseRail([], 7n, () => true),
    undefined,
  )
})
