import type { Ratio } from './ratio.ts'

/** What the market gives and asks for one whole unit of a ticker, in whole units of the source's reference currency. */
export type MarketPrice = {
  ticker: string
  /** What the market pays for one: the price at which a customer's coins or money are worth something to us. */
  bid: Ratio
  /** What the market asks for one; never below `bid`. */
  ask: Ratio
  /** Business time of this price. */
  at: Date
  /** Who said so; stored with every quote. */
  source: string
}

/**
 * Where prices come from. Answers at once from what it already knows, so that pricing an estimate never waits:
 * a source that asks the network does so beside, by itself. A price that did not change stays the same object.
 */
export type MarketSource = {
  readonly name: string
  /** The ticker that all its prices are in; its own price is 1. */
  readonly reference: string
  /** The last known price of every ticker at that business time, stale ones included. */
  readonly pricesAt: (businessTime: Date) => ReadonlyMap<string, MarketPrice>
}
