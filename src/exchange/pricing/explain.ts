import { after } from '../../platform/lib/clock.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { ratioOf, tenTo } from '../../platform/money/ratio.ts'
import { percentText } from './fees.ts'
import { originOf, originLines } from './quote-origin.ts'
import type { Origin } from './quote-origin.ts'
import { canonicalJson, fingerprintOf, quotedFees } from './quote.ts'
import type { Quote, QuotedFee, StoredQuote } from './quote.ts'
import { bareSum, leastFromAmount, rateText } from './sum.ts'
import { unitPrice, unitsWorth } from './terms.ts'
import type { FeeRounding, SumTerms } from './terms.ts'

/** A quote's results, computed again from its stored inputs, in the quote's own spelling. */
export type Recomputed = Pick<
  Quote,
  'price' | 'fees' | 'fromAmount' | 'convertedAmount' | 'toAmount' | 'rate' | 'validUntil'
> &
  Partial<Pick<Quote, 'worth'>>

/** What `cambio price explain` prints. */
export type Explanation = {
  /** The derivation, a step a line, with the stored figures. */
  lines: string[]
  /**
   * undefined when the quote's fingerprint does not fit (what is no longer what was stored proves nothing), or its legs lead
   * elsewhere.
   */
  recomputed: Recomputed | undefined
  /** Where the stored quote differs from what was recomputed; empty when it agrees to the last digit. */
  differences: string[]
  agrees: boolean
}

/**
 * Explains a stored quote of any version: derives every figure again from the inputs in it alone, and says whether they agree
 * to the last digit. Nothing outside the quote is looked at: no market, no fee schedule of today.
 */
export function explainQuote(quote: StoredQuote): Explanation {
  const fingerprint = fingerprintOf(quote)
  if (fingerprint !== quote.fingerprint) {
    return unexplained(`fingerprint: stored ${quote.fingerprint}, its contents give ${fingerprint}`)
  }
  const origin = originOf(quote)
  if ('reason' in origin) return unexplained(origin.reason)

  const recomputed = recompute(quote, origin)
  const differences = Object.entries(recomputed).flatMap(([name, value]) => {
    const stored = canonicalJson(Object.entries(quote).find(([key]) => key === name)?.[1])
    const again = canonicalJson(value)
    return stored === again ? [] : [`${name}: stored ${stored}, recomputed ${again}`]
  })
  return { lines: derivation(quote), recomputed, differences, agrees: differences.length === 0 }
}

const unexplained = (difference: string): Explanation => ({
  lines: [difference],
  recomputed: undefined,
  differences: [difference],
  agrees: false,
})

/**
 * The same price for another source amount (in its smallest unit): every input of a stored quote stays, its time included, and
 * every result is worked out again, so that it explains itself like any other. Undefined where nothing is left to pay out. A
 * quote whose legs lead nowhere is a fault.
 */
export function atSamePrice(quote: StoredQuote, amount: bigint): StoredQuote | undefined {
  const origin = originOf(quote)
  if ('reason' in origin) throw new Error(`A stored quote cannot be read: ${origin.reason}`)
  const asked = formatAmount(amount, quote.from)
  const { fingerprint: _, ...inputs } = quote
  const question = { ...inputs, direction: 'direct', asked, fromAmountAtLeast: null, feesIncluded: true } as const
  const { price, ...results } = recompute({ ...question, fingerprint: '' }, origin)
  if (results.toAmount.startsWith('-') || results.toAmount === '0') return undefined
  const again = { ...question, ...results, price }
  return { ...again, fingerprint: fingerprintOf(again) }
}

function recompute(quote: StoredQuote, { price, worth, results }: Origin): Recomputed {
  const { from, to, feesIncluded } = quote
  const terms: SumTerms = {
    from,
    to,
    ...unitPrice(price, from, to),
    fees: quote.fees.map(({ kind, basisPoints, minimumInReference: minimumText }) => {
      return { kind, basisPoints, minimumText, minimum: unitsWorth(minimumText, worth, from, 'up') }
    }),
    feeBasisPoints: quote.fees.reduce((sum, { basisPoints }) => sum + basisPoints, 0),
    networkFee: unitsIn(quote.networkFee, to),
    feeRounding: quote.roundings.fees,
  }
  const fromAmount = fromAmountOf(quote, terms)
  const sum = bareSum(terms, fromAmount, { feesIncluded })
  return {
    ...results,
    fees: quotedFees(sum, from, quote.roundings.fees),
    fromAmount: formatAmount(fromAmount, from),
    convertedAmount: formatAmount(sum.convertedAmount, from),
    toAmount: formatAmount(sum.toAmount, to),
    rate: rateText(terms, sum),
    validUntil: after(new Date(quote.madeAt), quote.validForSeconds * 1000).toISOString(),
  }
}

function fromAmountOf({ direction, asked, fromAmountAtLeast, feesIncluded }: StoredQuote, terms: SumTerms): bigint {
  if (direction === 'direct') return unitsIn(asked, terms.from)

  const atLeast = unitsIn(fromAmountAtLeast ?? '0', terms.from)
  return leastFromAmount(terms, unitsIn(asked, terms.to), { feesIncluded, atLeast })
}

/** An amount of the quote in units; results may have more digits than `parseAmount` takes from partners. */
function unitsIn(text: string, { decimals }: Asset): bigint {
  const { numerator, denominator } = ratioOf(text)
  return (numerator * tenTo(decimals)) / denominator
}

const roundingText: Readonly<Record<FeeRounding, string>> = {
  up: 'rounded up',
  total_up: 'its share of the total rounded up',
}

function derivation(quote: StoredQuote): string[] {
  const { from, to, direction, feesIncluded } = quote
  const [give, get] = [from.ticker, to.ticker]
  const asked =
    direction === 'direct'
      ? `${quote.asked} ${give} to ${to.id}`
      : `${quote.asked} ${get} from ${from.id}: the least ${give} amount that pays it, not below ${quote.fromAmountAtLeast}`
  const paid = unitsIn(quote.toAmount, to) + unitsIn(quote.networkFee, to)
  return [
    `asked: a ${quote.side}, ${direction}, ${asked}`,
    ...originLines(quote),
    ...quote.fees.map((fee) => feeLine(fee, quote)),
    `converted: ${quote.convertedAmount} ${give}, ${feesIncluded ? `${quote.fromAmount} less the fees` : 'the fees come on top'}`,
    `paid for: ${quote.convertedAmount} x price, rounded down = ${formatAmount(paid, to)} ${get}`,
    `paid out: less the network fee of ${quote.networkFee} = ${quote.toAmount} ${get}`,
    `rate: paid out / converted, rounded down, for display = ${quote.rate}`,
    `made at ${quote.madeAt}, valid for ${quote.validForSeconds} s, until ${quote.validUntil}`,
  ]
}

function feeLine(fee: QuotedFee, quote: StoredQuote): string {
  const { name, basisPoints, minimum, minimumInReference, rounding, amount } = fee
  const { ticker } = quote.from
  const floor =
    minimumInReference === '0' ? '' : `, at least ${minimumInReference} ${quote.reference} = ${minimum} ${ticker}`
  return `${name}: ${percentText(basisPoints)} of ${quote.fromAmount} ${ticker}${floor}, ${roundingText[rounding]} = ${amount} ${ticker} (schedule ${quote.feeSchedule})`
}
