import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { feesDocument, policies, policiesWith } from '../../../test/support/policies.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Book, MarketSource } from '../../markets/source.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { termsOf } from '../pricing/terms.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, type PartnerTerms } from './partner-terms.ts'
import type { Exchange } from './exchange.ts'

const now = new Date('2026-11-20T08:00:00.000Z')

/** The recorded market, stopped, with one book at a time moved by hand. */
function movable(): MarketSource & { move(name: string): void } {
  const recorded = recordedMarket(1)
  let books: readonly (Book | undefined)[] = recorded.booksAt(now)
  const moved = (book: Book): Book => ({ ...book, ask: { ...book.ask, numerator: book.ask.numerator + 1n } })
  return {
    ...recorded,
    booksAt: () => books,
    move: (name) => void (books = books.map((book) => (book?.market.name === name ? moved(book) : book))),
  }
}

function exchangeAt(
  market: MarketSource,
  pair: string,
  partner: PartnerTerms = defaultTerms,
  ms = 0,
  at = policies,
): Exchange {
  const [fromCurrency, toCurrency] = pair.split(' ')
  const moment: ExchangeMoment = { market, now: after(now, ms), maxPriceAgeSeconds: 60, rails: everyRail, policies: at }
  const outcome = resolve(moment, partner, { fromCurrency, toCurrency })
  assert.ok(outcome.available)
  return outcome.exchange
}

test('an exchange is worked out once, and again for another partner, method or price list only', () => {
  const market = movable()
  const first = exchangeAt(market, 'EUR BTC')
  assert.equal(exchangeAt(market, 'EUR BTC', defaultTerms, 900), first)
  assert.notEqual(exchangeAt(market, 'EUR BTC', { ...defaultTerms, commissionBasisPoints: 10 }), first)
  assert.equal(exchangeAt(market, 'EUR BTC'), first)

  const dearer = feesDocument({ service: { buy: '2%', sell: '2%', swap: '2%' } })
  const changing = policiesWith({ kind: 'fees', document: dearer, effectiveAt: after(now, 2_000) })
  const versionAt = (ms: number) => exchangeAt(market, 'EUR BTC', defaultTerms, ms, changing).terms.schedule.version
  assert.deepEqual([versionAt(1_999), versionAt(2_000), versionAt(1_999)], [1, 2, 1])
})

test('a price that changes is in the next exchange, and throws away none whose path it is not on', () => {
  const market = movable()
  const before = new Map(['EUR BTC', 'PLN SHIB', 'GBP ETH'].map((pair) => [pair, exchangeAt(market, pair)]))
  const onPath = (exchange: Exchange, name: string) =>
    [...exchange.terms.rate.legs, ...exchange.terms.worth.legs].some(({ book }) => book.market.name === name)
  market.move('SHIB/USD')
  for (const [pair, exchange] of before) {
    const again = exchangeAt(market, pair)
    assert.equal(again === exchange, !onPath(exchange, 'SHIB/USD'), pair)
  }
  const [shib, again] = [before.get('PLN SHIB') ?? assert.fail(), exchangeAt(market, 'PLN SHIB')]
  const { numerator, denominator } = shib.terms.price
  assert.ok(again.terms.price.numerator * denominator < numerator * again.terms.price.denominator)
})

test('a cached exchange equals a computed one', () => {
  const market = movable()
  for (const pair of ['EUR BTC', 'BTC PLN', 'SHIB XRP', 'JPY USDT']) {
    exchangeAt(market, pair)
    for (const name of ['BTC/USD', 'EUR/USD', 'EUR/PLN', 'USD/JPY', 'XRP/USD', 'USDT/USD']) market.move(name)
    const { terms } = exchangeAt(market, pair)
    const fresh = exchangeAt({ ...market }, pair, { ...defaultTerms })
    assert.deepEqual(termsOf(terms).price, fresh.terms.price, pair)
    assert.deepEqual(terms.rate.legs, fresh.terms.rate.legs, pair)
  }
})

test('a memory that is full gives the same answers, is no other market’s affair, and has room again after a minute', () => {
  const [full, other] = [movable(), movable()]
  const first = exchangeAt(full, 'EUR BTC')
  for (let at = 1; at < 32_768; at++) exchangeAt(full, 'EUR BTC', { ...defaultTerms })

  assert.deepEqual(exchangeAt(full, 'GBP ETH'), exchangeAt(other, 'GBP ETH'))
  assert.notEqual(exchangeAt(full, 'GBP ETH', defaultTerms, 59_999), exchangeAt(full, 'GBP ETH', defaultTerms, 59_999))
  assert.equal(exchangeAt(full, 'EUR BTC'), first, 'what was kept before it was full')
  assert.equal(exchangeAt(other, 'GBP ETH'), exchangeAt(other, 'GBP ETH'))

  const kept = exchangeAt(full, 'GBP ETH', defaultTerms, 60_000)
  assert.equal(exchangeAt(full, 'GBP ETH', defaultTerms, 60_000), kept)
})
