import type { MarketPrice, MarketSource } from '../money/market.ts'

/** One moment of a market: what every price of one request is taken from. */
export type MarketMoment = {
  market: MarketSource
  /** Business time. */
  now: Date
  /** A price older than this sells nothing (domain.md, promise 12). */
  maxPriceAgeSeconds: number
}

/** The price of a ticker at that moment; undefined when the market does not know it or what it knows is too old. */
export function freshPrice({ market, now, maxPriceAgeSeconds }: MarketMoment, ticker: string): MarketPrice | undefined {
  const price = market.pricesAt(now).get(ticker)
  if (!price || now.getTime() - price.at.getTime() > maxPriceAgeSeconds * 1000) return undefined
  return price
}
