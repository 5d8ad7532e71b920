import type { Book, MarketSource } from '../../src/markets/source.ts'
import type { Exchange } from './exchange.ts'
import { scaled } from './moved-market.ts'

/** A market whose prices change only when a test changes them. */
export type StillMarket = MarketSource & {
  /** Sets a ticker's price, in thousandths of the price it started with, in every market that trades it. */
  setPrice(ticker: string, thousandths: bigint): void
}

/** A market that keeps the prices which another one has at a moment. */
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

/** Stops the market of an exchange, so that prices that a test compares are the same from one request to the next. */
export function stopMarket({ service }: Pick<Exchange, 'service'>): StillMarket {
  const { ctx } = service.composition
  const market = stillMarket(ctx.market, ctx.clock.now())
  ctx.market = market
  return market
}
