import type { Book, MarketSource } from '../../src/markets/source.ts'

/** A book whose prices are multiplied by one whole number and divided by another. */
export function scaled(book: Book, by: bigint, over: bigint): Book {
  const ratio = ({ numerator, denominator }: Book['bid']) => ({
    numerator: numerator * by,
    denominator: denominator * over,
  })
  return { ...book, bid: ratio(book.bid), ask: ratio(book.ask) }
}

/** A market in which every book that is known is changed, always in the same way, or forgotten (undefined). */
export function changedMarket(market: MarketSource, change: (book: Book) => Book | undefined): MarketSource {
  let last: { of: readonly unknown[]; books: (Book | undefined)[] } | undefined
  return {
    ...market,
    booksAt: (at) => {
      const of = market.booksAt(at)
      if (last?.of !== of) last = { of, books: of.map((book) => book && change(book)) }
      return last.books
    },
  }
}

/** A market that knows these tickers only. */
export const narrowMarket = (market: MarketSource, tickers: readonly string[]): MarketSource =>
  changedMarket(market, (book) =>
    tickers.includes(book.market.base) && tickers.includes(book.market.quote) ? book : undefined,
  )
