import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { bookOf, someTime, termsInputs } from '../../../test/support/arbitrary-terms.ts'
import { atSamePrice, explainQuote, withExcess } from './explain.ts'
import { pathPrice } from './path.ts'
import { coveredBy, eurCentsOf, feeLines, fingerprintOf, makeQuote, unitsIn } from './quote.ts'
import type { Quote } from './quote.ts'
import type { Rate } from './rate.ts'
import { leastFromAmount } from './sum.ts'
import { termsOf } from './terms.ts'
import type { PairTerms, PairTermsInput } from './terms.ts'

/** The same exchange at another moment: every price of the market is multiplied, and the house's own fees may have changed. */
function later(input: PairTermsInput, thousandths: bigint, moreBasisPoints: number): PairTermsInput {
  const moved = (rate: Rate): Rate => {
    const legs = rate.legs.map(({ book, crossing }) => {
      const { base, quote } = book.market
      const by = base === input.from.ticker ? thousandths : 1_000n
      const [bid, ask] = [book.bid.numerator * by, book.ask.numerator * by]
      return { book: bookOf(base, quote, bid / 1_000n + 1n, ask / 1_000n + 2n, someTime, 'later'), crossing }
    })
    return { ...rate, legs, price: pathPrice(legs), sold: undefined }
  }
  const [rate, worth] = [moved(input.rate), moved(input.worth)]
  return { ...input, rate, worth, depositBasisPoints: input.depositBasisPoints + moreBasisPoints }
}

const moments = fc
  .tuple(termsInputs, fc.bigInt(500n, 2_000n), fc.constantFrom(0, 0, 25))
  .map(([input, thousandths, more]) => [termsOf(input), termsOf(later(input, thousandths, more))] as const)
const sizes = fc.bigInt(0n, 10n ** 12n)

const quoteOf = (terms: PairTerms, amount: bigint): Quote =>
  makeQuote(terms, { direction: 'direct', amount, feesIncluded: true, madeAt: someTime, validForSeconds: 900 })

/** A locked quote that pays something, and what the same terms ask at another moment for more than it covers. */
function blended(locked: PairTerms, now: PairTerms, more: bigint, beyond: bigint) {
  const paid = [locked, now].map((terms) => leastFromAmount(terms, 1n, { feesIncluded: true }))
  const covered = more + (paid[0] ?? 0n) + (paid[1] ?? 0n)
  const [agreed, arrival] = [quoteOf(locked, covered), quoteOf(now, covered + beyond)]
  const of = (amount: bigint) => withExcess(agreed, { amount, covered, arrival }) as Quote
  return { covered, agreed, of }
}

const units = unitsIn

test('more than a locked price covers is one sum: fees and converted make the amount, and it explains itself', () => {
  fc.assert(
    fc.property(moments, sizes, sizes, ([locked, now], more, beyond) => {
      const { covered, agreed, of } = blended(locked, now, more, beyond + 1n)
      const amount = covered + beyond + 1n
      const quote = of(amount)
      const { from, to, excess } = quote
      assert.ok(excess)
      assert.equal(units(quote.fromAmount, from), amount)
      assert.equal(coveredBy(quote), covered)
      const parts = [...quote.fees, { amount: quote.convertedAmount }].map((part) => units(part.amount, from))
      assert.equal(
        parts.reduce((sum, part) => sum + part, 0n),
        amount,
      )
      assert.equal(units(quote.toAmount, to), units(agreed.toAmount, to) + units(excess.toAmount, to))
      assert.equal(quote.networkFee, agreed.networkFee, 'sending is paid for once')
      assert.deepEqual(excess.price, quoteOf(now, amount).price)
      const again = JSON.parse(JSON.stringify(quote)) as Quote
      assert.deepEqual(explainQuote(again).differences, [])
    }),
    { numRuns: 200 },
  )
})

test('more in never gives less out, below, at and above what a locked price covers', () => {
  fc.assert(
    fc.property(moments, sizes, sizes, fc.bigInt(1n, 1_000n), ([locked, now], more, beyond, step) => {
      const { covered, agreed, of } = blended(locked, now, more, beyond + step)
      const paid = (quote: Quote) => units(quote.toAmount, quote.to)
      assert.ok(paid(of(covered + 1n)) >= paid(agreed))
      assert.ok(paid(of(covered + beyond + 1n + step)) >= paid(of(covered + beyond + 1n)))
    }),
    { numRuns: 300 },
  )
})

test('an order pays the fees of its total: what exceeds it, at once or later, adds what the whole comes to beyond the part before', () => {
  const feesOf = ({ fees, from }: Quote) => fees.reduce((sum, { amount }) => sum + units(amount, from), 0n)
  fc.assert(
    fc.property(termsInputs, sizes, sizes, (input, more, beyond) => {
      const terms = termsOf(input)
      const { covered, agreed, of } = blended(terms, terms, more, beyond + 1n)
      const whole = quoteOf(terms, covered + beyond + 1n)
      const atOnce = feesOf(of(covered + beyond + 1n))
      // Each total is rounded up to a whole unit, once.
      assert.ok([0n, 1n].includes(atOnce - feesOf(whole)), `${atOnce} at once, ${feesOf(whole)} of one amount`)

      const request = {
        amount: beyond + 1n,
        exchangedBefore: covered,
        feesIncluded: true,
        direction: 'direct',
      } as const
      const paidAtLeast = leastFromAmount(terms, 1n, { feesIncluded: true })
      if (beyond < paidAtLeast) return
      const later = makeQuote(terms, { ...request, madeAt: someTime, validForSeconds: 900 })
      assert.ok([0n, 1n].includes(feesOf(agreed) + feesOf(later) - feesOf(whole)))
      const again = JSON.parse(JSON.stringify(later)) as Quote
      const { differences, lines } = explainQuote(again)
      assert.deepEqual(differences, [])
      if (later.fees.length > 0) assert.ok(lines.some((line) => line.includes(`less the same of ${agreed.fromAmount}`)))
    }),
    { numRuns: 300 },
  )
})

test('what is exchanged again at the same prices has both: the locked one first', () => {
  fc.assert(
    fc.property(moments, sizes, sizes, ([locked, now], more, beyond) => {
      const { covered, agreed, of } = blended(locked, now, more, beyond + 2n)
      const quote = of(covered + beyond + 2n)
      assert.deepEqual(atSamePrice(quote, covered + beyond + 2n), quote)
      assert.deepEqual(atSamePrice(quote, covered + 1n), of(covered + 1n))
      const { fingerprint: _, ...within } = atSamePrice(quote, covered) ?? assert.fail()
      const { fingerprint: _own, ...own } = agreed
      assert.deepEqual(within, own)
    }),
    { numRuns: 100 },
  )
})

test('an altered excess does not agree, sealed again or not, and its worth counts at its own price', () => {
  fc.assert(
    fc.property(moments, sizes, sizes, ([locked, now], more, beyond) => {
      const { covered, of } = blended(locked, now, more, beyond + 1n)
      const quote = of(covered + beyond + 1n)
      const { excess } = quote
      assert.ok(excess)
      const paidMore = { ...excess, toAmount: `1${excess.toAmount}` }
      const sealed = { ...paidMore, fingerprint: fingerprintOf(paidMore) }
      for (const altered of [paidMore, sealed]) {
        const whole = { ...quote, excess: altered }
        assert.equal(explainQuote({ ...whole, fingerprint: fingerprintOf(whole) }).agrees, false)
      }
      const worth = eurCentsOf(quote, covered + beyond + 1n) ?? assert.fail()
      assert.equal(worth, (eurCentsOf(quote, covered) ?? 0n) + (eurCentsOf(excess, beyond + 1n) ?? 0n))
    }),
    { numRuns: 100 },
  )
})

test('fees by the same rule are one line, by another rule a line more', () => {
  fc.assert(
    fc.property(moments, sizes, ([locked, now], more) => {
      const { covered, of } = blended(locked, now, more, 100n)
      const quote = of(covered + 100n)
      const lines = feeLines(quote)
      const rules = new Set(quote.fees.map(({ kind, basisPoints }) => `${kind} ${basisPoints}`))
      assert.equal(lines.length, rules.size)
      const total = (fees: Quote['fees']) => fees.reduce((sum, { amount }) => sum + units(amount, quote.from), 0n)
      assert.equal(total(lines), total(quote.fees))
    }),
    { numRuns: 50 },
  )
})
