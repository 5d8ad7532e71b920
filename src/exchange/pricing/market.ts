import type { Book, MarketSource } from '../../markets/source.ts'

/** One moment of a market: what every price of one request is taken from. */
export type MarketMoment = {
  market: MarketSource
  /** Business time. */
  now: Date
  /** A price older than this sells nothing. */
  maxPriceAgeSeconds: number
}

/** The names of the markets that price nothing at that moment: stale, too few sources that agree, or halted. */
export function closedMarkets(moment: MarketMoment): string[] {
  const { now, market } = moment
  const isClosed = market.isClosed ?? (() => false)
  const books = market.booksAt(now)
  return market.markets
    .filter(
      ({ base, quote }, index) =>
        !isFresh(moment, books[index]) || isClosed(base, quote, now) || isClosed(quote, base, now),
    )
    .map(({ name }) => name)
}

/** Whether a book is known and young enough to price with at that moment. */
export const isFresh = (
  { now, maxPriceAgeSeconds }: Pick<MarketMoment, 'now' | 'maxPriceAgeSeconds'>,
  book: Book | undefined,
): book is Book => book !== undefined && now.getTime() - book.at.getTime() <= maxPriceAgeSeconds * 1_000
