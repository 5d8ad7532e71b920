import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { findListing } from '../../reference/catalog/asset.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { judgeMethod } from './judge-method.ts'
import type { MethodWanted } from './judge-method.ts'
import type { Failure } from './rule.ts'

const open = { sides: ['buy' as const], min: null, max: null }
const sepa: PaymentMethod = { type: 'SEPA_1', category: 'SEPA', deposit: open, withdrawal: null }
const card: PaymentMethod = { type: 'VISA_MC_1', category: 'VISA_MC', deposit: open, withdrawal: null }
const closed: PaymentMethod = { ...sepa, type: 'SEPA_2', deposit: { ...open, sides: [] } }

const euro = findListing('EUR') ?? assert.fail()
const paidBy = (...paymentMethods: PaymentMethod[]): Listing => ({
  ...euro,
  network: { ...euro.network, paymentMethods },
})

function judge(
  listing: Listing,
  change: Partial<MethodWanted>,
): { chosen: PaymentMethod | undefined; failures: Failure[] } {
  const failures: Failure[] = []
  const paths = { type: 'deposit_type', category: 'deposit_category', neither: 'to_currency' }
  const wanted = {
    way: 'deposit',
    rails: everyRail,
    side: 'buy',
    country: undefined,
    type: undefined,
    category: undefined,
    paths,
  } as const
  return { chosen: judgeMethod(listing, { ...wanted, ...change }, (failure) => failures.push(failure)), failures }
}

test('an unnamed method is the first that is open and reaches the country', () => {
  const listing = paidBy(closed, sepa, card)
  assert.equal(judge(listing, {}).chosen, sepa)
  assert.equal(judge(listing, { country: findCountry('DE') }).chosen, sepa)
  assert.equal(judge(listing, { country: findCountry('BR') }).chosen, card)
})

test('a method that does not reach the country is refused by name', () => {
  const { chosen, failures } = judge(paidBy(sepa, card), { country: findCountry('BR'), category: 'sepa' })
  assert.equal(chosen, undefined)
  assert.deepEqual(
    failures.map(({ rule, problem }) => [rule, problem.path]),
    [['the deposit method reaches the country', 'deposit_category']],
  )
})

test('in a country that is not served, the country is at fault and not the method', () => {
  assert.equal(judge(paidBy(sepa), { country: findCountry('IR') }).chosen, sepa)
})

test('a type and a category that do not belong together name no method', () => {
  const { failures } = judge(paidBy(sepa, card), { type: 'SEPA_1', category: 'VISA_MC' })
  assert.deepEqual(
    failures.map(({ rule, problem }) => [rule, problem.path]),
    [['the deposit method is open', 'deposit_type']],
  )
})

test('a closed method, one of another side and one of the other way are not open', () => {
  for (const [listing, change] of [
    [paidBy(closed), {}],
    [paidBy(sepa), { side: 'swap' }],
    [paidBy(sepa), { way: 'payout' }],
  ] as const) {
    assert.deepEqual(
      judge(listing, change).failures.map(({ code, problem }) => [code, problem.path]),
      [['PAIR_NOT_AVAILABLE', 'to_currency']],
    )
  }
})
