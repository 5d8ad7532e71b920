import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { marketPrice, termsInputs } from '../../test/support/arbitrary-terms.ts'
import { crossPrice } from './price.ts'

test('a price is bid over ask less the spread, in lowest terms', () => {
  const euro = marketPrice('EUR', 100_000_000n, 100_000_000n)
  const coin = marketPrice('BTC', 8_000_000_000_000n, 8_000_000_000_000n)
  assert.deepEqual(crossPrice(euro, coin, 0), { numerator: 1n, denominator: 80_000n })
  assert.deepEqual(crossPrice(coin, euro, 50), { numerator: 79_600n, denominator: 1n })
})

test('rate(A/B) x rate(B/A) is at most 1, and short of it by the two spreads and the market distance alone', () => {
  fc.assert(
    fc.property(termsInputs, fc.integer({ min: 0, max: 1_000 }), ({ fromPrice, toPrice }, spread) => {
      const there = crossPrice(fromPrice, toPrice, spread)
      const back = crossPrice(toPrice, fromPrice, spread)
      const numerator = there.numerator * back.numerator
      const denominator = there.denominator * back.denominator
      assert.ok(numerator <= denominator)

      const kept = BigInt(10_000 - spread)
      const bids = fromPrice.bid.numerator * toPrice.bid.numerator
      const asks = fromPrice.ask.numerator * toPrice.ask.numerator
      assert.equal(numerator * asks * 10_000n ** 2n, denominator * bids * kept ** 2n)
    }),
  )
})
