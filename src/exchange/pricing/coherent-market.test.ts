import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { bookOf, someTime } from '../../../test/support/arbitrary-terms.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Book, MarketSource } from '../../markets/source.ts'
import { ratioText, reduced } from '../../platform/money/ratio.ts'
import { coherent } from './coherent-market.ts'
import { isGain } from './path.ts'
import { rateBetween } from './rate.ts'

const hundredth = 10n ** 6n

function marketOf(books: readonly Book[]): MarketSource {
  const source = {
    name: 'test',
    reference: 'EUR',
    markets: books.map(({ market }) => market),
    booksAt: () => books,
  }
  return coherent(source, { maxPriceAgeSeconds: 60, toleranceBasisPoints: 200 })
}

test('a book that contradicts the others a little is widened to what they say, on the side that is off', () => {
  const inDollars = (bid: bigint, ask: bigint): string => {
    const market = marketOf([
      bookOf('BTC', 'USD', bid * hundredth, ask * hundredth),
      bookOf('BTC', 'EUR', 9_990n * hundredth, 10_010n * hundredth),
      bookOf('USD', 'EUR', 50n * hundredth, 50n * hundredth),
    ])
    const [book] = market.booksAt(someTime)
    if (!book) return 'no price'
    return [book.bid, book.ask].map((price) => Object.values(ratioText(reduced(price))).join('/')).join(' ')
  }
  assert.equal(inDollars(19_990n, 20_010n), '1999/10 2001/10', 'they agree')
  assert.equal(inDollars(20_040n, 20_060n), '200/1 1003/5', 'it gives too much')
  assert.equal(inDollars(19_940n, 19_960n), '997/5 200/1', 'it asks too little')
  assert.equal(inDollars(29_990n, 30_010n), 'no price', 'it contradicts them altogether')
})

test('a book keeps its identity, and the list with it, while nothing changes', () => {
  const market = marketOf([bookOf('BTC', 'EUR', 9_990n * hundredth, 10_010n * hundredth)])
  const first = market.booksAt(someTime)
  assert.equal(market.booksAt(after(someTime, 5_000)), first)
})

/** Books of markets among seven currencies, each off by up to three percent from one truth that none of them knows. */
const contradictions = fc.array(
  fc.record({
    base: fc.constantFrom('BTC', 'ETH', 'SOL', 'USDT', 'GBP', 'USD'),
    quote: fc.constantFrom('EUR', 'USD', 'USDT', 'BTC'),
    off: fc.integer({ min: -300, max: 300 }),
    width: fc.integer({ min: 0, max: 40 }),
  }),
  { minLength: 6, maxLength: 16 },
)
const truth: Record<string, bigint> = { EUR: 1n, USD: 2n, GBP: 3n, USDT: 2n, BTC: 50_000n, ETH: 3_000n, SOL: 150n }

test('no round of two or three exchanges gains, however the sources contradict each other', () => {
  let priced = 0
  fc.assert(
    fc.property(contradictions, (drawn) => {
      const markets = [...new Map(drawn.map((one) => [`${one.base}/${one.quote}`, one])).values()].filter(
        ({ base, quote }) => base !== quote,
      )
      const books = markets.map(({ base, quote, off, width }) => {
        const middle = ((truth[base] ?? 1n) * 10n ** 8n * BigInt(10_000 + off)) / (truth[quote] ?? 1n) / 10_000n
        const half = (middle * BigInt(width)) / 10_000n
        return bookOf(base, quote, middle - half, middle + half)
      })
      const moment = { market: marketOf(books), now: someTime, maxPriceAgeSeconds: 60 }
      const tickers = Object.keys(truth)
      for (const a of tickers)
        for (const b of tickers)
          for (const c of tickers) {
            const legs = [rateBetween(moment, a, b), rateBetween(moment, b, c), rateBetween(moment, c, a)]
            const [one, two, three] = legs
            if (!one || !two || !three) continue
            if (a !== b && b !== c) priced += 1
            const twice = {
              numerator: one.price.numerator * two.price.numerator,
              denominator: one.price.denominator * two.price.denominator,
            }
            assert.ok(!isGain(twice, three.price), `${a} to ${b} to ${c} and back gains`)
          }
    }),
    { numRuns: 150 },
  )
  assert.ok(priced > 1_000, 'rounds were priced at all')
})
