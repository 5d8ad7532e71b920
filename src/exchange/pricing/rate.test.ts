import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { bookOf, someTime } from '../../../test/support/arbitrary-terms.ts'
import { table } from '../../../test/support/table.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Book, MarketSource } from '../../markets/source.ts'
import { reduced } from '../../platform/money/ratio.ts'
import type { MarketMoment } from './market.ts'
import { isGain, isGreater, pathPrice } from './path.ts'
import { rateBetween } from './rate.ts'
import type { Rate } from './rate.ts'

/** A market whose books a test sets. */
type OpenMarket = MarketSource & { set(index: number, book: Book | undefined): void }

function marketOf(books: readonly Book[]): OpenMarket {
  let now: readonly (Book | undefined)[] = books
  return {
    name: 'test',
    reference: 'EUR',
    markets: books.map(({ market }) => market),
    booksAt: () => now,
    set: (index, book) => void (now = now.with(index, book)),
  }
}

/** Books from a text table: market, its own source, bid and ask in whole hundredths, age in seconds. */
const booksFrom = (text: string): Book[] =>
  table(text).map(({ market = '', bid = '', ask = '', age = '0', source = 'test' }) => {
    const [base = '', quote = ''] = market.split('/')
    const [low, high] = [BigInt(bid) * 10n ** 6n, BigInt(ask) * 10n ** 6n]
    return bookOf(base, quote, low, high, after(someTime, -1_000 * Number(age)), source)
  })

const momentOf = (market: MarketSource, ms = 0): MarketMoment => ({
  market,
  now: after(someTime, ms),
  maxPriceAgeSeconds: 60,
})

/** The path as text: `BTC/USD sell, EUR/USD buy`. */
const pathOf = (rate: Rate | undefined): string =>
  rate ? rate.legs.map(({ book, crossing }) => `${book.market.name} ${crossing}`).join(', ') : 'none'

const priceOf = (rate: Rate | undefined): string => {
  const { numerator, denominator } = reduced((rate ?? assert.fail()).price)
  return `${numerator}/${denominator}`
}

test('a price is sold at bids and bought at asks, along the path that gives most', () => {
  const market = marketOf(
    booksFrom(`
      market   bid      ask
      BTC/USD  9990000  10000000
      BTC/EUR  9000000  9020000
      EUR/USD  110      111
      EUR/PLN  400      401
    `),
  )
  // Directly 1/90,200; through the dollar 1.10/100,000 = 1/90,909.
  const buy = rateBetween(momentOf(market), 'EUR', 'BTC')
  assert.deepEqual([pathOf(buy), priceOf(buy)], ['BTC/EUR buy', '1/90200'])
  // Directly 90,000; through the dollar 99,900 / 1.11 = exactly 90,000 as well: the fewest legs.
  const sell = rateBetween(momentOf(market), 'BTC', 'EUR')
  assert.deepEqual([pathOf(sell), priceOf(sell)], ['BTC/EUR sell', '90000/1'])

  market.set(0, bookOf('BTC', 'USD', 9_990_100n * 10n ** 6n, 10_000_000n * 10n ** 6n))
  const better = rateBetween(momentOf(market, 1_000), 'BTC', 'PLN')
  assert.equal(pathOf(better), 'BTC/USD sell, EUR/USD buy, EUR/PLN sell')
})

test('equal paths of equal length: the first by name, whatever the order of the markets', () => {
  const books = booksFrom(`
    market   bid  ask
    AAA/YYY  100  100
    BBB/YYY  100  100
    AAA/XXX  100  100
    BBB/XXX  100  100
  `)
  for (const order of [books, books.toReversed()]) {
    assert.equal(pathOf(rateBetween(momentOf(marketOf(order)), 'AAA', 'BBB')), 'AAA/XXX sell, BBB/XXX buy')
  }
})

test('a path has at most three legs', () => {
  const market = marketOf(
    booksFrom(`
      market   bid  ask
      AAA/BBB  100  100
      BBB/CCC  100  100
      CCC/DDD  100  100
      DDD/EEE  100  100
    `),
  )
  assert.equal(pathOf(rateBetween(momentOf(market), 'AAA', 'DDD')), 'AAA/BBB sell, BBB/CCC sell, CCC/DDD sell')
  assert.equal(rateBetween(momentOf(market), 'AAA', 'EEE'), undefined)
  assert.equal(rateBetween(momentOf(market), 'AAA', 'ZZZ'), undefined)
  assert.equal(rateBetween(momentOf(market), 'ZZZ', 'ZZZ'), undefined)
})

test('a stale book is left out: another path, and without one no price', () => {
  const market = marketOf(
    booksFrom(`
      market   bid      ask      age
      BTC/EUR  9000000  9020000  59
      BTC/USD  9800000  9900000  0
      EUR/USD  110      111      30
    `),
  )
  const paths = [0, 1_000, 1_001, 30_000, 30_001].map((ms) => pathOf(rateBetween(momentOf(market, ms), 'BTC', 'EUR')))
  const direct = 'BTC/EUR sell'
  const around = 'BTC/USD sell, EUR/USD buy'
  assert.deepEqual(paths, [direct, direct, around, around, 'none'])

  const gone = marketOf([...market.booksAt(someTime)].filter((book) => book !== undefined))
  gone.set(0, undefined)
  assert.equal(pathOf(rateBetween(momentOf(gone), 'BTC', 'EUR')), around)
})

test('prices are current; the path is chosen again each second', () => {
  const market = marketOf(
    booksFrom(`
      market   bid      ask
      BTC/EUR  9000000  9020000
      BTC/USD  9800000  9900000
      EUR/USD  110      111
    `),
  )
  const [direct, dollars] = market.booksAt(someTime)
  assert.ok(direct && dollars)
  assert.equal(pathOf(rateBetween(momentOf(market), 'BTC', 'EUR')), 'BTC/EUR sell')

  const cheap = { ...direct, bid: { numerator: 80_000n, denominator: 1n } }
  market.set(0, cheap)
  const same = rateBetween(momentOf(market, 999), 'BTC', 'EUR')
  assert.deepEqual([pathOf(same), priceOf(same)], ['BTC/EUR sell', '80000/1'])
  assert.equal(pathOf(rateBetween(momentOf(market, 1_000), 'BTC', 'EUR')), 'BTC/USD sell, EUR/USD buy')
})

test('a rate stays the same object until a book on its path changes', () => {
  const market = marketOf(
    booksFrom(`
      market   bid      ask
      BTC/USD  9800000  9900000
      EUR/USD  110      111
      ETH/USD  300000   300100
    `),
  )
  const rate = rateBetween(momentOf(market), 'EUR', 'BTC')
  const [dollars, , ether] = market.booksAt(someTime)
  market.set(2, ether && { ...ether, at: after(someTime, 500) })
  assert.equal(rateBetween(momentOf(market, 600), 'EUR', 'BTC'), rate)
  assert.equal(rateBetween(momentOf(market, 5_000), 'EUR', 'BTC'), rate)
  market.set(0, dollars && { ...dollars, at: after(someTime, 500) })
  assert.notEqual(rateBetween(momentOf(market, 5_000), 'EUR', 'BTC'), rate)
})

test('books of sources that contradict each other sell nothing at a gain: the pair has no price', () => {
  const rows = `
    market   bid      ask      source
    BTC/USD  9990000  10000000  one
    BTC/USD  9995000  10005000  two
    ETH/USD  300000   300100    one
    EUR/USD  110      111       one
  `
  const market = marketOf(booksFrom(rows))
  const pairs = [
    ['BTC', 'USD'],
    ['USD', 'BTC'],
    ['ETH', 'BTC'],
    ['EUR', 'BTC'],
  ] as const
  const priced = () => pairs.map(([from, to]) => pathOf(rateBetween(momentOf(market), from, to)) !== 'none')
  assert.deepEqual(priced(), [true, true, true, true])

  // Now the second source pays more than the first asks: bought here, sold there, 100,000 come back as 100,100.
  const [, second] = market.booksAt(someTime)
  market.set(1, second && bookOf('BTC', 'USD', 10_010_000n * 10n ** 6n, 10_020_000n * 10n ** 6n, someTime, 'two'))
  // The euro's own width is more than that: there and back from it still loses, and so it is sold.
  assert.deepEqual(priced(), [false, false, false, true])
  assert.notEqual(rateBetween(momentOf(market), 'EUR', 'USD'), undefined)

  // Three markets that agree by two and two, and not all together.
  const cycle = marketOf(
    booksFrom(`
      market   bid       ask
      BTC/USD  10000000  10000000
      ETH/BTC  3         3
      ETH/USD  310000    310000
    `),
  )
  for (const [from, to] of [
    ['BTC', 'USD'],
    ['ETH', 'USD'],
    ['ETH', 'BTC'],
  ] as const) {
    assert.equal(rateBetween(momentOf(cycle), from, to), undefined, `${from} ${to}`)
    assert.equal(rateBetween(momentOf(cycle), to, from), undefined, `${to} ${from}`)
  }
})

const tickers = ['EUR', 'USD', 'BTC', 'ETH', 'XRP']
const anyBooks = fc.uniqueArray(
  fc
    .record({
      base: fc.constantFrom(...tickers),
      quote: fc.constantFrom(...tickers),
      bid: fc.bigInt(1n, 10n ** 6n),
      more: fc.bigInt(0n, 10n ** 6n),
      age: fc.constantFrom(0, 0, 0, 61_000),
      source: fc.constantFrom('one', 'two'),
    })
    .filter(({ base, quote }) => base !== quote)
    .map(({ base, quote, bid, more, age, source }) =>
      bookOf(base, quote, bid, bid + more, after(someTime, -age), source),
    ),
  { maxLength: 12, selector: ({ market }) => `${market.name} ${market.source}` },
)

test('whatever the books say, rate(A/B) x rate(B/A) is never above 1, and no fresh way of two legs gives more', () => {
  let sold = 0
  fc.assert(
    fc.property(anyBooks, (books) => {
      const moment = momentOf(marketOf(books))
      for (const from of tickers) {
        for (const to of tickers.filter((ticker) => ticker !== from)) {
          const [there, back] = [rateBetween(moment, from, to), rateBetween(moment, to, from)]
          assert.equal(there === undefined, back === undefined)
          if (!there || !back) continue
          sold += 1
          assert.ok(!isGain(there.price, back.price))
          for (const legs of waysOfTwo(books, from, to)) assert.ok(!isGreater(pathPrice(legs), there.price))
        }
      }
    }),
    { numRuns: 300 },
  )
  assert.ok(sold > 300, `only ${sold}`)
})

/** Every fresh way of one or two legs, found by trying them all. */
function* waysOfTwo(books: readonly Book[], from: string, to: string) {
  const steps = books
    .filter(({ at }) => at >= someTime)
    .flatMap((book) => {
      const { base, quote } = book.market
      return [
        { leg: { book, crossing: 'sell' as const }, here: base, next: quote },
        { leg: { book, crossing: 'buy' as const }, here: quote, next: base },
      ]
    })
  for (const one of steps.filter(({ here }) => here === from)) {
    if (one.next === to) yield [one.leg]
    for (const two of steps) if (two.here === one.next && two.next === to) yield [one.leg, two.leg]
  }
}
