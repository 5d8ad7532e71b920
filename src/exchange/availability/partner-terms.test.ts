import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { askFor, catalogPairs } from '../../../test/support/catalog-pairs.ts'
import { feesDocument, policies, policiesWith } from '../../../test/support/policies.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'
import { defaultSettings } from '../partners/settings.ts'
import { readChanges } from '../partners/setting-text.ts'
import type { Terms } from '../partners/terms.ts'
import { policyKinds } from '../policies/kinds.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, termsOfAccount } from './partner-terms.ts'

const given = (name: string, value: object): Terms => ({
  ...defaultSettings.terms,
  ...readChanges({ [name]: JSON.stringify(value) })[0]?.terms,
})
const momentNow = {
  market: recordedMarket(1),
  now: new Date('2026-11-20T08:00:00.000Z'),
  maxPriceAgeSeconds: 60,
  rails: everyRail,
}
const accountOf = (terms: Terms, id = 7n) => ({ id, settings: { ...defaultSettings, terms } })

test('the same account has the same terms, object by object, so that what is remembered of them is found', () => {
  const account = accountOf(given('fees', { commission_percent: '1' }))
  for (const kind of ['retail', 'b2b'] as const) {
    assert.equal(termsOfAccount(account, kind), termsOfAccount(account, kind))
    assert.equal(termsOfAccount(account, kind).partnerId, 7n)
  }
  assert.notEqual(termsOfAccount(accountOf({ ...account.settings.terms }), 'retail'), termsOfAccount(account, 'retail'))
  assert.equal(termsOfAccount({ ...account, id: 8n }, 'retail').partnerId, 8n)
})

test('a side has its own limits, B2B others, and neither is the other', () => {
  const account = accountOf(given('limits', { max: '500', sell: { max: '300' }, b2b: { max: '90000' } }))
  const maxOf = (kind: 'retail' | 'b2b', fromCurrency: string, toCurrency: string) => {
    const moment = { ...momentNow, policies }
    const outcome = resolve(moment, termsOfAccount(account, kind), { fromCurrency, toCurrency })
    assert.ok(outcome.available, `no exchange of ${fromCurrency}`)
    const { terms, range } = outcome.exchange
    const { numerator, denominator } = terms.worth.price
    return Number((range.max * numerator * 100n) / (denominator * 10n ** BigInt(terms.from.decimals))) / 100
  }
  const isNear = (worth: number, most: number) => assert.ok(worth <= most && worth > most * 0.98, `${worth} of ${most}`)
  isNear(maxOf('retail', 'EUR', 'BTC'), 500)
  isNear(maxOf('retail', 'BTC', 'EUR'), 300)
  isNear(maxOf('b2b', 'EUR', 'BTC'), 90_000)
  isNear(maxOf('b2b', 'BTC', 'EUR'), 90_000)
})

test('the dearest price list that a policy can be never faults, on any pair by any method', () => {
  const dear = feesDocument({
    service: { buy: '20%', sell: '20%', swap: '20%' },
    minimum: '1000',
    methods: Object.fromEntries(paymentCategories.map(({ category }) => [category, '5%'])),
    spread: '20%',
    spread_by_side: {},
  })
  assert.deepEqual(policyKinds.fees.contradictions(dear), [])
  const account = accountOf(given('fees', { commission_percent: '20' }))
  const policies = policiesWith({ kind: 'fees', document: dear }, { kind: 'b2b', document: dear })
  const moment = { ...momentNow, policies }
  let judged = 0
  for (const pair of catalogPairs) {
    for (const { type: depositType } of pair.deposits) {
      for (const { type: payoutType } of pair.payouts) {
        for (const kind of ['retail', 'b2b'] as const) {
          const outcome = resolve(moment, termsOfAccount(account, kind), { ...askFor(pair), depositType, payoutType })
          if (outcome.available) judged += 1
        }
      }
    }
  }
  assert.ok(judged > 8_000, `only ${judged}`)
})

test("a partner's own price list takes the place of the house's", () => {
  const own = { kind: 'fees' as const, document: feesDocument({ service: { buy: '0.07%', sell: '0%', swap: '0%' } }) }
  const moment = { ...momentNow, policies: policiesWith({ ...own, partnerId: 7n }) }
  const feeFor = (id: bigint) => {
    const terms = termsOfAccount(accountOf({ ...defaultSettings.terms }, id), 'retail')
    const outcome = resolve(moment, terms, { fromCurrency: 'EUR', toCurrency: 'BTC' })
    return outcome.available ? outcome.exchange.terms.fees[0]?.basisPoints : undefined
  }
  assert.deepEqual([feeFor(7n), feeFor(8n)], [7, 100])
})

test("a pair's own service fee and spread hold both ways, and for no other pair", () => {
  const document = feesDocument({ pairs: { 'BTC/EUR': { service: '0.3%', spread: '0.1%' } } })
  const moment = { ...momentNow, policies: policiesWith({ kind: 'fees', document }) }
  const termsFor = (fromCurrency: string, toCurrency: string) => {
    const outcome = resolve(moment, defaultTerms, { fromCurrency, toCurrency })
    assert.ok(outcome.available)
    const { fees, schedule, side } = outcome.exchange.terms
    return [fees[0]?.basisPoints, schedule.spreadBasisPoints[side]]
  }
  assert.deepEqual(termsFor('EUR', 'BTC'), [30, 10])
  assert.deepEqual(termsFor('BTC', 'EUR'), [30, 10])
  assert.deepEqual(termsFor('EUR', 'ETH'), [100, 50])
})
