import type { Book, MarketSource } from '../../src/markets/source.ts'
import { scaled } from './moved-market.ts'

/** A market that stands still but where a test moves it. */
export type StillMarket = MarketSource & {
  /** Sets a ticker's price to so many thousandths of what it was at the beginning, in every market that trades it. */
  setPrice(ticker: string, thousandths: bigint): void
}

/** Stops a market at a moment: from then on its prices are of every moment, and change only by hand. */
export function stillMarket(market: MarketSource, from: Date): StillMarket {
  const first = market.booksAt(from)
  const moved = new Map<string, bigint>()

  const bookNow = (book: Book | undefined, at: Date): Book | undefined => {
    if (!book) return undefined
    const { base, quote } = book.market
    return { ...scaled(book, moved.get(base) ?? 1_000n, moved.get(quote) ?? 1_000n), at }
  }
  return {
    name: market.name,
    reference: market.reference,
    markets: market.markets,
    booksAt: (at) => first.map((book) => bookNow(book, at)),
    setPrice: (ticker, thousandths) => void moved.set(ticker, thousandths),
  }
}
