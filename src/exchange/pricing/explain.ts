import { after } from '../../platform/lib/clock.ts'
import { type Asset, formatAmount } from '../../platform/money/amount.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { percentText } from './fees.ts'
import { originOf, originLines } from './quote-origin.ts'
import type { Origin } from './quote-origin.ts'
import { canonicalJson, coveredBy, fingerprintOf, quotedFees, sumText, unitsIn } from './quote.ts'
import type { Quote, QuotedFee, StoredQuote } from './quote.ts'
import { bareSum, leastFromAmount, rateText } from './sum.ts'
import { fixedOf, leastShares, tierOf, unitPrice, unitsWorth } from './terms.ts'
import type { FeeRounding, FeeRule, SumTerms } from './terms.ts'

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
  const excess = quote.excess && explainQuote(quote.excess)
  differences.push(...(excess?.differences ?? []).map(ofExcess))
  return { lines: derivation(quote, excess), recomputed, differences, agrees: differences.length === 0 }
}

const ofExcess = (line: string): string => `excess: ${line}`

const unexplained = (difference: string): Explanation => ({
  lines: [difference],
  recomputed: undefined,
  differences: [difference],
  agrees: false,
})

/**
 * The same price for another source amount (in its smallest unit): every input of a stored quote stays, its time included, and
 * every result is worked out again, so that it explains itself like any other. Undefined where nothing is left to pay out. A
 * quote whose legs lead nowhere is a fault. What the order exchanged before was reversed: its first exchange has all fees.
 */
export function atSamePrice(stored: StoredQuote, amount: bigint): StoredQuote | undefined {
  const { exchangedBefore: _, ...quote } = stored
  const beyond = quote.excess ? amount - coveredBy(quote) : 0n
  const excess = quote.excess && beyond > 0n ? requoted(quote.excess, beyond) : undefined
  return payable(requoted(quote, amount, excess))
}

/** A price that was locked for an amount, and the price at which what exceeds that amount is exchanged. */
export type ExcessRequest = {
  /** In the smallest unit of the source: all of it, and how much the locked price is for. */
  amount: bigint
  covered: bigint
  /** A quote of the same exchange that was made when the money arrived, of any amount. */
  arrival: Quote
}

/**
 * The quote of more than a locked price covers: the covered amount at the locked price, the rest at the price of its arrival, one
 * network fee, and the fees of one amount. Undefined where nothing is left to pay out.
 */
export function withExcess(locked: Quote, { amount, covered, arrival }: ExcessRequest): StoredQuote | undefined {
  const exchangedBefore = formatAmount(covered, locked.from)
  const excess = requoted({ ...arrival, networkFee: '0', exchangedBefore }, amount - covered)
  return payable(requoted(locked, amount, excess))
}

const payable = (quote: StoredQuote): StoredQuote | undefined =>
  quote.toAmount.startsWith('-') || quote.toAmount === '0' ? undefined : quote

/** A quote for another amount, all inputs the same; with this excess instead of the one it has. */
function requoted<Version extends StoredQuote>(quote: Version, amount: bigint, excess?: StoredQuote): Version {
  const origin = originOf(quote)
  if ('reason' in origin) throw new Error(`A stored quote cannot be read: ${origin.reason}`)
  const asked = formatAmount(amount, quote.from)
  const { fingerprint: _, excess: _own, ...inputs } = quote
  const question = { ...inputs, ...(excess ? { excess } : {}), direction: 'direct', asked, fromAmountAtLeast: null }
  const results = recompute({ ...question, feesIncluded: true, fingerprint: '' } as Version, origin)
  const again = { ...question, feesIncluded: true, ...results }
  return { ...again, fingerprint: fingerprintOf(again) } as Version
}

function recompute(quote: StoredQuote, { price, worth, results }: Origin): Recomputed {
  const { from, to, feesIncluded, excess } = quote
  const ownFees = quote.fees.filter(({ on }) => on === undefined)
  const fees = ownFees.map((fee) => ruleOf(fee, worth, from))
  const terms: SumTerms = {
    from,
    to,
    ...unitPrice(price, from, to),
    fees,
    feeBasisPoints: leastShares(fees),
    networkFee: unitsIn(quote.networkFee, to),
    feeRounding: quote.roundings.fees,
    ...(quote.exchangedBefore ? { exchangedBefore: unitsIn(quote.exchangedBefore, from) } : {}),
  }
  const fromAmount = fromAmountOf(quote, terms)
  const own = bareSum(terms, fromAmount - (excess ? unitsIn(excess.fromAmount, from) : 0n), { feesIncluded })
  const sum = {
    convertedAmount: own.convertedAmount + (excess ? unitsIn(excess.convertedAmount, from) : 0n),
    toAmount: own.toAmount + (excess ? unitsIn(excess.toAmount, to) : 0n),
  }
  const excessFees = (excess?.fees ?? []).map((fee) => ({ ...fee, on: 'excess' as const }))
  return {
    ...results,
    fees: [...quotedFees(own, from, quote.roundings.fees), ...excessFees],
    fromAmount: formatAmount(fromAmount, from),
    convertedAmount: formatAmount(sum.convertedAmount, from),
    toAmount: formatAmount(sum.toAmount, to),
    rate: rateText(terms, sum),
    validUntil: after(new Date(quote.madeAt), quote.validForSeconds * 1000).toISOString(),
  }
}

/** The rule of a fee, from what the quote keeps of it. */
function ruleOf({ kind, basisPoints, ...fee }: QuotedFee, worth: Ratio, from: Asset): FeeRule {
  const { minimumInReference: minimumText, fixedInReference, tiers } = fee
  return {
    kind,
    basisPoints,
    minimumText,
    minimum: unitsWorth(minimumText, worth, from, 'up'),
    ...fixedOf(fixedInReference, worth, from),
    ...(tiers ? { tiers: tiers.map((tier) => tierOf(tier.above, tier.basisPoints, worth, from)) } : {}),
  }
}

function fromAmountOf({ direction, asked, fromAmountAtLeast, feesIncluded }: StoredQuote, terms: SumTerms): bigint {
  if (direction === 'direct') return unitsIn(asked, terms.from)

  const atLeast = unitsIn(fromAmountAtLeast ?? '0', terms.from)
  return leastFromAmount(terms, unitsIn(asked, terms.to), { feesIncluded, atLeast })
}

const roundingText: Readonly<Record<FeeRounding, string>> = {
  up: 'rounded up',
  total_up: 'its share of the total rounded up',
}

function derivation(quote: StoredQuote, excess?: Explanation): string[] {
  const { from, to, direction } = quote
  const [give, get] = [from.ticker, to.ticker]
  const asked =
    direction === 'direct'
      ? `${quote.asked} ${give} to ${to.id}`
      : `${quote.asked} ${get} from ${from.id}: the least ${give} amount that pays it, not below ${quote.fromAmountAtLeast}`
  return [
    `asked: a ${quote.side}, ${direction}, ${asked}`,
    ...originLines(quote),
    ...quote.fees.filter(({ on }) => on === undefined).map((fee) => feeLine(fee, quote)),
    ...(excess ? sumWithExcess(quote, excess) : sumLines(quote)),
    `paid out: less the network fee of ${quote.networkFee} = ${quote.toAmount} ${get}`,
    `rate: paid out / converted, rounded down, for display = ${quote.rate}`,
    ...policyLines(quote),
    `made at ${quote.madeAt}, valid for ${quote.validForSeconds} s, until ${quote.validUntil}`,
    ...(quote.isFastMarket ? ['its validity was shortened: the market was fast'] : []),
  ]
}

function sumLines(quote: StoredQuote): string[] {
  const { from, to, feesIncluded } = quote
  const paid = formatAmount(unitsIn(quote.toAmount, to) + unitsIn(quote.networkFee, to), to)
  const how = feesIncluded ? `${quote.fromAmount} less the fees` : 'the fees come on top'
  return [
    `converted: ${quote.convertedAmount} ${from.ticker}, ${how}`,
    `paid for: ${quote.convertedAmount} x price, rounded down = ${paid} ${to.ticker}`,
  ]
}

/** What the locked price is for, what is beyond it, and their sum. */
function sumWithExcess(quote: StoredQuote, { lines }: Explanation): string[] {
  const { from, to, excess } = quote
  if (!excess) return []
  const converted = unitsIn(quote.convertedAmount, from) - unitsIn(excess.convertedAmount, from)
  const covered = coveredText(quote)
  const paid = unitsIn(quote.toAmount, to) + unitsIn(quote.networkFee, to)
  const own = formatAmount(paid - unitsIn(excess.toAmount, to), to)
  return [
    `locked: this price is for ${covered} of ${quote.fromAmount} ${from.ticker}; ${excess.fromAmount} exceed it and are priced when they arrived`,
    `converted at the locked price: ${formatAmount(converted, from)} ${from.ticker}, rounded down = ${own} ${to.ticker}`,
    ...lines.map(ofExcess),
    `paid for: ${own} and ${excess.toAmount} = ${formatAmount(paid, to)} ${to.ticker}`,
  ]
}

const coveredText = ({ from, fromAmount, excess }: StoredQuote): string =>
  excess ? formatAmount(coveredBy({ from, fromAmount, excess }), from) : fromAmount

/** Absent in quotes of before there were policies. */
const policyLines = ({ policies = {} }: StoredQuote): string[] => {
  const named = Object.entries(policies).map(([kind, version]) => `${kind} version ${version}`)
  return named.length === 0 ? [] : [`policies: ${named.toSorted().join(', ')}`]
}

function feeLine(fee: QuotedFee, quote: StoredQuote): string {
  const { name, basisPoints, minimum, minimumInReference, tiers = [], fixed, fixedInReference, rounding, amount } = fee
  const { from, exchangedBefore: earlier } = quote
  const { ticker } = from
  const own = coveredText(quote)
  const paid = earlier === undefined ? own : sumText([earlier, own], from)
  const floor =
    minimumInReference === '0' ? '' : `, at least ${minimumInReference} ${quote.reference} = ${minimum} ${ticker}`
  const above = tiers.map(
    (tier) => `, ${percentText(tier.basisPoints)} of what is above ${tier.above} ${quote.reference}`,
  )
  const besides = fixed === undefined ? '' : ` and ${fixedInReference} ${quote.reference} = ${fixed} ${ticker}`
  const less = earlier === undefined ? '' : `, less the same of ${earlier} that the order exchanged before`
  return `${name}: ${percentText(basisPoints)} of ${paid} ${ticker}${above.join('')}${besides}${floor}${less}, ${roundingText[rounding]} = ${amount} ${ticker} (schedule ${quote.feeSchedule})`
}
