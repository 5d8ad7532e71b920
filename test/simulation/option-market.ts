import type { Book, MarketSource } from '../../src/markets/source.ts'

/** Random numbers that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** How a coin moves: geometric Brownian motion, and jumps that come by chance. */
export type Volatility = { perYear: number; jumpsPerDay: number; jumpSize: number }

/** Bitcoin in an ordinary year: 60 percent, and two jumps a day of about one percent, up or down. */
export const ordinary: Volatility = { perYear: 0.6, jumpsPerDay: 2, jumpSize: 0.01 }

/** Seconds between two prices. */
const stepSeconds = 10
const secondsPerYear = 365 * 86_400

/** Book prices have this many decimals. */
const scale = 100_000_000n

export type WalkingMarket = MarketSource & {
  /** Cents for one bitcoin in the middle of the market. */
  midAt(now: Date): number
}

/** A market of one coin, bitcoin against the euro, from a moment on: the same for the same seed. Bid and ask are two basis points apart. */
export function walkingMarket(seed: number, start: Date, volatility: Volatility): WalkingMarket {
  const random = randomOf(seed)
  const gauss = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const prices = [90_000]
  const perStep = volatility.perYear * Math.sqrt(stepSeconds / secondsPerYear)
  const jumpChance = (volatility.jumpsPerDay * stepSeconds) / 86_400

  const priceAt = (now: Date): { index: number; price: number } => {
    const index = Math.max(0, Math.floor((now.getTime() - start.getTime()) / (stepSeconds * 1_000)))
    while (prices.length <= index) {
      const last = prices.at(-1) ?? 0
      const jump = random() < jumpChance ? volatility.jumpSize * gauss() : 0
      prices.push(last * Math.exp(perStep * gauss() - (perStep * perStep) / 2 + jump))
    }
    return { index, price: prices[index] ?? 0 }
  }
  const market = { name: 'BTC/EUR', base: 'BTC', quote: 'EUR', source: 'walk' }
  const ratio = (price: number) => ({ numerator: BigInt(Math.round(price * 1e8)), denominator: scale })
  let known: { index: number; books: readonly Book[] } | undefined
  return {
    name: 'walk',
    reference: 'EUR',
    markets: [market],
    booksAt: (now) => {
      const { index, price } = priceAt(now)
      if (known?.index === index) return known.books
      const at = new Date(start.getTime() + index * stepSeconds * 1_000)
      known = { index, books: [{ market, bid: ratio(price * 0.9999), ask: ratio(price * 1.0001), at }] }
      return known.books
    },
    midAt: (now) => priceAt(now).price * 100,
  }
}
