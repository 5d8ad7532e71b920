import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { ratesBetween, termsInputs } from '../../../test/support/arbitrary-terms.ts'
import { lessSpread } from './price.ts'

test("a price is the market's less the spread, in lowest terms", () => {
  assert.deepEqual(lessSpread({ numerator: 1n, denominator: 80_000n }, 0), { numerator: 1n, denominator: 80_000n })
  assert.deepEqual(lessSpread({ numerator: 80_000n, denominator: 1n }, 50), { numerator: 79_600n, denominator: 1n })
})

test('rate(A/B) x rate(B/A) is at most 1, and short of it by the two spreads and the widths of the markets alone', () => {
  fc.assert(
    fc.property(termsInputs, fc.integer({ min: 0, max: 1_000 }), ({ rate }, spread) => {
      const [source = assert.fail(), target = assert.fail()] = rate.legs.map(({ book }) => book)
      const there = lessSpread(rate.price, spread)
      const back = lessSpread(ratesBetween(target, source).rate.price, spread)
      const numerator = there.numerator * back.numerator
      const denominator = there.denominator * back.denominator
      assert.ok(numerator <= denominator)

      const kept = BigInt(10_000 - spread)
      const bids = source.bid.numerator * target.bid.numerator
      const asks = source.ask.numerator * target.ask.numerator
      assert.equal(numerator * asks * 10_000n ** 2n, denominator * bids * kept ** 2n)
    }),
  )
})
