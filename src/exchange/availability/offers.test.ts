import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { policies } from '../../../test/support/policies.ts'
import fc from 'fast-check'

import { narrowMarket } from '../../../test/support/moved-market.ts'
import { listingById, listings } from '../../reference/catalog/asset.ts'
import { countries } from '../../reference/catalog/country.ts'
import { currencies, sideOf } from '../../reference/catalog/currency.ts'
import { networks } from '../../reference/catalog/network.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { MarketSource } from '../../markets/source.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { rateBetween } from '../pricing/rate.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { isAvailable, isOffered, offersAt } from './offers.ts'
import type { Offers } from './offers.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, type PartnerTerms } from './partner-terms.ts'
import { rules } from './rule.ts'

const sideNames = ['buy', 'sell', 'swap'] as const
const now = new Date('2026-11-20T08:00:00.000Z')
const moment: ExchangeMoment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail, policies }

/** The recorded market as far as it trades these tickers. */
const marketOf = (tickers: readonly string[]) => narrowMarket(moment.market, tickers)

/** Mostly a known text, sometimes absent or unknown; `rarely` is mostly absent. */
const maybe = (known: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...known), weight: 9 },
    { arbitrary: fc.constantFrom(undefined, 'NOPE', ''), weight: 1 },
  )
const rarely = (known: readonly string[]): fc.Arbitrary<string | undefined> =>
  fc.option(maybe(known), { nil: undefined, freq: 1 })

const tickers = currencies.map(({ ticker }) => ticker)
const codes = [...networks.map(({ code }) => code), 'EUR']
const ask = fc.record({
  fromCurrency: fc.oneof(fc.constantFrom('EUR', 'usd', 'GBP'), maybe(tickers)),
  fromNetwork: rarely(codes),
  toCurrency: fc.oneof(fc.constantFrom('btc', 'ETH', 'USDT'), maybe(tickers)),
  toNetwork: rarely(codes),
  depositCategory: rarely(paymentCategories.map(({ category }) => category)),
  country: rarely(countries.map(({ alpha2 }) => alpha2)),
  amount: fc.record({
    direction: fc.constantFrom('direct' as const, 'reverse' as const),
    value: fc
      .oneof(
        fc.bigInt(1n, 10n ** 9n),
        fc.bigInt(1n, 300n).map((whole) => whole * 10_000n),
      )
      .map((units) => formatAmount(units, { decimals: 4 })),
    feesIncluded: fc.boolean(),
  }),
})
const partner: fc.Arbitrary<PartnerTerms> = fc.constantFrom(
  ...[0, 30, 500].flatMap((commissionBasisPoints) =>
    [null, '30', '20000'].flatMap((min) =>
      [null, '100', '9000'].map((max) => ({ commissionBasisPoints, limits: { min, max } })),
    ),
  ),
)
const market = fc.constantFrom(moment.market, moment.market, marketOf(['EUR', 'BTC', 'USDT']))

/** The offers of each market and partner, looked up once. */
const offers = new Map<MarketSource, Map<PartnerTerms, Offers>>()
function offersOf(at: ExchangeMoment, terms: PartnerTerms): Offers {
  const known = offers.get(at.market) ?? new Map<PartnerTerms, Offers>()
  const found = known.get(terms) ?? offersAt(at, terms)
  offers.set(at.market, known.set(terms, found))
  return found
}

test('the range, the estimate, the listing and the list of failures never disagree', () => {
  let priced = 0
  fc.assert(
    fc.property(ask, partner, market, (any, terms, source) => {
      const at: ExchangeMoment = { ...moment, market: source }
      const range = resolve(at, terms, { ...any, amount: undefined })
      const estimate = resolve(at, terms, any)

      if (estimate.available) {
        priced += 1
        assert.ok(range.available && estimate.sum)
        const { min, max } = range.exchange.range
        assert.ok(estimate.sum.fromAmount >= min && estimate.sum.fromAmount <= max && estimate.sum.toAmount > 0n)
      } else if (range.available) {
        assert.ok(estimate.failures.every(({ rule }) => rule.startsWith('the amount ')))
      } else {
        assert.deepEqual(
          estimate.failures.filter(({ rule }) => !rule.startsWith('the amount ')),
          range.failures,
        )
      }

      if (range.available) {
        const { exchange } = range
        const { assets, currencies: listed } = offersOf(at, terms)
        for (const { asset, currency } of [exchange.source, exchange.target]) {
          assert.ok(assets.get(asset.id)?.[exchange.side] && isAvailable(listed.get(currency.ticker)))
        }
        assert.ok(isOffered(at, terms, exchange.source, exchange.target))
      }
    }),
    { numRuns: 3_000 },
  )
  assert.ok(priced > 50, `only ${priced} of the requests were available`)
})

test('failures come in the order of the rules, once, each with the code of its rule', () => {
  const order = Object.keys(rules)
  fc.assert(
    fc.property(ask, partner, (any, terms) => {
      const result = resolve(moment, terms, any)
      if (result.available) return
      const places = result.failures.map(({ rule }) => order.indexOf(rule))
      assert.deepEqual(
        places,
        [...new Set(places)].toSorted((a, b) => a - b),
      )
      for (const { rule, code } of result.failures) assert.equal(code, rules[rule].code)
    }),
    { numRuns: 500 },
  )
})

test('an asset is listed on a side exactly when some exchange with it on that side has a range', () => {
  for (const source of [moment.market, marketOf(['EUR', 'BTC', 'USDT']), marketOf(['BTC'])]) {
    const at: ExchangeMoment = { ...moment, market: source }
    const { assets, currencies: listed } = offersAt(at, defaultTerms)
    const exchanged = new Set<string>()
    for (const from of listings) {
      for (const to of listings) {
        const side = sideOf(from.currency, to.currency)
        if (side && isOffered(at, defaultTerms, from, to))
          exchanged.add(`${from.asset.id} ${side}`).add(`${to.asset.id} ${side}`)
      }
    }
    const openSides = [...assets].flatMap(([id, sides]) =>
      sideNames.filter((side) => sides[side]).map((side) => `${id} ${side}`),
    )
    assert.deepEqual(new Set(openSides), exchanged)
    for (const { ticker, networks: places } of currencies) {
      const open = places.some(({ asset }) => isAvailable(assets.get(asset.id)))
      assert.equal(isAvailable(listed.get(ticker)), open, ticker)
    }
  }
})

test('what some method can move is on offer, even if the bounds of the first one leave a partner no amount', () => {
  const partner = { ...defaultTerms, limits: { min: '22000', max: '26000' } }
  const [euro, bitcoin] = [listingById('EUR-EUR') ?? assert.fail(), listingById('BTC-BTC') ?? assert.fail()]
  assert.equal(resolve(moment, partner, { fromCurrency: 'EUR', toCurrency: 'BTC' }).available, false)
  assert.ok(resolve(moment, partner, { fromCurrency: 'EUR', toCurrency: 'BTC', depositType: 'SEPA_1' }).available)
  assert.ok(isOffered(moment, partner, euro, bitcoin))
  assert.ok(!isOffered(moment, partner, euro, bitcoin, { depositType: 'VISA_MC_1' }))
})

test('every currency that the catalog opens has a level in the recorded market', () => {
  for (const { ticker, enabled } of currencies) {
    assert.ok(!enabled || rateBetween(moment, ticker, moment.market.reference), ticker)
  }
})

test('a currency whose price is missing is listed, and not available', () => {
  const { assets, currencies: listed } = offersAt({ ...moment, market: marketOf(['EUR', 'BTC']) }, defaultTerms)
  assert.equal(isAvailable(listed.get('BTC')), true)
  assert.equal(isAvailable(listed.get('ETH')), false)
  assert.equal(isAvailable(assets.get('GBP-GBP')), false)
})
