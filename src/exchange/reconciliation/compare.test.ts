import assert from 'node:assert/strict'
import { it } from 'node:test'

import { compareItems } from './compare.ts'

const now = new Date('2026-03-05T12:00:00Z')
const at = new Date('2026-03-01T12:00:00Z')

/** The cause where a payment has these amounts on the statement and in the books. */
function causeOf(direction: 'in' | 'out', stated: bigint, booked: bigint, asset = 'EUR-EUR'): string | undefined {
  const item = { rail: 'bank-1', direction, key: 'one', asset, first: at, last: at }
  return compareItems([{ ...item, reference: '', amount: stated }], [{ ...item, amount: booked }], [], now)[0]?.cause
}

it('what differs of a payment is a charge only where it is small, and less than the payout', () => {
  const cases: [direction: 'in' | 'out', stated: bigint, booked: bigint, cause: string | undefined][] = [
    ['out', -10_150n, -10_000n, 'charge_not_booked'],
    ['out', -15_000n, -10_000n, 'charge_not_booked'],
    ['out', -15_001n, -10_000n, 'other_amount'],
    ['out', -110_000n, -10_000n, 'other_amount'],
    ['out', -350n, -100n, 'other_amount'],
    ['out', -20_000n, -10_000n, 'double'],
    ['out', -9_000n, -10_000n, 'other_amount'],
    ['out', 0n, -10_000n, 'returned'],
    ['in', 20_000n, 10_000n, 'double'],
    ['in', 10_150n, 10_000n, 'other_amount'],
    ['in', 0n, 10_000n, 'recalled'],
    ['in', 10_000n, 10_000n, undefined],
  ]
  for (const [direction, stated, booked, cause] of cases)
    assert.equal(causeOf(direction, stated, booked), cause, `${direction} ${stated} ${booked}`)
})
