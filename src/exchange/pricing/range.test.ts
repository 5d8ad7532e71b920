import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { assetWith, euroBook, pairTerms, ratesBetween } from '../../../test/support/arbitrary-terms.ts'
import { schedule } from '../../../test/support/policies.ts'
import type { FeeSchedule } from './fees.ts'
import { rangeOf } from './range.ts'
import type { RangeInput } from './range.ts'
import { bareSum } from './sum.ts'
import { termsOf } from './terms.ts'
import type { PairTermsInput } from './terms.ts'

const freeSchedule: FeeSchedule = {
  ...schedule,
  serviceBasisPoints: { buy: 0, sell: 0, swap: 0 },
  spreadBasisPoints: { buy: 0, sell: 0, swap: 0 },
}
const none = { min: null, max: null }
const unbounded: RangeInput = { deposit: none, payout: none, partner: none, house: { min: '10', max: '50000' } }

const euro = { asset: assetWith('EUR', 2), price: euroBook('EUR', 100_000_000n, 100_000_000n) }
const coin = { asset: assetWith('BTC', 8), price: euroBook('BTC', 8_000_123_400_000n, 8_000_123_400_000n) }
const common = { schedule, depositBasisPoints: 250, payoutBasisPoints: 0, commissionBasisPoints: 0 }

const buy: PairTermsInput = {
  ...common,
  side: 'buy',
  from: euro.asset,
  to: coin.asset,
  ...ratesBetween(euro.price, coin.price),
  networkFee: 3_000n,
}
const sell: PairTermsInput = {
  ...common,
  side: 'sell',
  from: coin.asset,
  to: euro.asset,
  ...ratesBetween(coin.price, euro.price),
  networkFee: 0n,
}

test("a method's own bounds are the range's ends, exactly", () => {
  const range = rangeOf(termsOf(buy), { ...unbounded, deposit: { min: '20', max: '15000' } })
  assert.deepEqual(range, { min: 2_000n, max: 1_500_000n })
})

test("the partner's own bounds and the house's hold where they are narrower", () => {
  const deposit = { min: '20', max: '15000' }
  const partner = { min: '35.5', max: '900' }
  assert.deepEqual(rangeOf(termsOf(buy), { ...unbounded, deposit, partner }), { min: 3_550n, max: 90_000n })
  const cheap = termsOf({ ...buy, networkFee: 1_000n })
  assert.deepEqual(rangeOf(cheap, { ...unbounded, deposit: none }), { min: 1_000n, max: 5_000_000n })
})

test('bounds that a price was needed for are rounded inward to three digits', () => {
  // 10 and 50,000 euro at 80,001.234 for one.
  assert.deepEqual(rangeOf(termsOf(sell), unbounded), { min: 12_500n, max: 62_400_000n })
})

test('bounds are rounded inward where a unit is worth much', () => {
  // 10 to 50,000 euro are a fraction of one unit to one unit and two thirds.
  const gold = euroBook('XAU', 3_000_000_000_000n, 3_000_000_000_000n)
  const terms = termsOf({
    ...sell,
    from: assetWith('XAU', 0),
    ...ratesBetween(gold, euro.price),
    depositBasisPoints: 0,
    schedule: freeSchedule,
  })
  assert.deepEqual(rangeOf(terms, unbounded), { min: 1n, max: 1n })
})

test('the least amount pays out at least one unit of the target', () => {
  const gold = euroBook('XAU', 2_000_000_000_000n, 2_000_000_000_000n)
  const rates = ratesBetween(euro.price, gold)
  const terms = termsOf({ ...buy, to: assetWith('XAU', 0), ...rates, networkFee: 0n })
  const { min } = rangeOf(terms, unbounded) ?? assert.fail()
  assert.equal(bareSum(terms, min, { feesIncluded: true }).toAmount, 1n)
})

test('no amount above the minimum pays out less than required, with several fees that each have a remainder', () => {
  // Ten euro pay 9.70; one cent more pays 9.70 too: three fees of 10.01 cents are 30.03, rounded up once to 31.
  const rates = ratesBetween(euro.price, euroBook('EUX', 100_000_000n, 100_000_000n))
  const fees = { depositBasisPoints: 100, payoutBasisPoints: 100, commissionBasisPoints: 100, schedule: freeSchedule }
  const terms = termsOf({ ...buy, ...fees, to: assetWith('EUX', 2), ...rates, networkFee: 0n })
  assert.equal(bareSum(terms, 1_000n, { feesIncluded: true }).toAmount, 970n)
  assert.equal(bareSum(terms, 1_001n, { feesIncluded: true }).toAmount, 970n)

  const { min } = rangeOf(terms, { ...unbounded, payout: { min: '9.7', max: null } }) ?? assert.fail()
  for (let amount = min; amount < min + 200n; amount += 1n) {
    assert.ok(bareSum(terms, amount, { feesIncluded: true }).toAmount >= 970n, String(amount))
  }
})

test("what a payout method demands bounds the source amount, through the pair's fees and price", () => {
  const terms = termsOf(buy)
  const { min, max } = rangeOf(terms, { ...unbounded, payout: { min: '0.001', max: '0.002' } }) ?? assert.fail()
  const paid = (amount: bigint): bigint => bareSum(terms, amount, { feesIncluded: true }).toAmount
  assert.ok(paid(min) >= 100_000n && paid(min - 50n) < 100_000n)
  assert.ok(paid(max) <= 200_000n && paid(max + 150n) > 200_000n)
})

test('the network fee takes at most a quarter: dear networks have a higher minimum', () => {
  const terms = termsOf({ ...buy, networkFee: 100_000n })
  const { min } = rangeOf(terms, unbounded) ?? assert.fail()
  assert.ok(bareSum(terms, min, { feesIncluded: true }).toAmount >= 300_000n)
})

test('a pair whose bounds leave no amount has no range', () => {
  assert.equal(rangeOf(termsOf(buy), { ...unbounded, deposit: { min: '20', max: '19.99' } }), undefined)
  assert.equal(rangeOf(termsOf(buy), { ...unbounded, partner: { min: null, max: '9.99' } }), undefined)
  assert.equal(rangeOf(termsOf({ ...buy, networkFee: 10n ** 12n }), unbounded), undefined)
})

test('every amount within a range pays out something, enough for the network fee and the method, and not too much', () => {
  const bounds = fc.tuple(fc.bigInt(1n, 10n ** 9n), fc.bigInt(0n, 10n ** 15n))
  fc.assert(
    fc.property(pairTerms, bounds, fc.bigInt(0n, 10n ** 40n), (terms, [least, more], any) => {
      const whole = 10n ** BigInt(terms.to.decimals)
      const payout = { min: String(least), max: String(least + more) }
      const range = rangeOf(terms, { ...unbounded, payout })
      if (!range) return

      const { min, max } = range
      const near = [0n, 1n, 2n, 3n, 7n].flatMap((step) => [min + step, max - step])
      const inside = [...near, min + (any % (max - min + 1n))].filter((amount) => amount >= min && amount <= max)
      for (const amount of inside) {
        for (const feesIncluded of [true, false]) {
          const { toAmount } = bareSum(terms, amount, { feesIncluded })
          assert.ok(toAmount >= least * whole && toAmount > 0n)
          assert.ok(toAmount >= 3n * terms.networkFee)
          if (feesIncluded) assert.ok(toAmount <= (least + more) * whole)
        }
      }
    }),
    { numRuns: 1_000 },
  )
})
