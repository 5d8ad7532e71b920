import { createHash } from 'node:crypto'

import type { Side } from '../../reference/catalog/payment-method.ts'
import { after } from '../../platform/lib/clock.ts'
import { formatAmount, scale } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { ratioOf, ratioText, reduced, tenTo } from '../../platform/money/ratio.ts'
import type { RatioText } from '../../platform/money/ratio.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import { feeNames } from './fees.ts'
import type { FeeKind } from './fees.ts'
import type { Crossing, Leg } from './path.ts'
import { leastFromAmount, rateText, sumOf } from './sum.ts'
import type { Sum } from './sum.ts'
import type { FeeRounding, PairTerms } from './terms.ts'

/**
 * One leg of a path as a quote keeps it: the market, `base/quote`, which way it was crossed, and the price that was met there,
 * in whole units of its quote for one of its base: the bid where the base was sold, the ask where it was bought.
 */
export type QuotedLeg = RatioText & {
  market: string
  crossing: Crossing
  at: string
  /** The sources that the price was taken from, joined by `+`. */
  source: string
  /** Those that were left out, and why; absent where none was. */
  leftOut?: string
}

/** A fee as a quote keeps it: its rule, how the fees were rounded, and what it came to, in the source currency. */
export type QuotedFee = {
  kind: FeeKind
  name: string
  basisPoints: number
  /** Decimal text in the reference currency, as the schedule says it, and what that is in the source currency. */
  minimumInReference: string
  minimum: string
  /** Charged besides; absent for nothing. */
  fixedInReference?: string
  fixed?: string
  /** What is above an amount, in the reference currency, has another share; absent where there is one for all. */
  tiers?: { above: string; basisPoints: number }[]
  rounding: FeeRounding
  amount: string
  /** Charged on what the locked price did not cover, by the rules of the excess; absent: by the quote's own. */
  on?: 'excess'
}

/**
 * The price that a transaction is made at, whole: what was asked, every input, every rounding, every result.
 *
 * Plain JSON, in any order of keys. Amounts are decimal text of their currency, as partners read them (`parseAmount` with
 * `from` or `to` gives the units); ratios are two integers in text; times are ISO 8601, of business time.
 * `explainQuote` recomputes it from the inputs in it and nothing else.
 */
export type Quote = QuoteCommon & {
  version: 2
  /** The path that the price was taken along, from `from` to `to`; empty between two networks of one currency. */
  legs: QuotedLeg[]
  /** What one whole unit of `from` is worth in the reference currency, in lowest terms, and along which path. */
  worth: RatioText & { legs: QuotedLeg[] }
}

/**
 * A quote as it was written until prices crossed paths of markets: one price of each currency in the reference currency, the
 * bid of the source and the ask of the target. None are written now; stored ones remain self-explanatory.
 */
export type QuoteVersion1 = QuoteCommon & {
  version: 1
  prices: { from: PriceVersion1; to: PriceVersion1 }
}

/** One price, in whole reference units for one whole unit of the ticker, on the side of the market that was used. */
type PriceVersion1 = RatioText & { ticker: string; marketSide: 'bid' | 'ask'; at: string; source: string }

/** A quote as the database may hold it: of this version or an earlier one. */
export type StoredQuote = Quote | QuoteVersion1

/** The fields that quotes of every version share. */
export type QuoteCommon = {
  side: Side
  from: Asset
  to: Asset
  /** Direct: `asked` is the source amount. Reverse: `asked` is what must be paid out at least. */
  direction: 'direct' | 'reverse'
  asked: string
  /** The source amount that a reverse quote does not go below (the least that is exchanged at all); null when direct. */
  fromAmountAtLeast: string | null
  feesIncluded: boolean
  /**
   * What the same order exchanged before, in the source currency: each fee is that of both amounts less that of this one, so an order pays
   * the fees of its total. Absent for nothing.
   */
  exchangedBefore?: string
  reference: string
  spreadBasisPoints: number
  /** Whole units of `to` per whole unit of `from`, in lowest terms. */
  price: RatioText
  feeSchedule: string
  /** The versions of the policies that it was made under; absent before there were any. */
  policies?: PolicyVersions
  fees: QuotedFee[]
  networkFee: string
  roundings: { fees: FeeRounding; payout: 'down'; rate: 'down' }
  fromAmount: string
  convertedAmount: string
  toAmount: string
  /** For display only: nothing is computed from it. */
  rate: string
  /**
   * The part of `fromAmount` that the locked price does not cover, at the price of its arrival; absent where it covers all. The
   * quote's own price and fees apply to the rest, and every result is a sum of both. Its network fee is zero, it is charged once;
   * in quotes of before 2026-11-26 its fees' minimums are, too.
   */
  excess?: Quote
  /** It holds for a shorter time than usual: the market was fast. */
  isFastMarket?: true
  madeAt: string
  validForSeconds: number
  validUntil: string
  /** SHA-256 over everything above: any figure altered in storage shows. */
  fingerprint: string
}

/** What a quote is asked for: units of `from` (direct), or units of `to` (reverse). */
export type QuoteRequest = {
  direction: 'direct' | 'reverse'
  amount: bigint
  feesIncluded: boolean
  /** Reverse only: the least source amount that is exchanged, in units of `from`. */
  fromAmountAtLeast?: bigint
  /** Direct only: what the same order exchanged before, in units of `from`. */
  exchangedBefore?: bigint
  /** Business time. */
  madeAt: Date
  validForSeconds: number
  isFastMarket?: boolean
  /** Versions of the policies that decided more than the fees. */
  policies?: PolicyVersions
}

/**
 * Makes the quote of an amount on a pair's terms. Refuses an amount that leaves nothing to pay out; whether the amount may
 * be exchanged at all is the resolver's to say, before.
 */
export function makeQuote(terms: PairTerms, request: QuoteRequest): Quote {
  const { from, to, rate, worth, schedule, side } = terms
  const { direction, amount, feesIncluded, madeAt, validForSeconds } = request
  const isDirect = direction === 'direct'
  const atLeast = request.fromAmountAtLeast ?? 0n
  const fromAmount = isDirect ? amount : leastFromAmount(terms, amount, { feesIncluded, atLeast })
  const before = request.exchangedBefore ?? 0n
  const sum = sumOf(before > 0n ? { ...terms, exchangedBefore: before } : terms, fromAmount, { feesIncluded })

  const quote: Unsealed = {
    version: 2,
    side,
    from: assetOnly(from),
    to: assetOnly(to),
    direction,
    asked: formatAmount(amount, isDirect ? from : to),
    fromAmountAtLeast: isDirect ? null : formatAmount(atLeast, from),
    feesIncluded,
    ...(before > 0n ? { exchangedBefore: formatAmount(before, from) } : {}),
    reference: worth.to,
    legs: rate.legs.map(quotedLeg),
    worth: { ...ratioText(reduced(worth.price)), legs: worth.legs.map(quotedLeg) },
    spreadBasisPoints: schedule.spreadBasisPoints[side],
    price: ratioText(terms.price),
    feeSchedule: `${schedule.kind}-${schedule.version}`,
    policies: { ...request.policies, [schedule.kind]: schedule.version },
    fees: quotedFees(sum, from, 'total_up'),
    networkFee: formatAmount(terms.networkFee, to),
    roundings: { fees: 'total_up', payout: 'down', rate: 'down' },
    fromAmount: formatAmount(fromAmount, from),
    convertedAmount: formatAmount(sum.convertedAmount, from),
    toAmount: formatAmount(sum.toAmount, to),
    rate: rateText(terms, sum),
    ...(request.isFastMarket ? { isFastMarket: true } : {}),
    madeAt: madeAt.toISOString(),
    validForSeconds,
    validUntil: after(madeAt, validForSeconds * 1000).toISOString(),
  }
  return { ...quote, fingerprint: fingerprintOf(quote) }
}

type Unsealed = Omit<Quote, 'fingerprint'>

const assetOnly = ({ id, ticker, network, decimals }: Asset): Asset => ({ id, ticker, network, decimals })

const quotedLeg = ({ book, crossing }: Leg): QuotedLeg => ({
  market: book.market.name,
  crossing,
  ...ratioText(crossing === 'sell' ? book.bid : book.ask),
  at: book.at.toISOString(),
  source: book.market.source,
  ...(book.leftOut === undefined ? {} : { leftOut: book.leftOut }),
})

/** A sum's fees as a quote keeps them. */
export const quotedFees = ({ fees }: Pick<Sum, 'fees'>, from: Asset, rounding: FeeRounding): QuotedFee[] =>
  fees.map(({ rule, amount }) => ({
    kind: rule.kind,
    name: feeNames[rule.kind],
    basisPoints: rule.basisPoints,
    minimumInReference: rule.minimumText,
    minimum: formatAmount(rule.minimum, from),
    ...(rule.fixed ? { fixedInReference: rule.fixed.text, fixed: formatAmount(rule.fixed.units, from) } : {}),
    ...(rule.tiers ? { tiers: rule.tiers.map(({ aboveText: above, basisPoints }) => ({ above, basisPoints })) } : {}),
    rounding,
    amount: formatAmount(amount, from),
  }))

/**
 * What an amount of a quote's source (in its smallest unit) is worth in euro cents, rounded down, at the quote's own market
 * prices; null where the market's reference was another currency.
 */
export function eurCentsOf(quote: StoredQuote, amount: bigint): bigint | null {
  if (quote.reference !== 'EUR') return null
  const { excess, ...locked } = quote
  const beyond = excess ? amount - coveredBy(quote) : 0n
  if (excess && beyond > 0n) {
    const [one, other] = [eurCentsOf(locked, amount - beyond), eurCentsOf(excess, beyond)]
    return one === null || other === null ? null : one + other
  }
  const { numerator, denominator } = quote.version === 1 ? quote.prices.from : quote.worth
  return scale(amount * 100n, BigInt(numerator), BigInt(denominator) * tenTo(quote.from.decimals), 'down')
}

/** How much of its source amount a quote's own price is for: all but the excess. */
export const coveredBy = ({ from, fromAmount, excess }: Pick<QuoteCommon, 'from' | 'fromAmount' | 'excess'>): bigint =>
  unitsIn(fromAmount, from) - (excess ? unitsIn(excess.fromAmount, from) : 0n)

/** A quote's fees as people read them: what the same rule takes of the covered amount and of the excess is one line. */
export function feeLines({ fees, from }: Pick<QuoteCommon, 'fees' | 'from'>): QuotedFee[] {
  const lines: QuotedFee[] = []
  for (const fee of fees) {
    const same = lines.findIndex(({ kind, basisPoints }) => kind === fee.kind && basisPoints === fee.basisPoints)
    const known = lines[same]
    if (known) lines[same] = { ...known, amount: sumText([known.amount, fee.amount], from) }
    else lines.push(fee)
  }
  return lines
}

/** An amount of a quote in units; results may have more digits than `parseAmount` takes from partners. */
export function unitsIn(text: string, { decimals }: Pick<Asset, 'decimals'>): bigint {
  const { numerator, denominator } = ratioOf(text)
  return (numerator * tenTo(decimals)) / denominator
}

/** The sum of amounts of an asset, as decimal text. */
export const sumText = (amounts: readonly string[], asset: Asset): string =>
  formatAmount(
    amounts.reduce((sum, amount) => sum + unitsIn(amount, asset), 0n),
    asset,
  )

/** SHA-256, in hex, over a quote without its fingerprint, as `canonicalJson` writes it. */
export function fingerprintOf(quote: object): string {
  const { fingerprint: _, ...contents }: { fingerprint?: string } = quote
  return createHash('sha256').update(canonicalJson(contents)).digest('hex')
}

/** JSON with the keys of every object in code unit order: the same text for equal values, because databases keep no order. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`

  const members: Record<string, unknown> = { ...value }
  const names = Object.keys(members).toSorted()
  return `{${names.map((name) => `"${name}":${canonicalJson(members[name])}`).join()}}`
}
