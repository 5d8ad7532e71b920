import { parseDuration } from '../../platform/lib/duration.ts'
import { over, ratioOf, times, type Ratio } from '../../platform/money/ratio.ts'
import { VenueError, type VenueCalls } from '../ccxt/process.ts'
import type { Level, OrderBook } from '../ccxt/order-book.ts'
import { priceText } from '../decimal.ts'
import type { CcxtEntry } from '../settings.ts'
import { poll, RateLimited, type SourceTools } from './poll.ts'
import type { PriceSource, Reading, Report } from './price-source.ts'

/** So many levels of each side are asked for. */
const levels = 50

/** So many pairs are asked for at once. */
const together = 4

/**
 * An exchange's order books, a few pairs at a time: its own limit of requests sets how long a round takes. A pair that fails does
 * not delay the others.
 */
export function orderBookSource(
  entry: CcxtEntry,
  venue: VenueCalls,
  depth: ReadonlyMap<string, string>,
  tools: SourceTools,
): PriceSource {
  const frozenAfterMs = parseDuration(entry.frozen_after ?? 'PT2M')
  const pairs = entry.pairs.map((pair) => ({ pair, isFrozen: frozenFor(frozenAfterMs), failed: false }))

  async function ask({ pair, isFrozen }: (typeof pairs)[number], report: Report): Promise<void> {
    const book = (await venue.call('fetchOrderBook', pair, levels)) as OrderBook
    const receivedAt = tools.clock.realNow().getTime()
    const amount = depth.get(pair.split('/')[1] ?? '')
    const reading = isFrozen(book, receivedAt) ? frozen : readLevels(book, amount, receivedAt)
    report(new Map([[pair, reading]]), false)
  }

  async function askAll(report: Report): Promise<void> {
    const failures: unknown[] = []
    for (let at = 0; at < pairs.length; at += together) {
      const round = pairs.slice(at, at + together)
      const answers = await Promise.allSettled(round.map((one) => ask(one, report)))
      for (const [index, answer] of answers.entries()) {
        const one = round[index]
        const isNew = one && !one.failed && answer.status === 'rejected'
        if (one) one.failed = answer.status === 'rejected'
        if (answer.status === 'rejected') failures.push(answer.reason)
        if (isNew)
          tools.log.warn({ err: answer.reason as unknown, source: entry.name, pair: one.pair }, 'An order book failed.')
      }
      failures.forEach(refuseRateLimit)
    }
    if (failures.length === pairs.length) throw failures[0]
  }

  return {
    name: entry.name,
    maxAgeMs: entry.max_age === undefined ? undefined : parseDuration(entry.max_age),
    start: (report) => poll(entry.name, parseDuration(entry.every ?? 'PT1S'), () => askAll(report), tools),
  }
}

const frozen: Reading = { unreadable: 'frozen' }

function refuseRateLimit(error: unknown): void {
  if (error instanceof VenueError && error.retryAfterMs !== undefined) throw new RateLimited(error.retryAfterMs)
}

/**
 * Tells a book that no longer moves: some exchanges date nothing, and a busy market that has the same fifty levels for minutes is
 * the copy of a dead process.
 */
function frozenFor(limitMs: number): (book: OrderBook, now: number) => boolean {
  let last = { text: '', since: 0 }
  return ({ bids, asks }, now) => {
    const text = JSON.stringify([bids, asks])
    if (text !== last.text) last = { text, since: now }
    return now - last.since > limitMs
  }
}

/**
 * The bid and the ask of an order book: of the best level, or for an amount of the quote, as all levels that it takes would pay.
 * Undefined where the book has less.
 */
export function readLevels(
  { bids, asks, timestamp }: OrderBook,
  amount: string | undefined,
  receivedAt: number,
): Reading {
  const [bid, ask] = [averageOf(bids, amount), averageOf(asks, amount)]
  if (!bid || !ask) return { unreadable: 'thin' }
  return { bid: priceText(bid, 'down'), ask: priceText(ask, 'up'), receivedAt, at: timestamp }
}

/** What one whole unit of the base costs if so much of the quote is exchanged. */
function averageOf(side: readonly Level[], amount: string | undefined): Ratio | undefined {
  const [best] = side
  if (amount === undefined || !best) return best && ratioOf(best[0])
  let left = ratioOf(amount)
  let base: Ratio = { numerator: 0n, denominator: 1n }
  for (const [priceOfLevel, size] of side) {
    const [price, offered] = [ratioOf(priceOfLevel), ratioOf(size)]
    const worth = times(price, offered)
    if (!isLess(worth, left)) {
      const whole = plus(base, over(left, price))
      return over(ratioOf(amount), whole)
    }
    base = plus(base, offered)
    left = minus(left, worth)
  }
  return undefined
}

const plus = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
})
const minus = (a: Ratio, b: Ratio): Ratio => plus(a, { ...b, numerator: -b.numerator })
const isLess = (a: Ratio, b: Ratio): boolean => a.numerator * b.denominator < b.numerator * a.denominator
