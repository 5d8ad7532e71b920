import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import {
  amounts,
  assetWith,
  euroBook,
  pairTerms,
  ratesBetween,
  termsInputs,
  turned,
} from '../../../test/support/arbitrary-terms.ts'
import { table } from '../../../test/support/table.ts'
import { schedule } from '../../../test/support/policies.ts'
import { bareSum, leastFromAmount, rateText, sumOf } from './sum.ts'
import { termsOf } from './terms.ts'
import type { FeeRule, PairTerms } from './terms.ts'

/** One euro buys 1/80,000 coin less half a percent; one percent for us, two and a half for the card, none for a partner. */
const cardBuy = termsOf({
  side: 'buy',
  from: assetWith('EUR', 2),
  to: assetWith('BTC', 8),
  ...ratesBetween(euroBook('EUR', 100_000_000n, 100_000_000n), euroBook('BTC', 8_000_000_000_000n, 8_000_000_000_000n)),
  schedule,
  depositBasisPoints: 250,
  payoutBasisPoints: 0,
  commissionBasisPoints: 0,
  networkFee: 3_000n,
})

const charged = (terms: PairTerms, amount: bigint): bigint =>
  bareSum(terms, amount, { feesIncluded: true }).fees.reduce((total, fee) => total + fee.amount, 0n)

test('the sum of a card buy, worked out by hand', () => {
  // 100.01 euro: 1.0001 and 2.50025 are 3.50035, rounded up to 3.51; the cent that is left goes to the second, whose
  // remainder is larger. 96.50 x 0.995 / 80,000 is 0.00120021 and a bit.
  const sum = sumOf(cardBuy, 10_001n)
  assert.deepEqual(
    sum.fees.map((fee) => fee.amount),
    [100n, 251n],
  )
  assert.equal(sum.convertedAmount, 9_650n)
  assert.equal(sum.toAmount, 120_021n - 3_000n)

  const onTop = sumOf(cardBuy, 10_001n, { feesIncluded: false })
  assert.equal(onTop.convertedAmount, 10_001n)
  assert.deepEqual(onTop.fees, sum.fees)
})

test('the sum is exact for any amount, decimals, fees and prices', () => {
  fc.assert(
    fc.property(pairTerms, amounts, (terms, amount) => {
      const { from, to, price, networkFee } = terms
      const { fees, convertedAmount, toAmount } = bareSum(terms, amount, { feesIncluded: true })
      assert.equal(fees.reduce((total, fee) => total + fee.amount, 0n) + convertedAmount, amount)
      const exact = fees.map(({ rule }) => greater(exactly(rule, amount), rule.minimum * whole))
      for (const [index, { amount: fee }] of fees.entries()) {
        const off = fee * whole - (exact[index] ?? assert.fail())
        assert.ok(off > -whole && off < whole, 'a line is less than a unit off')
      }
      const [total, due] = [charged(terms, amount), exact.reduce((sum, fee) => sum + fee, 0n)]
      assert.ok(total * whole >= due && (total - 1n) * whole < due, 'the total is rounded up once')
      if (convertedAmount <= 0n) return

      // floor(converted x price): the greatest whole number of units that is not more.
      const paidFor = toAmount + networkFee
      const by = convertedAmount * price.numerator * 10n ** BigInt(to.decimals)
      const over = price.denominator * 10n ** BigInt(from.decimals)
      assert.ok(paidFor * over <= by && (paidFor + 1n) * over > by)
    }),
  )
})

/** Millionths of a hundredth of a percent in a whole. */
const whole = 10_000n * 1_000_000n

/** A fee bracket by bracket: each has its share of what lies in it. */
function exactly({ basisPoints, tiers = [], fixed }: FeeRule, amount: bigint): bigint {
  const shares = [basisPoints, ...tiers.map((tier) => tier.basisPoints)]
  const bounds = [0n, ...tiers.map(({ above }) => above)]
  const sum = shares.reduce((total, share, index) => {
    const [from = 0n, until = amount] = [bounds[index], bounds[index + 1]]
    const top = amount < until ? amount : until
    return total + (top > from ? (top - from) * BigInt(Math.round(share * 1_000_000)) : 0n)
  }, 0n)
  return sum + (fixed?.units ?? 0n) * whole
}

test('a fee with a share of any decimals, tiers and a fixed part, worked out by hand', () => {
  const buckets = termsOf({
    ...cardBuy,
    schedule: {
      ...schedule,
      serviceBasisPoints: { buy: 12.5, sell: 0, swap: 0 },
      serviceTiers: [
        { above: '1000', basisPoints: { buy: 5.25, sell: 0, swap: 0 } },
        { above: '5000', basisPoints: { buy: 0.000001, sell: 0, swap: 0 } },
      ],
    },
    depositFixed: '0.25',
  })
  const feesOf = (cents: bigint) => bareSum(buckets, cents, { feesIncluded: true }).fees.map(({ amount }) => amount)
  // 0.125% of 1,000 is 1.25; 0.0525% of the next 4,000 is 2.10; of 1,000 more hardly anything. The card is 2.5% and 0.25.
  assert.deepEqual(feesOf(100_000n), [125n, 2_525n])
  assert.deepEqual(feesOf(500_000n), [335n, 12_525n])
  assert.deepEqual(feesOf(600_000n), [336n, 15_025n], 'what is left of the total goes to the line with the remainder')
})

const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other)

test('the units that the total has more than the lines go to the largest remainders, the earlier of two equal ones first', () => {
  const rules = (...shares: number[]) => ({
    ...cardBuy,
    fees: shares.map((basisPoints) => ({ kind: 'service' as const, basisPoints, minimum: 0n, minimumText: '0' })),
  })
  const lines = (amount: bigint, ...shares: number[]) =>
    bareSum(rules(...shares), amount, { feesIncluded: true }).fees.map((fee) => fee.amount)
  assert.deepEqual(lines(1_050n, 100, 100, 100), [11n, 11n, 10n], '10.5 thrice is 31.5: 32')
  assert.deepEqual(lines(1_001n, 100, 250, 50), [10n, 26n, 5n], '10.01, 25.025 and 5.005 are 40.04: 41')
  assert.deepEqual(lines(1_000n, 100, 200), [10n, 20n])
  assert.deepEqual(lines(1n, 1, 1), [1n, 0n])
})

test('more in never gives less out', () => {
  fc.assert(
    fc.property(pairTerms, amounts, fc.bigInt(0n, 10_000n), fc.boolean(), (terms, amount, more, feesIncluded) => {
      const paid = (units: bigint) => bareSum(terms, units, { feesIncluded })
      for (const greaterAmount of [amount + 1n, amount + more, amount * 2n]) {
        if (greaterAmount < amount) continue
        assert.ok(paid(greaterAmount).convertedAmount >= paid(amount).convertedAmount)
        assert.ok(paid(greaterAmount).toAmount >= paid(amount).toAmount)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('an amount that leaves nothing to pay out is refused, never negative', () => {
  assert.throws(() => sumOf(cardBuy, 200n), { code: 'BAD_REQUEST' })
  assert.throws(() => sumOf(cardBuy, 1n), { code: 'BAD_REQUEST' })
  fc.assert(
    fc.property(pairTerms, amounts, (terms, amount) => {
      const { toAmount } = bareSum(terms, amount, { feesIncluded: true })
      if (toAmount > 0n) assert.equal(sumOf(terms, amount).toAmount, toAmount)
      else assert.throws(() => sumOf(terms, amount), { code: 'BAD_REQUEST' })
    }),
  )
})

test('reverse finds the least source amount that pays at least what was asked: nothing below pays it', () => {
  fc.assert(
    fc.property(pairTerms, amounts, fc.boolean(), fc.bigInt(0n, 10n ** 30n), (terms, wanted, feesIncluded, any) => {
      const least = leastFromAmount(terms, wanted, { feesIncluded })
      const paid = (amount: bigint): bigint => bareSum(terms, amount, { feesIncluded }).toAmount
      assert.ok(paid(least) >= wanted)
      for (let below = least - 1n; below > 0n && below >= least - 40n; below--) assert.ok(paid(below) < wanted)
      assert.ok(paid(any % least) < wanted)
    }),
  )
})

test('reverse agrees with trying every amount from the first unit on, also where several fees rise at once', () => {
  const small = termsInputs.map((input) => {
    const [from, to] = [assetWith('AAA', 2), assetWith('BBB', 2)]
    const atPar = (ticker: string) => euroBook(ticker, 100_000_000n, 100_000_000n)
    const rates = ratesBetween(atPar('AAA'), atPar('BBB'))
    return termsOf({ ...input, from, to, ...rates, networkFee: input.networkFee % 50n })
  })
  fc.assert(
    fc.property(small, fc.bigInt(1n, 2_000n), fc.bigInt(0n, 3_000n), (terms, wanted, atLeast) => {
      let tried = atLeast
      while (bareSum(terms, tried, { feesIncluded: true }).toAmount < wanted) tried += 1n
      assert.equal(leastFromAmount(terms, wanted, { feesIncluded: true, atLeast }), tried)
    }),
    { numRuns: 60 },
  )
})

test('direct(reverse(x)) >= x and reverse(direct(y)) <= y', () => {
  fc.assert(
    fc.property(pairTerms, amounts, (terms, amount) => {
      assert.ok(sumOf(terms, leastFromAmount(terms, amount, { feesIncluded: true })).toAmount >= amount)
      const { toAmount } = bareSum(terms, amount, { feesIncluded: true })
      if (toAmount > 0n) assert.ok(leastFromAmount(terms, toAmount, { feesIncluded: true }) <= amount)
    }),
  )
})

test('a swap split into 1,000 never pays more than one', () => {
  fc.assert(
    fc.property(pairTerms, amounts, fc.integer({ min: 1, max: 999 }), (terms, part, uneven) => {
      const options = { feesIncluded: true }
      const whole = bareSum(terms, part * 1_000n, options).toAmount
      assert.ok(1_000n * bareSum(terms, part, options).toAmount <= whole)

      const other = part * BigInt(uneven)
      const inTwo = bareSum(terms, other, options).toAmount + bareSum(terms, part * 1_000n - other, options).toAmount
      assert.ok(inTwo <= whole)
    }),
  )
})

test('A to B to A never gains', () => {
  fc.assert(
    fc.property(termsInputs, amounts, (input, amount) => {
      const there = termsOf(input)
      const back = termsOf(turned(input))
      const { toAmount } = bareSum(there, amount, { feesIncluded: true })
      if (toAmount > 0n) assert.ok(bareSum(back, toAmount, { feesIncluded: true }).toAmount <= amount)
    }),
  )
})

test('what is charged never falls when more is paid, so a split never saves on fees', () => {
  fc.assert(
    fc.property(pairTerms, amounts, amounts, (terms, one, other) => {
      assert.ok(charged(terms, one + other) >= charged(terms, one))
      assert.ok(charged(terms, one + other) <= charged(terms, one) + charged(terms, other))
    }),
  )
})

test('a rate shows eight decimals, and eight digits where it is tiny', () => {
  const rows = table(`
    converted   from  paid          to  rate
    100         0     125           2   0.01250000
    10000       2     10000         2   1.00000000
    9649        2     117009        8   0.000012126541
    100000000   8     7960000       2   79600.00000000
    3           0     1             0   0.33333333
    1000000000  0     1             18  0.000000000000000000000000001
    10000       2     0             8   0.00000000
  `)
  for (const { converted = '', from, paid = '', to, rate } of rows) {
    const pair = { from: assetWith('AAA', Number(from)), to: assetWith('BBB', Number(to)) }
    assert.equal(rateText(pair, { convertedAmount: BigInt(converted), toAmount: BigInt(paid) }), rate)
  }
})
