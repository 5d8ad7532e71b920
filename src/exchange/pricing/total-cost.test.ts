import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import {
  amounts,
  assetWith,
  euroBook,
  pairTerms,
  ratesBetween,
  someTime,
} from '../../../test/support/arbitrary-terms.ts'
import { schedule } from '../../../test/support/policies.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { withExcess } from './explain.ts'
import { makeQuote, unitsIn } from './quote.ts'
import type { Quote } from './quote.ts'
import { bareSum, leastFromAmount } from './sum.ts'
import { termsOf } from './terms.ts'
import type { PairTerms } from './terms.ts'
import { totalCostOf, totalCostOfSum } from './total-cost.ts'

const options = { feesIncluded: true, madeAt: someTime, validForSeconds: 900 }

const quoteOf = (terms: PairTerms, amount: bigint): Quote =>
  makeQuote(terms, { ...options, direction: 'direct', amount })

const orders = fc.tuple(pairTerms, amounts).map(([terms, amount]) => {
  const fromAmount = leastFromAmount(terms, 1n, { feesIncluded: true, atLeast: amount })
  return { terms, fromAmount, quote: quoteOf(terms, fromAmount) }
})

/** The price of the market's books alone: what one whole unit of the source comes to. */
function marketPrice({ legs }: Quote): Ratio {
  let [numerator, denominator] = [1n, 1n]
  for (const { crossing, ...price } of legs) {
    const [by, over] = [BigInt(price.numerator), BigInt(price.denominator)]
    numerator *= crossing === 'sell' ? by : over
    denominator *= crossing === 'sell' ? over : by
  }
  return { numerator, denominator }
}

/** What left less the market value of what arrived, in the smallest unit of the customer's money, times a denominator. */
function difference(quote: Quote): { amount: bigint; over: bigint } {
  const { from, to, side } = quote
  const { numerator, denominator } = marketPrice(quote)
  const [left, arrived] = [unitsIn(quote.fromAmount, from), unitsIn(quote.toAmount, to)]
  const [by, over] = [numerator * 10n ** BigInt(to.decimals), denominator * 10n ** BigInt(from.decimals)]
  return side === 'sell'
    ? { amount: left * by - arrived * over, over }
    : { amount: left * by - arrived * over, over: by }
}

/** At most half a unit apart. */
const isNearest = (amount: bigint, exact: { amount: bigint; over: bigint }): boolean => {
  const twice = 2n * (amount * exact.over - exact.amount)
  return twice <= exact.over && twice >= -exact.over
}

test('the total cost of 1,000 random orders is what left less the market value of what arrived, to the cent', () => {
  fc.assert(
    fc.property(orders, ({ quote }) => {
      const cost = totalCostOf(quote)
      assert.equal(cost.asset.id, quote.side === 'sell' ? quote.to.id : quote.from.id)
      assert.ok(isNearest(cost.amount, difference(quote)), `${cost.amount}`)
    }),
    { numRuns: 1_000 },
  )
})

test('the parts of a total cost add up to it, and none is negative', () => {
  fc.assert(
    fc.property(orders, ({ quote }) => {
      const { amount, parts } = totalCostOf(quote)
      assert.equal(
        parts.reduce((sum, part) => sum + part.amount, 0n),
        amount,
      )
      assert.ok(parts.every((part) => part.amount > 0n))
    }),
    { numRuns: 1_000 },
  )
})

test('what is asked about costs what its quote says', () => {
  fc.assert(
    fc.property(orders, ({ terms, fromAmount, quote }) => {
      const sum = bareSum(terms, fromAmount, { feesIncluded: true })
      assert.deepEqual(totalCostOfSum(terms, sum), totalCostOf(quote))
    }),
  )
})

const terms = (side: 'buy' | 'sell' | 'swap') => {
  const [euro, bitcoin] = [assetWith('EUR', 2), assetWith('BTC', 8)]
  const [euros, bitcoins] = [euroBook('EUR', 10n ** 8n, 10n ** 8n), euroBook('BTC', 8n * 10n ** 12n, 8n * 10n ** 12n)]
  const isSale = side === 'sell'
  return termsOf({
    side,
    from: isSale ? bitcoin : euro,
    to: isSale ? euro : bitcoin,
    ...(isSale ? ratesBetween(bitcoins, euros) : ratesBetween(euros, bitcoins)),
    schedule: { ...schedule, serviceMinimum: '0' },
    depositBasisPoints: isSale ? 0 : 250,
    payoutBasisPoints: 0,
    commissionBasisPoints: 0,
    networkFee: isSale ? 35n : 3_000n,
  })
}

test('a buy and a sell name each part in the customer’s money', () => {
  const buy = totalCostOf(quoteOf(terms('buy'), 10_000n))
  assert.deepEqual(
    [buy.asset.ticker, buy.amount, buy.basisPoints, buy.marketPrice],
    ['EUR', 638n, 640, { numerator: 1n, denominator: 80_000n }],
  )
  assert.deepEqual(
    buy.parts.map(({ kind, amount }) => [kind, amount]),
    [
      ['service', 100n],
      ['deposit', 250n],
      ['network', 240n],
      ['spread', 48n],
    ],
  )
  const sell = totalCostOf(quoteOf(terms('sell'), 1_000_000n))
  assert.equal(sell.asset.ticker, 'EUR')
  assert.deepEqual(sell.marketPrice, { numerator: 80_000n, denominator: 1n })
  assert.equal(
    sell.amount,
    80_000n - unitsIn(quoteOf(terms('sell'), 1_000_000n).toAmount, { decimals: 2 }),
    'a hundredth of a bitcoin is worth 800.00 EUR',
  )
})

test('what a locked price does not cover adds its cost at the market price of its arrival', () => {
  const [locked, arrival] = [quoteOf(terms('buy'), 10_000n), quoteOf(terms('buy'), 15_000n)]
  const both = withExcess(locked, { amount: 15_000n, covered: 10_000n, arrival })
  assert.ok(both?.excess)
  // The market has not moved, so the whole costs what it would have cost at once.
  assert.ok(isNearest(totalCostOf(both).amount, difference(both as Quote)))
  assert.deepEqual(
    totalCostOf(both).parts.map(({ kind }) => kind),
    ['service', 'deposit', 'network', 'spread'],
  )
})
