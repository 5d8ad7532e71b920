import type { MarketPrice, MarketSource } from '../../src/money/market.ts'

/** A market that stands still but where a test moves it. */
export type StillMarket = MarketSource & {
  /** Sets a ticker's price to so many thousandths of what it was at the beginning. */
  setPrice(ticker: string, thousandths: bigint): void
}

/** Stops a market at a moment: from then on its prices are of every moment, and change only by hand. */
export function stillMarket(market: MarketSource, from: Date): StillMarket {
  const first = market.pricesAt(from)
  const moved = new Map<string, bigint>()

  const priceNow = (price: MarketPrice, at: Date): MarketPrice => {
    const thousandths = moved.get(price.ticker) ?? 1_000n
    const scaled = ({ numerator, denominator }: MarketPrice['bid']) => ({
      numerator: numerator * thousandths,
      denominator: denominator * 1_000n,
    })
    return { ...price, bid: scaled(price.bid), ask: scaled(price.ask), at }
  }
  return {
    name: market.name,
    reference: market.reference,
    pricesAt: (at) => new Map([...first].map(([ticker, price]) => [ticker, priceNow(price, at)])),
    setPrice: (ticker, thousandths) => void moved.set(ticker, thousandths),
  }
}
