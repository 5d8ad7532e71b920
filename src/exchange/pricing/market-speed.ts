import type { Book, MarketSource } from '../../markets/source.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { isGreater, pathPrice } from './path.ts'
import type { Rate } from './rate.ts'

type Books = readonly (Book | undefined)[]

/** The books of a market as they were at a moment of business time, in milliseconds. */
type Sample = { at: number; books: Books }

/** What is remembered of one market, oldest first, and where each of its books is in a list. */
type History = { samples: Sample[]; indexOf: ReadonlyMap<string, number> }

const histories = new WeakMap<MarketSource, History>()
/** The longest time over which a move can be seen, and the shortest between two samples. */
const longestMs = 600_000
const leastMs = 1_000

/** Remembers a market's books, at most once a second. Every process does this each second, whether or not prices are asked for. */
export function sampleMarket(market: MarketSource, now: Date): void {
  const history = historyOf(market)
  const { samples } = history
  const at = now.getTime()
  const last = samples.at(-1)
  if (last && at - last.at < leastMs) return
  samples.push({ at, books: market.booksAt(now) })
  const old = samples.findIndex((sample) => sample.at >= at - longestMs)
  if (old > 0) samples.splice(0, old)
}

function historyOf(market: MarketSource): History {
  const known = histories.get(market)
  if (known) return known
  const indexOf = new Map(market.markets.map((one, index) => [nameOf(one), index]))
  const made: History = { samples: [], indexOf }
  histories.set(market, made)
  return made
}

const nameOf = ({ name, source }: Book['market']): string => `${name} ${source}`

/** How fast is fast: a move of more than so many hundredths of a percent within a time. */
export type SpeedLimit = { moveBasisPoints: number; withinMs: number }

/** Whether the price of a rate's path has moved by more than the limit, as far as this process has seen the market. */
export function isFast(market: MarketSource, now: Date, { legs, price }: Rate, limit: SpeedLimit): boolean {
  const { samples, indexOf } = historyOf(market)
  const since = now.getTime() - limit.withinMs
  const prices: Ratio[] = [price]
  for (let at = samples.length - 1; at >= 0; at -= 1) {
    const sample = samples[at]
    if (!sample || sample.at < since) break
    const then = legs.flatMap(({ book, crossing }) => {
      const index = indexOf.get(nameOf(book.market))
      const earlier = index === undefined ? undefined : sample.books[index]
      return earlier ? [{ book: earlier, crossing }] : []
    })
    if (then.length === legs.length) prices.push(pathPrice(then))
  }
  return hasMoved(prices, limit.moveBasisPoints)
}

/** Whether the highest of some prices lies above the lowest by more than so many hundredths of a percent. */
export function hasMoved([first, ...others]: readonly Ratio[], basisPoints: number): boolean {
  if (!first) return false
  let [low, high] = [first, first]
  for (const price of others) {
    if (isGreater(price, high)) high = price
    if (isGreater(low, price)) low = price
  }
  const bound = { numerator: low.numerator * BigInt(10_000 + basisPoints), denominator: low.denominator * 10_000n }
  return isGreater(high, bound)
}
