import type { Book, MarketSource } from './source.ts'

/** A market that has no price while our clock cannot be trusted: how old a price is, and until when one holds, would be wrong. */
export function whileClocksAgree(market: MarketSource, clocks: { isSkewed(): boolean }): MarketSource {
  const [none, open, closed] = [market.markets.map((): Book | undefined => undefined), {}, {}]
  return {
    ...market,
    booksAt: (at) => (clocks.isSkewed() ? none : market.booksAt(at)),
    openAt: (at) => (clocks.isSkewed() ? closed : (market.openAt?.(at) ?? open)),
  }
}
