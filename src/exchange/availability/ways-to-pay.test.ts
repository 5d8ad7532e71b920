import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { policies } from '../../../test/support/policies.ts'
import { countries } from '../../reference/catalog/country.ts'
import { findListing } from '../../reference/catalog/asset.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { resolve } from './resolve.ts'
import { defaultTerms } from './partner-terms.ts'
import { waysToPay } from './ways-to-pay.ts'

const moment: ExchangeMoment = {
  market: recordedMarket(1),
  now: new Date('2026-11-20T08:00:00.000Z'),
  maxPriceAgeSeconds: 60,
  rails: everyRail,
  policies,
}
const direct = (value: string) => ({ direction: 'direct' as const, value })
const ask = { fromCurrency: 'EUR', toCurrency: 'BTC', amount: direct('100') }
const { paymentMethods } = findListing('EUR')?.network ?? assert.fail()
const typesIn = (change: object): string[] =>
  waysToPay(moment, defaultTerms, { ...ask, ...change }).map(({ method }) => method.type)

test('the ways to pay are those that the resolver accepts by name, in the order of the catalog, each with its sum', () => {
  for (const country of [undefined, ...countries.map(({ alpha2 }) => alpha2)]) {
    for (const value of ['5', '30', '100', '20000', '90000']) {
      const asked = { ...ask, country, amount: direct(value) }
      const accepted = paymentMethods.flatMap(({ type }) => {
        const outcome = resolve(moment, defaultTerms, { ...asked, depositType: type })
        return outcome.available ? [[type, formatAmount(outcome.sum?.toAmount ?? 0n, { decimals: 8 })]] : []
      })
      const ways = waysToPay(moment, defaultTerms, asked)
      assert.deepEqual(
        ways.map(({ method, sum }) => [method.type, formatAmount(sum.toAmount, { decimals: 8 })]),
        accepted,
      )
    }
  }
  assert.ok(typesIn({ country: 'DE' }).length > 1)
})

test('a way that does not reach the country, or does not move the amount, is not among them', () => {
  assert.ok(typesIn({ country: 'DE' }).includes('SEPA_1'))
  assert.ok(!typesIn({ country: 'BR' }).includes('SEPA_1'))
  assert.ok(!typesIn({ country: 'DE', amount: direct('30') }).includes('SEPA_1'))
  assert.deepEqual(typesIn({ country: 'KP' }), [])
})

test('the way that is named now does not narrow them, and a dearer way pays less', () => {
  assert.deepEqual(
    typesIn({ country: 'DE', depositType: 'SEPA_1', depositCategory: 'SEPA' }),
    typesIn({ country: 'DE' }),
  )
  const ways = waysToPay(moment, defaultTerms, { ...ask, country: 'DE' })
  const paid = (type: string) => ways.find(({ method }) => method.type === type)?.sum.toAmount ?? assert.fail()
  assert.ok(paid('SEPA_1') > paid('VISA_MC_1'))
})

test('of an unknown currency there is no way to pay', () => {
  assert.deepEqual(typesIn({ fromCurrency: 'XXX' }), [])
  assert.deepEqual(typesIn({ fromCurrency: undefined }), [])
})
