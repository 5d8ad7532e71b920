import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import {
  amounts,
  assetWith,
  bookOf,
  euroBook,
  rateAlong,
  ratesBetween,
  someTime,
  termsInputs,
} from '../../../test/support/arbitrary-terms.ts'
import { atSamePrice, explainQuote } from './explain.ts'
import { schedule } from '../../../test/support/policies.ts'
import { eurCentsOf, fingerprintOf, makeQuote } from './quote.ts'
import type { Quote } from './quote.ts'
import { bareSum, leastFromAmount } from './sum.ts'
import { termsOf } from './terms.ts'

const terms = termsOf({
  side: 'buy',
  from: assetWith('EUR', 2),
  to: assetWith('BTC', 8),
  ...ratesBetween(euroBook('EUR', 100_000_000n, 100_000_000n), euroBook('BTC', 8_000_000_000_000n, 8_000_000_000_000n)),
  schedule: { ...schedule, serviceMinimum: '1.5' },
  depositBasisPoints: 250,
  payoutBasisPoints: 0,
  commissionBasisPoints: 30,
  networkFee: 3_000n,
})
const request = { feesIncluded: true, madeAt: someTime, validForSeconds: 900 }
const direct = makeQuote(terms, { ...request, direction: 'direct', amount: 10_001n })
const reverse = makeQuote(terms, { ...request, direction: 'reverse', amount: 100_000n, fromAmountAtLeast: 2_000n })

/** As a database gives it back: the keys of every object in another order. */
const stored = (quote: Quote): Quote => turned(JSON.parse(JSON.stringify(quote))) as Quote

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, item]) => [name, turned(item)] as const)
  return Object.fromEntries(entries.toReversed())
}

const anyQuote = fc
  .tuple(termsInputs.map(termsOf), amounts, fc.boolean(), fc.boolean(), amounts)
  .map(([any, amount, isDirect, feesIncluded, fromAmountAtLeast]) => {
    const options = { feesIncluded, madeAt: someTime, validForSeconds: 900 }
    const enough = leastFromAmount(any, 1n, { feesIncluded, atLeast: amount })
    return isDirect
      ? makeQuote(any, { ...options, direction: 'direct', amount: enough })
      : makeQuote(any, { ...options, direction: 'reverse', amount, fromAmountAtLeast })
  })

test('a quote holds the whole sum, as partners read it', () => {
  const { fromAmount, convertedAmount, toAmount, networkFee, rate, fees, price } = direct
  assert.deepEqual(
    { fromAmount, convertedAmount, toAmount, networkFee, rate, price },
    {
      fromAmount: '100.01',
      convertedAmount: '95.7',
      toAmount: '0.00116026',
      networkFee: '0.00003',
      rate: '0.000012123928',
      price: { numerator: '199', denominator: '16000000' },
    },
  )
  assert.deepEqual(
    fees.map(({ name, amount }) => `${name} ${amount}`),
    ['Service fee 1.5', 'Payment method fee 2.51', 'Partner fee 0.3'],
  )
  assert.equal(direct.validUntil, '2026-03-01T12:15:00.000Z')
})

test('a stored quote is recomputed from itself to the last digit, direct and reverse', () => {
  fc.assert(
    fc.property(anyQuote, (quote) => {
      const { agrees, differences } = explainQuote(stored(quote))
      assert.ok(agrees, differences.join('\n'))
    }),
  )
})

/** The quote with one of its values changed, at every depth, each in turn. */
function* alterations(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const altered of alterations(item)) yield value.with(at, altered)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      for (const altered of alterations(item)) yield { ...value, [name]: altered }
    }
  } else if (typeof value === 'string') yield value.endsWith('1') ? `${value}2` : `${value.slice(0, -1)}1`
  else if (typeof value === 'number') yield value + 1
  else if (typeof value === 'boolean') yield !value
  else yield '1'
}

test('a stored quote with any figure altered does not agree', () => {
  for (const quote of [direct, reverse, crossed]) {
    const altered = [...alterations(quote)] as Quote[]
    assert.ok(altered.length > 50)
    for (const one of altered) assert.equal(explainQuote(one).agrees, false, JSON.stringify(one))
  }
})

test('results that were altered and sealed again still do not follow from the inputs', () => {
  const results = ['price', 'fromAmount', 'convertedAmount', 'toAmount', 'rate', 'validUntil', 'networkFee'] as const
  for (const quote of [direct, reverse, crossed]) {
    const amounts = quote.fees.map((fee, at) => ({ fees: quote.fees.with(at, { ...fee, amount: `${fee.amount}1` }) }))
    const figures = results.flatMap((name) => [...alterations(quote[name])].map((value) => ({ [name]: value })))
    const worths = [...alterations({ numerator: quote.worth.numerator, denominator: quote.worth.denominator })].map(
      (altered) => ({ worth: { ...quote.worth, ...(altered as object) } }),
    )
    for (const change of [...amounts, ...figures, ...worths]) {
      const altered: Quote = { ...quote, ...change }
      const { agrees, differences } = explainQuote({ ...altered, fingerprint: fingerprintOf(altered) })
      assert.ok(!agrees && differences.length > 0, JSON.stringify(change))
    }
  }
})

test('a reverse quote that takes a unit more than it needs does not agree, though its sum is right', () => {
  const least = leastFromAmount(terms, 100_000n, { feesIncluded: true })
  const greedy = makeQuote(terms, { ...request, direction: 'direct', amount: least + 1n })
  const { direction, asked, fromAmountAtLeast } = reverse
  const posing = { ...greedy, direction, asked, fromAmountAtLeast }
  const { differences } = explainQuote({ ...posing, fingerprint: fingerprintOf(posing) })
  assert.match(differences.join(), /^fromAmount: /)
})

/** Three hundred złoty in pounds' worth of Ripple, over three markets; what they are worth over one. */
const crossed = makeQuote(
  termsOf({
    side: 'buy',
    from: assetWith('PLN', 2),
    to: assetWith('XRP', 6),
    rate: rateAlong('PLN', 'XRP', [
      { book: bookOf('EUR', 'PLN', 427_000_000n, 428_000_000n), crossing: 'buy' },
      { book: bookOf('EUR', 'USD', 103_000_000n, 104_000_000n), crossing: 'sell' },
      { book: bookOf('XRP', 'USD', 207_000_000n, 208_000_000n), crossing: 'buy' },
    ]),
    worth: rateAlong('PLN', 'EUR', [{ book: bookOf('EUR', 'PLN', 427_000_000n, 428_000_000n), crossing: 'buy' }]),
    schedule: { ...schedule, serviceMinimum: '1.5' },
    depositBasisPoints: 0,
    payoutBasisPoints: 0,
    commissionBasisPoints: 0,
    networkFee: 0n,
  }),
  { ...request, direction: 'direct', amount: 30_000n },
)

test('a quote has every leg of its price and of its reference rate', () => {
  assert.deepEqual(explainQuote(stored(crossed)).lines.slice(1, 8), [
    'leg 1: EUR/PLN, buy EUR at the ask: 428000000 / 100000000 PLN for one EUR at 2026-03-01T12:00:00.000Z, source test',
    'leg 2: EUR/USD, sell EUR at the bid: 103000000 / 100000000 USD for one EUR at 2026-03-01T12:00:00.000Z, source test',
    'leg 3: XRP/USD, buy XRP at the ask: 208000000 / 100000000 USD for one XRP at 2026-03-01T12:00:00.000Z, source test',
    'price: 1 / ask 1 x bid 2 / ask 3, less 0.5% spread = 20497 / 178048 XRP for one PLN',
    'worth, leg 1: EUR/PLN, buy EUR at the ask: 428000000 / 100000000 PLN for one EUR at 2026-03-01T12:00:00.000Z, source test',
    'worth: 1 / ask 1 = 25 / 107 EUR for one PLN',
    'Service fee: 1% of 300 PLN, at least 1.5 EUR = 6.42 PLN, its share of the total rounded up = 6.42 PLN (schedule fees-1)',
  ])
  assert.ok(explainQuote(stored(crossed)).agrees)
  // 293.58 x 20497 / 178048.
  assert.equal(crossed.toAmount, '33.797117')
})

test('legs that lead elsewhere prove nothing, even sealed again', () => {
  const { legs, worth } = crossed
  const bent = [
    { legs: legs.toReversed() },
    { legs: legs.slice(1) },
    { legs: legs.slice(0, 2) },
    { legs: [] },
    { legs: legs.map((leg) => ({ ...leg, crossing: 'sell' as const })) },
    { legs: legs.map((leg) => ({ ...leg, crossing: 'bought' as 'buy' })) },
    { worth: { ...worth, legs: [] } },
    { worth: { ...worth, legs: legs.slice(0, 2) } },
  ]
  for (const change of bent) {
    const posing: Quote = { ...crossed, ...change }
    const { agrees, differences } = explainQuote({ ...posing, fingerprint: fingerprintOf(posing) })
    assert.ok(!agrees && /^(legs|worth): /.test(differences.join()), differences.join())
  }
})

test("the worth of a source amount in euro cents follows from the quote's own legs", () => {
  assert.equal(eurCentsOf(direct, 10_001n), 10_001n)
  // 300 / 4.28 = 70.093...
  assert.equal(eurCentsOf(crossed, 30_000n), 7_009n)
  assert.equal(eurCentsOf({ ...crossed, reference: 'USD' }, 30_000n), null)
})

test('the derivation reads like one', () => {
  assert.deepEqual(explainQuote(direct).lines, [
    'asked: a buy, direct, 100.01 EUR to BTC-BTC',
    'leg 1: BTC/EUR, buy BTC at the ask: 8000000000000 / 100000000 EUR for one BTC at 2026-03-01T12:00:00.000Z, source test',
    'price: 1 / ask 1, less 0.5% spread = 199 / 16000000 BTC for one EUR',
    'Service fee: 1% of 100.01 EUR, at least 1.5 EUR = 1.5 EUR, its share of the total rounded up = 1.5 EUR (schedule fees-1)',
    'Payment method fee: 2.5% of 100.01 EUR, its share of the total rounded up = 2.51 EUR (schedule fees-1)',
    'Partner fee: 0.3% of 100.01 EUR, its share of the total rounded up = 0.3 EUR (schedule fees-1)',
    'converted: 95.7 EUR, 100.01 less the fees',
    'paid for: 95.7 x price, rounded down = 0.00119026 BTC',
    'paid out: less the network fee of 0.00003 = 0.00116026 BTC',
    'rate: paid out / converted, rounded down, for display = 0.000012123928',
    'policies: fees version 1',
    'made at 2026-03-01T12:00:00.000Z, valid for 900 s, until 2026-03-01T12:15:00.000Z',
  ])
  assert.match(
    explainQuote(reverse).lines[0] ?? '',
    /0\.001 BTC from EUR-EUR: the least EUR amount that pays it, not below 20$/,
  )
})

test('a quote is made for what the sum says, and refused where nothing is paid out', () => {
  assert.equal(bareSum(terms, 10_001n, { feesIncluded: true }).toAmount, 116_026n)
  assert.throws(() => makeQuote(terms, { ...request, direction: 'direct', amount: 100n }), { code: 'BAD_REQUEST' })
})

test('a quote of before 2026-11-23, which rounded every fee up, still explains itself', () => {
  const fees = direct.fees.map((fee, index) => {
    return { ...fee, rounding: 'up' as const, amount: ['1.5', '2.51', '0.31'][index] ?? assert.fail() }
  })
  const figures = { convertedAmount: '95.69', toAmount: '0.00116014', rate: '0.000012123941' }
  const old: Quote = { ...direct, ...figures, fees, roundings: { fees: 'up', payout: 'down', rate: 'down' } }
  const { agrees, differences, lines } = explainQuote({ ...old, fingerprint: fingerprintOf(old) })
  assert.deepEqual([agrees, differences], [true, []])
  assert.ok(lines.includes('Partner fee: 0.3% of 100.01 EUR, rounded up = 0.31 EUR (schedule fees-1)'))

  const again = atSamePrice({ ...old, fingerprint: fingerprintOf(old) }, 10_001n)
  assert.deepEqual(again?.fees, fees)
})
