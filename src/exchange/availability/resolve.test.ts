import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { feesDocument, policies, policiesWith } from '../../../test/support/policies.ts'
import { changedMarket, narrowMarket, scaled } from '../../../test/support/moved-market.ts'
import { table } from '../../../test/support/table.ts'
import { currencies } from '../../reference/catalog/currency.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { formatAmount, parseAmount } from '../../platform/money/amount.ts'
import { explainQuote } from '../pricing/explain.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { makeQuote } from '../pricing/quote.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { bareSum } from '../pricing/sum.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, type PartnerTerms } from './partner-terms.ts'
import type { Available } from './resolve.ts'
import type { ExchangeRequest } from './request.ts'
import { refusalOf } from './rule.ts'
import type { Failures } from './rule.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const moment: ExchangeMoment = { market: recordedMarket(1), now, maxPriceAgeSeconds: 60, rails: everyRail, policies }

const valid: ExchangeRequest = { fromCurrency: 'EUR', toCurrency: 'BTC', amount: { direction: 'direct', value: '100' } }

function failuresOf(change: Partial<ExchangeRequest>, at = moment, partner: PartnerTerms = defaultTerms): Failures {
  const result = resolve(at, partner, { ...valid, ...change })
  assert.ok(!result.available, `nothing is wrong with ${JSON.stringify(change)}`)
  return result.failures
}

function availableOf(change: Partial<ExchangeRequest>, partner: PartnerTerms = defaultTerms): Available {
  const result = resolve(moment, partner, { ...valid, ...change })
  assert.ok(result.available, result.available ? '' : result.failures.map(({ problem }) => problem.message).join(' '))
  return result
}

describe('resolve', () => {
  test('a card buy is available, on the terms that it names', () => {
    const { exchange, sum } = availableOf({})
    assert.equal(exchange.side, 'buy')
    assert.equal(exchange.source.asset.id, 'EUR-EUR')
    assert.equal(exchange.target.asset.id, 'BTC-BTC')
    assert.equal(exchange.deposit.category, 'VISA_MC')
    assert.equal(exchange.payout.category, 'CRYPTO')
    assert.equal(sum?.fromAmount, 10_000n)
    assert.ok(exchange.range.min <= 10_000n && exchange.range.max >= 10_000n)
  })

  test('tickers, networks and methods are read in any letter case, and by type or category', () => {
    for (const depositType of ['VISA_MC_1', 'visa_mc_1', 'Visa_Mc', undefined]) {
      const { exchange } = availableOf({ fromCurrency: 'eur', toCurrency: 'uSdT', toNetwork: 'trx', depositType })
      assert.equal(exchange.target.asset.id, 'USDT-TRX')
      assert.equal(exchange.deposit.type, 'VISA_MC_1')
    }
  })

  test('each rule refuses with its own code, at the path at fault', () => {
    const rows = table(`
      field            value       code                   path                    problem
      fromCurrency     -           BAD_REQUEST            from_currency           REQUIRED
      toCurrency       -           BAD_REQUEST            to_currency             REQUIRED
      country          Germany     BAD_REQUEST            query.customer_country  INVALID_VALUE
      country          XX          BAD_REQUEST            query.customer_country  INVALID_VALUE
      fromCurrency     XXX         PAIR_NOT_AVAILABLE     from_currency           PAIR_NOT_AVAILABLE
      fromCurrency     €           PAIR_NOT_AVAILABLE     from_currency           PAIR_NOT_AVAILABLE
      toCurrency       NOCOIN      PAIR_NOT_AVAILABLE     to_currency             PAIR_NOT_AVAILABLE
      fromNetwork      BTC         PAIR_NOT_AVAILABLE     from_network            PAIR_NOT_AVAILABLE
      toNetwork        TRX         PAIR_NOT_AVAILABLE     to_network              PAIR_NOT_AVAILABLE
      toNetwork        NOWHERE     PAIR_NOT_AVAILABLE     to_network              PAIR_NOT_AVAILABLE
      toCurrency       USD         PAIR_NOT_AVAILABLE     to_currency             PAIR_NOT_AVAILABLE
      toCurrency       EUR         PAIR_NOT_AVAILABLE     to_currency             PAIR_NOT_AVAILABLE
      depositType      CRYPTO_1    PAIR_NOT_AVAILABLE     deposit_type            PAIR_NOT_AVAILABLE
      depositType      nonsense    PAIR_NOT_AVAILABLE     deposit_type            PAIR_NOT_AVAILABLE
      depositCategory  PIX         PAIR_NOT_AVAILABLE     deposit_category        PAIR_NOT_AVAILABLE
      payoutType       VISA_MC_1   PAIR_NOT_AVAILABLE     payout_type             PAIR_NOT_AVAILABLE
      payoutCategory   VISA_MC     PAIR_NOT_AVAILABLE     payout_category         PAIR_NOT_AVAILABLE
      country          KP          COUNTRY_NOT_SUPPORTED  query.customer_country  COUNTRY_NOT_SUPPORTED
    `)
    for (const { field = '', value, ...expected } of rows) {
      const [failure, ...others] = failuresOf({ [field]: value === '-' ? undefined : value })
      const { code, problem } = failure
      assert.deepEqual({ code, path: problem.path, problem: problem.code }, expected, `${field} ${value}`)
      assert.deepEqual(others, [], `${field} ${value}`)
      assert.equal(refusalOf([failure]).code, code)
    }
  })

  test('an amount that is invalid, that its currency cannot hold, or that is out of range is a bad request', () => {
    const rows = table(`
      json      problem              message
      null      REQUIRED             This is required.
      "1e3"     INVALID_VALUE        This is not an amount.
      -1        INVALID_VALUE        This is not an amount.
      true      INVALID_VALUE        This is not an amount.
      0         INVALID_VALUE        This must be more than zero.
      100.001   INVALID_VALUE        EUR has at most 2 decimal places.
      19.99     AMOUNT_OUT_OF_RANGE  EUR amount must be higher than 20 and lower than 15000
      1500001   AMOUNT_OUT_OF_RANGE  EUR amount must be higher than 20 and lower than 15000
    `)
    for (const { json = '', problem, message } of rows) {
      const [failure, ...others] = failuresOf({ amount: { direction: 'direct', value: parseJson(json) } })
      assert.equal(failure.code, 'BAD_REQUEST', json)
      assert.equal(failure.problem.path, 'from_amount')
      assert.deepEqual([failure.problem.code, failure.problem.message], [problem, message])
      assert.deepEqual(others, [])
    }
    const [outside] = failuresOf({ amount: { direction: 'direct', value: '5' } })
    assert.deepEqual([outside.problem.min, outside.problem.max], ['20', '15000'])
    assert.equal(failuresOf({ amount: { direction: 'reverse', value: 'x' } })[0].problem.path, 'to_amount')
  })

  test('both ends of a range are accepted', () => {
    for (const value of ['20', '15000']) availableOf({ amount: { direction: 'direct', value } })
  })

  test('every broken rule is named, in the order in which requests are refused', () => {
    const failures = failuresOf({
      fromCurrency: 'XXX',
      toCurrency: undefined,
      country: 'KP',
      amount: { direction: 'direct', value: 'abc' },
    })
    assert.deepEqual(
      failures.map(({ rule }) => rule),
      [
        'the target currency is given',
        'the amount is an amount',
        'the source currency is known',
        'the country is served',
      ],
    )
    assert.deepEqual(
      failuresOf({
        depositType: 'PIX_1',
        payoutType: 'PIX_1',
        country: 'IR',
        amount: { direction: 'direct', value: '0' },
      }).map(({ rule }) => rule),
      [
        'the deposit method is open',
        'the payout method is open',
        'the amount fits its currency',
        'the country is served',
      ],
    )
    const { code, message, problems } = refusalOf(failures)
    assert.deepEqual([code, message, problems], ['BAD_REQUEST', failures[0].problem.message, [failures[0].problem]])
  })

  test('the caller names its fields', () => {
    const paths = { country: 'customer.ip', depositCategory: 'deposit.payment_category' }
    assert.deepEqual(
      failuresOf({ country: 'KP', depositCategory: 'PIX', paths }).map(({ problem }) => problem.path),
      ['deposit.payment_category', 'customer.ip'],
    )
  })

  test('a currency without a fresh price is not available', () => {
    const stopped = { ...moment.market, booksAt: () => moment.market.booksAt(now) }
    const stale: ExchangeMoment = { ...moment, now: new Date(now.getTime() + 61_000), market: stopped }
    const unknown: ExchangeMoment = { ...moment, market: narrowMarket(moment.market, ['EUR', 'USD', 'ETH']) }
    for (const at of [stale, unknown]) {
      assert.deepEqual(
        failuresOf({}, at).map(({ rule }) => rule),
        ['the pair has a fresh price'],
      )
    }
  })

  test("a partner's limits bound the range, and leave no pair where they leave no amount", () => {
    const narrow: PartnerTerms = { ...defaultTerms, limits: { min: '50', max: '200' } }
    assert.deepEqual(availableOf({}, narrow).exchange.range, { min: 5_000n, max: 20_000n })
    const closed: PartnerTerms = { ...defaultTerms, limits: { min: null, max: '1' } }
    const [failure] = failuresOf({}, moment, closed)
    assert.deepEqual([failure.rule, failure.code], ['the pair has a range', 'PAIR_NOT_AVAILABLE'])
  })

  test("a partner's commission is one of the fees", () => {
    const { sum } = availableOf({}, { ...defaultTerms, commissionBasisPoints: 30 })
    assert.deepEqual(
      sum?.fees.map(({ rule, amount }) => [rule.kind, amount]),
      [
        ['service', 100n],
        ['deposit', 250n],
        ['partner', 30n],
      ],
    )
  })

  test('a price list that changes at a moment moves estimates from then on, and no quote made before', () => {
    const change = new Date(now.getTime() + 3_000)
    const dearer = feesDocument({ service: { buy: '7%', sell: '7%', swap: '7%' } })
    const changing = policiesWith({ kind: 'fees', document: dearer, effectiveAt: change })
    const partner = { ...defaultTerms }
    const feeAt = (at: Date) => {
      const outcome = resolve({ ...moment, policies: changing, now: at }, partner, valid)
      assert.ok(outcome.available)
      return [outcome.exchange.terms.schedule.version, outcome.sum?.fees[0]?.amount]
    }
    const { exchange } = availableOf({}, partner)
    const quote = makeQuote(exchange.terms, {
      direction: 'direct',
      amount: 10_000n,
      feesIncluded: true,
      madeAt: now,
      validForSeconds: 900,
    })
    const before = JSON.stringify(quote)
    assert.deepEqual(feeAt(new Date(change.getTime() - 1)), [1, 100n])
    assert.deepEqual(feeAt(change), [2, 700n])
    assert.deepEqual(feeAt(now), [1, 100n])
    assert.equal(JSON.stringify(quote), before)
    assert.equal(quote.fees[0]?.amount, '1')
    assert.ok(explainQuote(quote).agrees)
  })

  test('nothing is exchanged to itself', () => {
    assert.deepEqual(
      failuresOf({ fromCurrency: 'BTC', toCurrency: 'btc' }).map(({ rule }) => rule),
      ['the two can be exchanged'],
    )
  })

  test('an amount that was agreed is priced outside the range too, as long as something is left, and by no other rule', () => {
    const sale: Partial<ExchangeRequest> = { fromCurrency: 'BTC', toCurrency: 'EUR' }
    const { range, terms } = availableOf({ ...sale, amount: undefined }).exchange
    const agreed = (units: bigint) =>
      ({ ...sale, amount: { direction: 'direct', value: formatAmount(units, terms.from), isAgreed: true } }) as const
    for (const units of [range.min - 1n, range.max + 1n]) {
      assert.deepEqual(availableOf(agreed(units)).sum, bareSum(terms, units, { feesIncluded: true }))
    }
    assert.deepEqual(
      failuresOf({ ...agreed(1n), country: 'KP' }).map(({ rule }) => rule),
      ['the amount is within the range', 'the country is served'],
    )
  })

  test('what the payout method demands raises the least amount', () => {
    const dear = changedMarket(moment.market, (book) =>
      book.market.base === 'BTC' ? scaled(book, 10n, 1n) : book.market.quote === 'BTC' ? scaled(book, 1n, 10n) : book,
    )
    const { exchange } = resolve({ ...moment, market: dear }, defaultTerms, {
      ...valid,
      amount: undefined,
    }) as Available
    const { range, terms, payout } = exchange
    assert.ok(range.min > 2_000n)
    const { toAmount } = bareSum(terms, range.min, { feesIncluded: true })
    assert.ok(toAmount >= parseAmount(payout.withdrawal?.min ?? '0', terms.to))
  })

  test('what the ends of a range pay out can be asked for in reverse', () => {
    for (const { ticker } of currencies.filter(({ kind }) => kind === 'CRYPTO')) {
      const { exchange } = availableOf({ toCurrency: ticker })
      const { terms, range } = exchange
      for (const feesIncluded of [true, false]) {
        for (const end of [range.min, range.max]) {
          const { toAmount } = bareSum(terms, end, { feesIncluded })
          const value = formatAmount(toAmount, terms.to)
          const { sum } = availableOf({ toCurrency: ticker, amount: { direction: 'reverse', value, feesIncluded } })
          assert.ok(sum && sum.fromAmount >= range.min && sum.fromAmount <= end && sum.toAmount >= toAmount)
        }
      }
      const value = formatAmount(1n, terms.to)
      const [failure] = failuresOf({ toCurrency: ticker, amount: { direction: 'reverse', value } })
      assert.equal(failure.problem.code, 'AMOUNT_OUT_OF_RANGE')
    }
  })
})
