import assert from 'node:assert/strict'
import { test } from 'node:test'

import { after } from '../lib/clock.ts'
import type { Ratio } from '../money/ratio.ts'
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
  const there = times.map((at) => once.pricesAt(at))
  const back = recordedMarket(1)
  times.toReversed().forEach((at, index) => assert.deepEqual(back.pricesAt(at), there.at(-1 - index)))

  assert.notDeepEqual(recordedMarket(2).pricesAt(start), recordedMarket(1).pricesAt(start))
})

test('prices hold for a tick of ten seconds of business time, and say when it began', () => {
  const market = recordedMarket(1)
  const prices = market.pricesAt(after(start, 9_999))
  assert.equal(market.pricesAt(start), prices)
  assert.deepEqual(prices.get('BTC')?.at, start)
  assert.notDeepEqual(market.pricesAt(after(start, tick)).get('BTC')?.bid, prices.get('BTC')?.bid)
})

test('the reference currency is worth exactly itself', () => {
  const one = ratio(1n, 1n)
  const { reference, pricesAt } = recordedMarket(1)
  const { bid, ask } = pricesAt(start).get(reference) ?? assert.fail()
  assert.deepEqual([bid, ask], [one, one])
})

test('prices stay within a few percent of the recorded level, bid below ask', () => {
  // Euro for one: 1 / 1.0389, 1 / 0.82918, 93429.20 / 1.0389 and so on.
  const levels = new Map([
    ['USD', ratio(10_000n, 10_389n)],
    ['GBP', ratio(100_000n, 82_918n)],
    ['BTC', ratio(93_429_2000n, 10_389n)],
    ['ETH', ratio(3_332_5300n, 10_389n)],
    ['USDT', ratio(9_980n, 10_389n)],
  ])
  const market = recordedMarket(1)
  for (let day = 0; day < 200; day++) {
    const prices = market.pricesAt(after(start, day * 86_400_000))
    for (const [ticker, level] of levels) {
      const { bid, ask } = prices.get(ticker) ?? assert.fail(ticker)
      const [low, high] = [millionths(bid, level), millionths(ask, level)]
      assert.ok(low < high, ticker)
      assert.ok(low > 960_000n && high < 1_040_000n, `${ticker}: ${low} to ${high}`)
    }
  }
})

test('prices move, and step by less than 0.1 percent a tick', () => {
  const market = recordedMarket(1)
  const seen = new Set<bigint>()
  for (let index = 0; index < 300; index++) {
    const before = market.pricesAt(after(start, index * tick))
    const now = market.pricesAt(after(start, (index + 1) * tick))
    for (const [ticker, { bid }] of now) {
      const step = millionths(bid, before.get(ticker)?.bid ?? assert.fail())
      assert.ok(step > 999_000n && step < 1_001_000n, `${ticker}: ${step}`)
      seen.add(step)
    }
  }
  assert.ok(seen.size > 50)
})
