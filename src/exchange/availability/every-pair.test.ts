import assert from 'node:assert/strict'
import { test } from 'node:test'

import { everyRail } from '../../../test/support/every-rail.ts'
import { policies, schedule } from '../../../test/support/policies.ts'
import fc from 'fast-check'

import { askFor, type CatalogPair, catalogPairs } from '../../../test/support/catalog-pairs.ts'
import { after } from '../../platform/lib/clock.ts'
import { formatAmount, parseAmount } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { explainQuote } from '../pricing/explain.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { makeQuote } from '../pricing/quote.ts'
import { recordedMarket } from '../../markets/recorded/recorded-market.ts'
import { bareSum, leastFromAmount } from '../pricing/sum.ts'
import type { PairTerms } from '../pricing/terms.ts'
import { resolve } from './resolve.ts'
import { defaultTerms, type PartnerTerms } from './partner-terms.ts'
import type { Available } from './resolve.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeRequest } from './request.ts'

const start = new Date('2026-11-20T08:00:00.000Z')
const market = recordedMarket(1)
const momentAt = (now: Date): ExchangeMoment => ({ market, now, maxPriceAgeSeconds: 60, rails: everyRail, policies })

function availableOf(moment: ExchangeMoment, partner: PartnerTerms, ask: ExchangeRequest): Available {
  const outcome = resolve(moment, partner, ask)
  const reason = outcome.available ? '' : outcome.failures.map(({ problem }) => problem.message).join(' ')
  assert.ok(outcome.available, `${JSON.stringify(ask)}: ${reason}`)
  return outcome
}

/** The exchange of a pair by one way in and one way out. */
const exchangeBy = (pair: CatalogPair, depositType: string, payoutType: string): Exchange =>
  availableOf(momentAt(start), defaultTerms, { ...askFor(pair), depositType, payoutType }).exchange

const amount = (units: bigint, asset: Asset) => formatAmount(units, asset)

test('every pair has a range by every way in and out, and both its ends can be exchanged, asked either way', () => {
  let judged = 0
  for (const pair of catalogPairs) {
    for (const { type: depositType } of pair.deposits) {
      for (const { type: payoutType } of pair.payouts) {
        const { terms, range } = exchangeBy(pair, depositType, payoutType)
        assert.ok(range.min > 0n && range.min <= range.max)
        const ask = { ...askFor(pair), depositType, payoutType }
        for (const end of [range.min, range.max]) {
          const direct = { direction: 'direct' as const, value: amount(end, terms.from) }
          const { sum } = availableOf(momentAt(start), defaultTerms, { ...ask, amount: direct })
          assert.ok(sum && sum.toAmount > 0n)
          const reverse = { direction: 'reverse' as const, value: amount(sum.toAmount, terms.to) }
          const back = availableOf(momentAt(start), defaultTerms, { ...ask, amount: reverse })
          assert.ok(back.sum && back.sum.fromAmount <= end && back.sum.toAmount >= sum.toAmount)
        }
        judged += 1
      }
    }
  }
  assert.ok(judged > 8_000, `only ${judged}`)
})

test('no range is out of proportion: from at most 2,000 euro up to at least 5,000', () => {
  for (const pair of catalogPairs) {
    for (const { type } of pair.deposits) {
      const { terms, range } = exchangeBy(pair, type, pair.payouts[0]?.type ?? assert.fail())
      const { numerator, denominator } = terms.worth.price
      const worth = (units: bigint) => (units * numerator) / (denominator * 10n ** BigInt(terms.from.decimals))
      const name = `${terms.from.id} to ${terms.to.id} by ${type}`
      assert.ok(worth(range.min) <= 2_000n, `${name} starts at ${worth(range.min)}`)
      assert.ok(worth(range.max) >= 5_000n, `${name} ends at ${worth(range.max)}`)
    }
  }
})

const anyPair = fc.constantFrom(...catalogPairs)
const anyMoment = fc.integer({ min: 0, max: 300 * 86_400_000 }).map((ms) => momentAt(after(start, ms)))
const basisPoints = fc.oneof(fc.constantFrom(0, 1, 50), fc.integer({ min: 0, max: 500 }))

/** Arbitrary terms of a partner: commission, and its own price list with any fees, minimum and spread. */
const anyPartner: fc.Arbitrary<PartnerTerms> = fc
  .record({
    commissionBasisPoints: basisPoints,
    service: basisPoints,
    spread: basisPoints,
    serviceMinimum: fc.constantFrom('0', '0', '0.01', '1.5', '9'),
  })
  .map(({ commissionBasisPoints, service, spread, serviceMinimum }) => ({
    commissionBasisPoints,
    limits: { min: null, max: null },
    feeSchedules: [
      {
        ...schedule,
        version: 'own',
        serviceBasisPoints: { buy: service, sell: service, swap: service },
        serviceMinimum,
        spreadBasisPoints: { buy: spread, sell: spread, swap: spread },
      },
    ],
  }))

type Exchanged = { pair: CatalogPair; partner: PartnerTerms; moment: ExchangeMoment; terms: PairTerms; units: bigint }

/** Any exchange there is: a pair, its terms at some moment for some partner, and an amount within its range. */
const anyExchange: fc.Arbitrary<Exchanged> = fc
  .tuple(anyPair, anyPartner, anyMoment, fc.bigInt(0n, 10n ** 40n))
  .map(([pair, partner, moment, any]) => {
    const { terms, range } = availableOf(moment, partner, askFor(pair)).exchange
    return { pair, partner, moment, terms, units: range.min + (any % (range.max - range.min + 1n)) }
  })

const paid = (terms: PairTerms, units: bigint): bigint => bareSum(terms, units, { feesIncluded: true }).toAmount
const holds = (property: (one: Exchanged) => void): void =>
  fc.assert(fc.property(anyExchange, property), { numRuns: 300 })

test('for any pair, partner and moment: both ends of the range, and what is between, can be exchanged', () => {
  holds(({ pair, partner, moment, terms, units }) => {
    const { range } = availableOf(moment, partner, askFor(pair)).exchange
    for (const value of [range.min, range.max, units].map((end) => amount(end, terms.from))) {
      const { sum } = availableOf(moment, partner, { ...askFor(pair), amount: { direction: 'direct', value } })
      assert.ok(sum && sum.toAmount > 0n)
    }
  })
})

test('for any pair, partner and moment: direct(reverse(x)) >= x', () => {
  holds(({ terms, units }) => {
    const wanted = paid(terms, units)
    const least = leastFromAmount(terms, wanted, { feesIncluded: true })
    assert.ok(least <= units && paid(terms, least) >= wanted)
  })
})

test('for any pair, partner and moment: split into 1,000, an exchange never pays more than whole', () => {
  holds(({ terms, units }) => {
    const [part, rest] = [units / 1_000n, units % 1_000n]
    assert.ok(999n * paid(terms, part) + paid(terms, part + rest) <= paid(terms, units))
  })
})

/** The same pair the other way, if the catalog has it. */
const turned = ({ source, target }: CatalogPair): CatalogPair | undefined =>
  catalogPairs.find((pair) => pair.source === target && pair.target === source)

test('for any pair, partner and moment: A to B to A never gains', () => {
  let returned = 0
  holds(({ pair, partner, moment, terms, units }) => {
    const back = turned(pair)
    if (!back) return
    returned += 1
    const outcome = availableOf(moment, partner, askFor(back))
    assert.ok(paid(outcome.exchange.terms, paid(terms, units)) < units)
  })
  assert.ok(returned > 200)
})

test('for any pair, partner and moment: rate(A/B) x rate(B/A) is within the spreads and the widths of the books of 1', () => {
  holds(({ pair, partner, moment, terms }) => {
    const back = turned(pair)
    if (!back) return
    const other = availableOf(moment, partner, askFor(back)).exchange.terms
    const numerator = terms.price.numerator * other.price.numerator
    const denominator = terms.price.denominator * other.price.denominator
    assert.ok(numerator <= denominator)

    const kept = BigInt(10_000 - terms.schedule.spreadBasisPoints[terms.side])
    const keptBack = BigInt(10_000 - other.schedule.spreadBasisPoints[other.side])
    let [least, over] = [kept * keptBack, 10_000n ** 2n]
    for (const { book } of terms.rate.legs) {
      least *= book.bid.numerator * book.ask.denominator
      over *= book.bid.denominator * book.ask.numerator
    }
    assert.ok(numerator * over >= denominator * least)
  })
})

test('for any pair, partner and moment: every figure of a quote has at most its decimals, and the quote explains itself', () => {
  const stored = { feesIncluded: true, validForSeconds: 900 }
  holds(({ terms, units, moment }) => {
    const quote = makeQuote(terms, { ...stored, direction: 'direct', amount: units, madeAt: moment.now })
    const { from, to } = terms
    for (const text of [quote.fromAmount, quote.convertedAmount, ...quote.fees.map((fee) => fee.amount)]) {
      assert.equal(amount(parseAmount(text, from), from), text)
    }
    for (const text of [quote.toAmount, quote.networkFee]) assert.equal(amount(parseAmount(text, to), to), text)

    const { agrees, differences } = explainQuote(JSON.parse(JSON.stringify(quote)) as typeof quote)
    assert.ok(agrees, differences.join('\n'))
  })
})
