import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { euroBook, ratesBetween, someTime } from '../../../test/support/arbitrary-terms.ts'
import type { Book, MarketSource } from '../../markets/source.ts'
import { after } from '../../platform/lib/clock.ts'
import { hasMoved, isFast, sampleMarket } from './market-speed.ts'

const limit = { moveBasisPoints: 100, withinMs: 60_000 }

/** A market of one coin whose price is set, in euros. */
function market(): MarketSource & { price: bigint; book(): Book } {
  const one = {
    name: 'test',
    reference: 'EUR',
    price: 80_000n,
    markets: [euroBook('BTC', 1n, 1n).market],
    book: () => euroBook('BTC', one.price * 100_000_000n, one.price * 100_000_000n),
    booksAt: () => [one.book()],
  }
  return one
}

const rateOf = (book: Book) => ratesBetween(euroBook('EUR', 100_000_000n, 100_000_000n), book).rate

test('a market that moved by more than the bound within the time is fast, and slow again when that is over', () => {
  const one = market()
  const fastAt = (seconds: number): boolean => {
    const now = after(someTime, seconds * 1_000)
    sampleMarket(one, now)
    return isFast(one, now, rateOf(one.book()), limit)
  }
  assert.equal(fastAt(0), false)
  one.price = 80_800n
  assert.equal(fastAt(20), false, 'exactly the bound')
  one.price = 80_801n
  assert.equal(fastAt(40), true)
  one.price = 80_400n
  assert.equal(fastAt(59), true, 'it has been at both ends within the time')
  assert.equal(fastAt(61), false)
})

test('it is fast until the move is older than the time', () => {
  const one = market()
  const fastAt = (seconds: number): boolean => {
    const now = after(someTime, seconds * 1_000)
    sampleMarket(one, now)
    return isFast(one, now, rateOf(one.book()), limit)
  }
  assert.equal(fastAt(0), false)
  one.price = 78_000n
  assert.deepEqual([fastAt(1), fastAt(30), fastAt(60), fastAt(61)], [true, true, true, false])
})

test('between two samples the present price counts', () => {
  const one = market()
  sampleMarket(one, someTime)
  one.price = 90_000n
  sampleMarket(one, after(someTime, 500))
  assert.equal(isFast(one, after(someTime, 500), rateOf(one.book()), limit), true)
})

test('a market that was never seen, or an exchange that needs none, is not fast', () => {
  const one = market()
  assert.equal(isFast(one, someTime, rateOf(one.book()), limit), false)
  sampleMarket(one, someTime)
  assert.equal(isFast(one, someTime, rateOf(euroBook('EUR', 1n, 1n)), limit), false)
})

test('the order of prices does not matter, and neither do their terms', () => {
  const ratios = fc.record({ numerator: fc.bigInt(1n, 10n ** 12n), denominator: fc.bigInt(1n, 10n ** 12n) })
  fc.assert(
    fc.property(
      fc.array(ratios, { minLength: 1, maxLength: 6 }),
      fc.nat(500),
      fc.bigInt(1n, 99n),
      (prices, points, by) => {
        const moved = hasMoved(prices, points)
        assert.equal(hasMoved(prices.toReversed(), points), moved)
        const scaled = prices.map(({ numerator, denominator }) => ({
          numerator: numerator * by,
          denominator: denominator * by,
        }))
        assert.equal(hasMoved(scaled, points), moved)
        const exact = prices.some((high) =>
          prices.some(
            (low) =>
              high.numerator * low.denominator * 10_000n > low.numerator * high.denominator * BigInt(10_000 + points),
          ),
        )
        assert.equal(moved, exact)
      },
    ),
  )
})
