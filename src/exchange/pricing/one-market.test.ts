import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { bookOf, someTime } from '../../../test/support/arbitrary-terms.ts'
import { table } from '../../../test/support/table.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Book, MarketSource } from '../../markets/source.ts'
import { ratioText, reduced } from '../../platform/money/ratio.ts'
import { agreementOf, oneMarket } from './one-market.ts'
import { isGain } from './path.ts'
import { rateBetween } from './rate.ts'

const fiat = new Set(['EUR', 'USD', 'GBP'])
const agreement = agreementOf({ maxPriceAgeSeconds: 60, isFiat: (ticker) => fiat.has(ticker) })
const hundredth = 10n ** 6n

/** A source whose books a test may set. */
type OpenSource = MarketSource & { set(index: number, book: Book | undefined): void }

function sourceOf(name: string, books: readonly Book[]): OpenSource {
  let now: readonly (Book | undefined)[] = books
  return {
    name,
    reference: 'EUR',
    markets: books.map(({ market }) => market),
    booksAt: () => now,
    set: (index, book) => void (now = now.with(index, book)),
  }
}

/** One market as several sources tell it: `name bid ask age`, prices in hundredths, ages in seconds. */
const sources = (market: string, tellings: string): OpenSource[] =>
  table(tellings).map(({ name = '', bid = '', ask = '', age = '0' }) => {
    const [base = '', quote = ''] = market.split('/')
    const at = after(someTime, -1_000 * Number(age))
    return sourceOf(name, [bookOf(base, quote, BigInt(bid) * hundredth, BigInt(ask) * hundredth, at, name)])
  })

const together = (feeds: readonly MarketSource[]): MarketSource =>
  oneMarket(
    feeds.map((market) => ({ market, isSufficient: false })),
    agreement,
  )

/** The one book of the first market, as text. */
function bookIn(market: MarketSource, ms = 0): string {
  const [book] = market.booksAt(after(someTime, ms))
  if (!book) return 'no price'
  const [bid, ask] = [book.bid, book.ask].map((price) => Object.values(ratioText(reduced(price))).join('/'))
  return `${bid} ${ask} by ${book.market.source}`
}

test('a feed that is 1,000 times too high moves nothing: it is left out, and never averaged in', () => {
  const three = `
    name   bid      ask
    one    9990     10010
    two    9992     10012
    three  9994     10014
  `
  assert.equal(bookIn(together(sources('BTC/EUR', three))), '2498/25 2503/25 by one+three+two')
  const wild = `${three}    wild   9990000  10010000\n`
  assert.equal(bookIn(together(sources('BTC/EUR', wild))), '2498/25 2503/25 by one+three+two')
})

test('sources that disagree make no price, and neither do too few', () => {
  const feeds = (market: string, text: string) => bookIn(together(sources(market, text)))
  const [two, three] = [
    'name  bid   ask\n one   9990  10010\n two   9990  10010',
    'name  bid   ask\n one   9990  10010\n two   9990  10010\n wild  20000  20010',
  ]
  assert.equal(feeds('BTC/EUR', two), 'no price', 'a coin needs three')
  assert.equal(feeds('EUR/USD', two), '999/10 1001/10 by one+two', 'two fiat currencies need two')
  assert.equal(feeds('BTC/EUR', three), 'no price', 'two of three are not three')
  assert.equal(feeds('EUR/USD', three), '999/10 1001/10 by one+two')
  const split = 'name  bid    ask\n a     9990   10010\n b     9990   10010\n c     20000  20010\n d     20000  20010'
  assert.equal(feeds('EUR/USD', split), 'no price', 'half against half is no agreement')
  const crossed = 'name  bid    ask\n a     9990   10010\n b     10020  10010'
  assert.equal(feeds('EUR/USD', crossed), 'no price', 'a source that gives more than it asks is unsound')
})

test('stale sources are left out, as soon as they are stale', () => {
  const feeds = sources(
    'BTC/EUR',
    'name  bid   ask    age\n a     9990  10010  0\n b     9990  10010  0\n c     9990  10010  30',
  )
  const market = together(feeds)
  const first = market.booksAt(someTime)
  assert.equal(bookIn(market), '999/10 1001/10 by a+b+c')
  assert.equal(market.booksAt(after(someTime, 30_000)), first, 'the same list while nothing changes')
  assert.equal(bookIn(market, 30_001), 'no price')
  feeds[2]?.set(0, bookOf('BTC', 'EUR', 9_990n * hundredth, 10_010n * hundredth, after(someTime, 30_000), 'c'))
  assert.equal(bookIn(market, 30_002), '999/10 1001/10 by a+b+c')
})

test('the recorded market of the sandbox suffices by itself, unchanged', () => {
  const [recorded] = sources('BTC/EUR', 'name      bid   ask\n recorded  9990  10010')
  assert.ok(recorded)
  assert.equal(oneMarket([{ market: recorded, isSufficient: true }], agreement), recorded)
  assert.equal(bookIn(together([recorded])), 'no price')
})

test('a book keeps its identity while those it was made from do, and the list with it', () => {
  const feeds = sources('BTC/EUR', 'name  bid   ask\n a     9990  10010\n b     9990  10010\n c     9990  10010')
  const market = together(feeds)
  const [first] = market.booksAt(someTime)
  feeds[0]?.set(0, bookOf('BTC', 'EUR', 9_991n * hundredth, 10_010n * hundredth, someTime, 'a'))
  const [second] = market.booksAt(someTime)
  assert.notEqual(second, first)
  assert.equal(market.booksAt(after(someTime, 5_000))[0], second)
})

test('a book that contradicts the others a little is widened to what they say, on the side that is off', () => {
  const inDollars = (bid: bigint, ask: bigint): string => {
    const feeds = ['a', 'b', 'c'].map((name) =>
      sourceOf(name, [
        bookOf('BTC', 'USD', bid * hundredth, ask * hundredth, someTime, name),
        bookOf('BTC', 'EUR', 9_990n * hundredth, 10_010n * hundredth, someTime, name),
        bookOf('USD', 'EUR', 50n * hundredth, 50n * hundredth, someTime, name),
      ]),
    )
    return bookIn(together(feeds))
  }
  assert.equal(inDollars(19_990n, 20_010n), '1999/10 2001/10 by a+b+c', 'they agree')
  assert.equal(inDollars(20_040n, 20_060n), '200/1 1003/5 by a+b+c', 'it gives too much')
  assert.equal(inDollars(19_940n, 19_960n), '997/5 200/1 by a+b+c', 'it asks too little')
  assert.equal(inDollars(29_990n, 30_010n), 'no price', 'it contradicts them altogether')
})

/** Four sources of markets among seven currencies, each off by up to three percent from one truth that none of them knows. */
const contradictions = fc.array(
  fc.record({
    base: fc.constantFrom('BTC', 'ETH', 'SOL', 'USDT', 'GBP', 'USD'),
    quote: fc.constantFrom('EUR', 'USD', 'USDT', 'BTC'),
    off: fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 4, maxLength: 4 }),
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
      const feeds = [0, 1, 2, 3].map((source) =>
        sourceOf(
          `s${source}`,
          markets.map(({ base, quote, off, width }) => {
            const middle =
              ((truth[base] ?? 1n) * 10n ** 8n * BigInt(10_000 + (off[source] ?? 0))) / (truth[quote] ?? 1n) / 10_000n
            const half = (middle * BigInt(width)) / 10_000n
            return bookOf(base, quote, middle - half, middle + half, someTime, `s${source}`)
          }),
        ),
      )
      const moment = { market: together(feeds), now: someTime, maxPriceAgeSeconds: 60 }
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
