import assert from 'node:assert/strict'
import { test } from 'node:test'

import { after } from '../../platform/lib/clock.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { pathsBetween, roadsOf } from '../../exchange/pricing/path.ts'
import { rateBetween } from '../../exchange/pricing/rate.ts'
import { recordedLevels } from './recorded-levels.ts'
import { recordedMarket } from './recorded-market.ts'

const start = new Date('2026-11-20T08:00:00.000Z')
const tick = 10_000

/** A ratio in millionths of `by`; only compared here. */
const millionths = (ratio: Ratio, by: Ratio): bigint =>
  (1_000_000n * ratio.numerator * by.denominator) / (ratio.denominator * by.numerator)

const ratio = (numerator: bigint, denominator: bigint): Ratio => ({ numerator, denominator })

test('the same seed and time give the same prices, whatever was asked before', () => {
  const times = [0, 1, 500_000, 7, 31_536_000_000].map((ms) => after(start, ms))
  const once = recordedMarket(1)
  const there = times.map((at) => once.booksAt(at))
  const back = recordedMarket(1)
  times.toReversed().forEach((at, index) => assert.deepEqual(back.booksAt(at), there.at(-1 - index)))

  assert.notDeepEqual(recordedMarket(2).booksAt(start), recordedMarket(1).booksAt(start))
})

test('prices hold for a tick of ten seconds of business time, and say when it began', () => {
  const market = recordedMarket(1)
  const books = market.booksAt(after(start, 9_999))
  assert.equal(market.booksAt(start), books)
  assert.deepEqual(books[0]?.at, start)
  assert.notDeepEqual(market.booksAt(after(start, tick))[0]?.bid, books[0]?.bid)
})

test('prices stay within a few percent of the recorded level, bid below ask', () => {
  // As published: what one euro buys, and dollars for one.
  const levels = new Map([
    ['EUR/USD', ratio(10_389n, 10_000n)],
    ['EUR/GBP', ratio(82_918n, 100_000n)],
    ['BTC/USD', ratio(93_429_20n, 100n)],
    ['BTC/EUR', ratio(93_429_2000n, 10_389n)],
    ['ETH/BTC', ratio(3_332_53n, 93_429_20n)],
    ['USDT/USD', ratio(998n, 1_000n)],
  ])
  const market = recordedMarket(1)
  for (let day = 0; day < 200; day++) {
    const books = market.booksAt(after(start, day * 86_400_000))
    for (const [name, level] of levels) {
      const { bid, ask } = books.find((book) => book?.market.name === name) ?? assert.fail(name)
      const [low, high] = [millionths(bid, level), millionths(ask, level)]
      assert.ok(low < high, name)
      assert.ok(low > 935_000n && high < 1_065_000n, `${name}: ${low} to ${high}`)
    }
  }
})

test('prices move, and step by less than 0.2 percent a tick', () => {
  const market = recordedMarket(1)
  const seen = new Set<bigint>()
  for (let index = 0; index < 100; index++) {
    const before = market.booksAt(after(start, index * tick))
    for (const [place, book] of market.booksAt(after(start, (index + 1) * tick)).entries()) {
      assert.ok(book)
      const step = millionths(book.bid, before[place]?.bid ?? assert.fail())
      assert.ok(step > 998_000n && step < 1_002_000n, `${book.market.name}: ${step}`)
      seen.add(step)
    }
  }
  assert.ok(seen.size > 50)
})

test('a level is all that a currency needs: every ticker with one is a path of three legs from every other', () => {
  const market = recordedMarket(1)
  const tickers = ['EUR', ...recordedLevels.map(({ ticker }) => ticker)]
  const roads = roadsOf(market)
  for (const from of tickers) {
    for (const to of tickers) {
      if (from !== to) assert.ok(pathsBetween(market.markets, roads, from, to).length > 0, `${from} to ${to}`)
    }
  }
})

test('its markets agree: no way there and back through them ever gains', () => {
  const market = recordedMarket(7)
  for (const hours of [0, 5, 31, 400, 9_000]) {
    const now = after(start, hours * 3_600_000)
    for (const { name, base, quote } of market.markets) {
      for (const [from, to] of [
        [base, quote],
        [quote, base],
      ] as const) {
        assert.ok(rateBetween({ market, now, maxPriceAgeSeconds: 60 }, from, to), `${name} at ${now.toISOString()}`)
      }
    }
  }
})
