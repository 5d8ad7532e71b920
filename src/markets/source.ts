import type { Ratio } from '../platform/money/ratio.ts'

/** A place where one currency is traded for another: `base` for `quote`, as one source sees it. */
export type Market = {
  /** `BTC/USD`: the base, a stroke, the quote. */
  name: string
  base: string
  quote: string
  /** Who tells its prices; stored with every quote of ours. */
  source: string
}

/** What a market gives and asks for one whole unit of its base, in whole units of its quote. A new price is a new object. */
export type Book = {
  market: Market
  /** What the market pays for one base. More than zero, and in a sound market never above `ask`. */
  bid: Ratio
  /** What the market asks for one base. */
  ask: Ratio
  /** Business time of this price. */
  at: Date
  /** The sources that were left out of it, and why: `desk-3 (outlier), kraken (stale)`. */
  leftOut?: string
}

/**
 * A source of prices. Answers at once from memory, so that pricing an estimate never waits; a source that asks the network does
 * so in the background.
 */
export type MarketSource = {
  readonly name: string
  /** The ticker of fee minimums, limits and the worth of a transaction. */
  readonly reference: string
  /** Its markets; they stay the same as long as the source does. */
  readonly markets: readonly Market[]
  /**
   * The last known book of every market at that business time, in the order of `markets`, stale ones included; undefined
   * where none is known. A book that did not change is the same object as before, and so is the list while no book in it
   * changes.
   */
  readonly booksAt: (businessTime: Date) => readonly (Book | undefined)[]
  /** A pair that has a market is priced by it alone. Otherwise the path that gives most is used, whatever markets it crosses. */
  readonly prefersDirect?: boolean
  /** An object that stays the same as long as no market gets its book or loses it. Absent where none ever does. */
  readonly openAt?: (businessTime: Date) => unknown
  /**
   * Whether a pair is closed even where a path through other markets would have a price: it is halted, or it has a market whose
   * sources no longer agree. Absent where no pair ever is.
   */
  readonly isClosed?: (from: string, to: string, businessTime: Date) => boolean
}
