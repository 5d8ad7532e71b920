import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { policies } from '../../../test/support/policies.ts'
import { narrowMarket } from '../../../test/support/moved-market.ts'
import { type Listing, listings } from '../../reference/catalog/asset.ts'
import { countries, findCountry } from '../../reference/catalog/country.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { openWaysAt } from './open-ways.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, type PartnerTerms } from './partner-terms.ts'
import type { ExchangeRequest } from './request.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const moment: ExchangeMoment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail, policies }
/** A small market, so that all of it can be asked for. */
const small: ExchangeMoment = { ...moment, market: narrowMarket(moment.market, ['EUR', 'GBP', 'BRL', 'BTC', 'USDT']) }

const countryOf = (alpha2: string) => findCountry(alpha2) ?? assert.fail(alpha2)
const withLimits = (min: string | null, max: string | null): PartnerTerms => ({ ...defaultTerms, limits: { min, max } })

/** What is open in a country, in short: `SEPA in out`. */
function openIn(alpha2: string, waysOf = openWaysAt(moment, defaultTerms), ticker?: string): string[] {
  const country = countryOf(alpha2)
  return paymentCategories.flatMap(({ category }) => {
    const { deposit, withdrawal } = waysOf({ category, country, ticker })
    return deposit || withdrawal ? [`${category}${deposit ? ' in' : ''}${withdrawal ? ' out' : ''}`] : []
  })
}

/** Whether the resolver accepts any pair with anything at the other end, by any method there. */
const isAccepted = (
  at: ExchangeMoment,
  partner: PartnerTerms,
  listing: Listing,
  by: ExchangeRequest,
  way: 'in' | 'out',
): boolean =>
  listings.some(({ asset: other, network }) =>
    network.paymentMethods.some(({ type }) => {
      const here = listing.asset
      const [from, to] = way === 'in' ? [here, other] : [other, here]
      return resolve(at, partner, {
        ...(way === 'in' ? { payoutType: type } : { depositType: type }),
        ...by,
        fromCurrency: from.ticker,
        fromNetwork: from.network,
        toCurrency: to.ticker,
        toNetwork: to.network,
      }).available
    }),
  )

test('a category is open in a country exactly when the resolver accepts one of its methods there by name', () => {
  for (const [partner, tickers] of [
    [defaultTerms, ['EUR', 'BRL', 'USDT', 'PLN']],
    [withLimits('22000', '26000'), ['EUR', 'GBP']],
  ] as const) {
    const waysOf = openWaysAt(small, partner)
    for (const ticker of tickers) {
      for (const alpha2 of ['DE', 'GB', 'BR', 'US', 'KP']) {
        const accepted = paymentCategories.flatMap(({ category }) => {
          const methods = listings
            .filter(({ asset }) => asset.ticker === ticker)
            .flatMap((listing) =>
              listing.network.paymentMethods
                .filter((method) => method.category === category)
                .map(({ type }) => ({ listing, type })),
            )
          const ask = { fromCurrency: undefined, toCurrency: undefined, country: alpha2 }
          const isIn = methods.some(({ listing, type }) =>
            isAccepted(small, partner, listing, { ...ask, depositType: type }, 'in'),
          )
          const isOut = methods.some(({ listing, type }) =>
            isAccepted(small, partner, listing, { ...ask, payoutType: type }, 'out'),
          )
          return isIn || isOut ? [`${category}${isIn ? ' in' : ''}${isOut ? ' out' : ''}`] : []
        })
        assert.deepEqual(openIn(alpha2, waysOf, ticker), accepted, `${ticker} in ${alpha2}`)
      }
    }
  }
})

test('what was remembered of another country holds in every country', () => {
  const waysOf = openWaysAt(moment, defaultTerms)
  for (const { alpha2 } of countries) {
    assert.deepEqual(openIn(alpha2, waysOf), openIn(alpha2), alpha2)
  }
})

test('without a fresh price, and for a partner whose limits leave no amount, nothing is open', () => {
  assert.deepEqual(openIn('DE', openWaysAt({ ...moment, market: narrowMarket(moment.market, []) }, defaultTerms)), [])
  assert.deepEqual(openIn('DE', openWaysAt(moment, withLimits('900000', null))), [])
})

test('a method whose bounds leave a partner no amount is closed, and the others stay open', () => {
  assert.deepEqual(openIn('DE', openWaysAt(moment, withLimits('22000', '26000')), 'EUR'), [
    'SEPA in out',
    'OPEN_BANKING in',
  ])
  assert.deepEqual(openIn('DE', openWaysAt(moment, defaultTerms), 'EUR'), [
    'SEPA in out',
    'VISA_MC in',
    'APPLE_PAY in',
    'GOOGLE_PAY in',
    'OPEN_BANKING in',
    'REVOLUT_PAY in',
  ])
})
