import { isNear, ratioOf } from '../platform/money/ratio.ts'
import type { Ratio } from '../platform/money/ratio.ts'
import { compareDecimals } from './decimal.ts'
import type { MarketRules } from './settings.ts'

/** What a source says about a pair: its bid and ask as plain decimal texts. */
export type SourceQuote = {
  source: string
  bid: string
  ask: string
  /** When we got it, in milliseconds of real time. */
  receivedAt: number
  /** The time that the source gives it, if it gives one. */
  at?: number | undefined
  /** The source's own maximum age, if it has one. */
  maxAgeMs?: number | undefined
}

/** Why a quote of a source counts for nothing. */
export type LeftOut = 'stale' | 'clock_ahead' | 'crossed' | 'outlier'

/** A quote, and whether it is used. */
export type JudgedQuote = SourceQuote & { why: LeftOut | undefined; ageMs: number }

/** What the sources of one pair come to. */
export type Agreement = {
  /** Absent where too few agree. */
  price: { bid: string; ask: string } | undefined
  quotes: JudgedQuote[]
  /** The first time at which a quote that counts is too old. */
  freshUntil: number
}

/** A source's clock may be ahead of ours by so much. */
export const skewMs = 2_000

type AgreeRules = Pick<MarketRules, 'maxAgeMs' | 'toleranceBasisPoints'>

/**
 * The price that enough sources of one pair agree on. Those that are too old, ahead of our clock or crossed are left out, then
 * those whose middle is farther from the median than the tolerance. At least `needed` must be left, and more than half of those
 * that were compared; else there is no price. A source that is wrong by a factor moves nothing: it is never averaged in.
 *
 * The bid is the median of their bids and the ask that of their asks, of an even number the one that is better for the house. So
 * the bid is never above the ask.
 */
export function agree(quotes: readonly SourceQuote[], needed: number, rules: AgreeRules, now: number): Agreement {
  const judged = quotes.map((quote): JudgedQuote => {
    const ageMs = now - Math.min(quote.receivedAt, quote.at ?? quote.receivedAt)
    return { ...quote, ageMs, why: faultOf(quote, ageMs, rules, now) }
  })
  const fresh = judged.filter(({ why }) => why === undefined)
  const middles = new Map(fresh.map((quote) => [quote, middleOf(quote)]))
  const median = [...middles.values()].toSorted(compareRatios)[Math.floor((fresh.length - 1) / 2)]
  for (const [quote, middle] of middles)
    if (median && !isNear(middle, median, rules.toleranceBasisPoints)) quote.why = 'outlier'

  const used = fresh.filter(({ why }) => why === undefined)
  const freshUntil = Math.min(...fresh.map((quote) => now + (quote.maxAgeMs ?? rules.maxAgeMs) - quote.ageMs))
  if (used.length < needed || used.length * 2 <= fresh.length) return { price: undefined, quotes: judged, freshUntil }
  const bid = used.map((one) => one.bid).toSorted(compareDecimals)[Math.floor((used.length - 1) / 2)]
  const ask = used.map((one) => one.ask).toSorted(compareDecimals)[Math.floor(used.length / 2)]
  return { price: bid === undefined || ask === undefined ? undefined : { bid, ask }, quotes: judged, freshUntil }
}

function faultOf({ bid, ask, at, maxAgeMs }: SourceQuote, ageMs: number, rules: AgreeRules, now: number) {
  if (ageMs > (maxAgeMs ?? rules.maxAgeMs)) return 'stale'
  if (at !== undefined && at > now + skewMs) return 'clock_ahead'
  return bid === '0' || compareDecimals(bid, ask) > 0 ? 'crossed' : undefined
}

/** Twice the middle between bid and ask: only compared, so the factor does not matter. */
export function middleOf({ bid, ask }: Pick<SourceQuote, 'bid' | 'ask'>): Ratio {
  const [low, high] = [ratioOf(bid), ratioOf(ask)]
  return {
    numerator: low.numerator * high.denominator + high.numerator * low.denominator,
    denominator: low.denominator * high.denominator,
  }
}

const compareRatios = (a: Ratio, b: Ratio): number => {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  return left === right ? 0 : left < right ? -1 : 1
}
