import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { askFor, catalogPairs } from '../../../test/support/catalog-pairs.ts'
import { mostBasisPoints } from '../partners/fees-text.ts'
import { defaultSettings } from '../partners/settings.ts'
import { readChanges } from '../partners/setting-text.ts'
import type { Terms } from '../partners/terms.ts'
import { b2bFeeSchedules, feeSchedules, scheduleAt } from '../pricing/fees.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { resolve } from './resolve.ts'
import { b2bTerms, termsOfAccount } from './partner-terms.ts'

const given = (name: string, value: object): Terms => ({
  ...defaultSettings.terms,
  ...readChanges({ [name]: JSON.stringify(value) })[0]?.terms,
})
const all = (percent: string) => ({ buy: percent, sell: percent, swap: percent })
const list = (version: string, from: string, percent = '1') => ({
  version,
  from,
  service_percent: all(percent),
  spread_percent: all(percent),
})

test('an account without its own terms has the default price lists, and shares the B2B terms', () => {
  const account = { ...defaultSettings.terms }
  assert.equal(termsOfAccount(account, 'retail').feeSchedules, undefined)
  assert.equal(termsOfAccount(account, 'b2b'), b2bTerms)
})

test('the same account has the same terms, object by object, so that what is remembered of them is found', () => {
  const account = given('fees', { commission_percent: '1', schedules: [list('own', '2026-01-01')] })
  for (const kind of ['retail', 'b2b'] as const) {
    assert.equal(termsOfAccount(account, kind), termsOfAccount(account, kind))
  }
  assert.notEqual(termsOfAccount({ ...account }, 'retail'), termsOfAccount(account, 'retail'))
})

test("an account's price lists apply from their time on, the default one before the first", () => {
  const lists = {
    schedules: [list('one', '2026-06-01'), list('two', '2027-01-01')],
    b2b_schedules: [list('b', '2027-01-01')],
  }
  const account = given('fees', { commission_percent: '0', ...lists })
  const versions = (kind: 'retail' | 'b2b', ...times: string[]) =>
    times.map((time) => scheduleAt(new Date(time), termsOfAccount(account, kind).feeSchedules).version)
  const [first, last] = ['2026-06-01T00:00:00Z', '2027-01-01T00:00:00Z']
  assert.deepEqual(versions('retail', '2026-05-31T23:59:59.999Z', first, '2026-12-31T23:59:59.999Z', last), [
    scheduleAt(new Date('2026-05-31'), feeSchedules).version,
    'one',
    'one',
    'two',
  ])
  const house = scheduleAt(new Date(first), b2bFeeSchedules).version
  assert.deepEqual(versions('b2b', first, last), [house, 'b'])
})

test('a side has its own limits, B2B others, and neither is the other', () => {
  const account = given('limits', { max: '500', sell: { max: '300' }, b2b: { max: '90000' } })
  const maxOf = (kind: 'retail' | 'b2b', fromCurrency: string, toCurrency: string) => {
    const moment = {
      market: recordedMarket(1),
      now: new Date('2026-11-20T08:00:00.000Z'),
      maxPriceAgeSeconds: 60,
      rails: everyRail,
    }
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

test('the dearest lists that an account can have never fault, on any pair by any method', () => {
  const most = String(mostBasisPoints / 100)
  const dear = { ...list('dear', '1970-01-01', most), service_minimum: '1000' }
  const fees = { commission_percent: most, schedules: [dear], b2b_schedules: [{ ...dear, version: 'dear-b2b' }] }
  const account = given('fees', fees)
  const now = new Date('2026-11-20T08:00:00.000Z')
  const moment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail }
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
