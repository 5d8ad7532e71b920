import type { Ratio } from '../platform/money/ratio.ts'

/** The lowest and the highest price of one second. */
type Second = { second: number; low: Ratio; high: Ratio }

/** The prices of the last minute of one pair, and until when the pair is halted whatever they say. */
export type PriceHistory = { seconds: Second[]; haltedUntil: number }

/** A jump is judged within a minute of real time; a pair that has jumped is open again when no price of the last minute differs so much. */
export const windowMs = 60_000

export const newHistory = (haltedUntil = 0): PriceHistory => ({ seconds: [], haltedUntil })

/**
 * Adds a price and gives until when the pair is halted: 0 if no price of the last minute differs from it by more than the limit. The
 * price that it jumped to is compared with later ones in turn.
 */
export function haltedAfter(history: PriceHistory, price: Ratio, now: number, limitBasisPoints: number): number {
  const second = Math.floor(now / 1_000)
  while (history.seconds[0] && (history.seconds[0].second + 1) * 1_000 <= now - windowMs) history.seconds.shift()
  const last = history.seconds.at(-1)
  if (last?.second === second) {
    if (isMore(last.low, price)) last.low = price
    if (isMore(price, last.high)) last.high = price
  } else history.seconds.push({ second, low: price, high: price })

  const limit = BigInt(limitBasisPoints)
  const jumped = history.seconds.findLast(
    ({ low, high }) => isBeyond(price, low, limit) || isBeyond(price, high, limit),
  )
  if (jumped) history.haltedUntil = Math.max(history.haltedUntil, (jumped.second + 1) * 1_000 + windowMs)
  return now < history.haltedUntil ? history.haltedUntil : 0
}

const isMore = (one: Ratio, other: Ratio): boolean =>
  one.numerator * other.denominator > other.numerator * one.denominator

/** Whether a price differs from an earlier one by more than the limit, in hundredths of a percent of the earlier one. */
function isBeyond(price: Ratio, earlier: Ratio, limit: bigint): boolean {
  const [now, then] = [price.numerator * earlier.denominator, earlier.numerator * price.denominator]
  const distance = now > then ? now - then : then - now
  return distance * 10_000n > then * limit
}
