import { compareDecimals, readDecimal } from '../decimal.ts'

/** One level of an order book: price and amount as plain decimal texts. */
export type Level = [price: string, amount: string]

/** The best levels of a market, the best price first, and when the exchange made them (milliseconds), if it says so. */
export type OrderBook = { bids: Level[]; asks: Level[]; timestamp?: number }

/**
 * Reads an order book as ccxt gives it, exactly, and keeps `depth` levels of each side. Levels come in any order: ccxt sorts
 * texts character by character. Undefined if any level has a price or an amount that is not a positive decimal number; levels with an
 * amount of zero are left out, as they were removed.
 */
export function readOrderBook(value: unknown, depth: number): OrderBook | undefined {
  const { bids, asks, timestamp } = (value ?? {}) as { bids?: unknown; asks?: unknown; timestamp?: unknown }
  const [bidLevels, askLevels] = [readLevels(bids), readLevels(asks)]
  if (!bidLevels || !askLevels) return undefined
  return {
    bids: bidLevels.toSorted((a, b) => compareDecimals(b[0], a[0])).slice(0, depth),
    asks: askLevels.toSorted((a, b) => compareDecimals(a[0], b[0])).slice(0, depth),
    ...(typeof timestamp === 'number' ? { timestamp } : {}),
  }
}

function readLevels(value: unknown): Level[] | undefined {
  if (!Array.isArray(value)) return undefined
  const levels: Level[] = []
  for (const one of value) {
    const [price, amount] = Array.isArray(one) ? one.map(readDecimal) : []
    if (price === undefined || amount === undefined || price === '0') return undefined
    if (amount !== '0') levels.push([price, amount])
  }
  return levels
}
