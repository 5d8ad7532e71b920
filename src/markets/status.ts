import { middleOf } from './agree.ts'
import { priceText } from './decimal.ts'
import type { MarketHalts } from './halts.ts'
import { windowMs } from './jump.ts'
import type { BookRow, StoredQuote } from './live/queries.ts'
import { readPair } from './pair.ts'
import type { Book, Market, MarketSource } from './source.ts'

/** What one source says about a pair. `deviation` is its distance from the pair's price, 0.05 for five percent. */
export type SourceStatus = {
  name: string
  bid: string | null
  ask: string | null
  ageMs: number | null
  used: boolean
  why: string | null
  deviation: number | null
}

/** A pair as operators see it. `at` is business time. `why`: an operator's reason, or that it jumped, `jumpedMs` ago, and halts itself. */
export type PairStatus = {
  pair: string
  bid: string | null
  ask: string | null
  at: Date | null
  state: 'open' | 'halted' | 'stale'
  why: string | null
  jumpedMs: number | null
  sources: SourceStatus[]
}

/** The state of all markets. */
export type MarketStatus = {
  pairs(now: Date): PairStatus[]
  /** The configured sources, and whether each has a price that is neither stale nor unreadable. */
  sources(now: Date): { name: string; isUp: boolean }[]
}

/** The same, and how this process catches up with what others wrote. */
export type Markets = MarketStatus & { refresh(): Promise<void> }

export type StatusParts = {
  market: () => MarketSource
  halts: Pick<MarketHalts, 'all'>
  realNow: () => Date
  /** What the leader wrote, and the configured sources; a market that is one source by itself has neither. */
  rows?: () => readonly BookRow[]
  sources?: readonly string[]
}

/** Describes the markets as this process sees them. */
export function marketStatus({ market, halts, realNow, rows = () => [], sources = [] }: StatusParts): MarketStatus {
  function pairs(now: Date): PairStatus[] {
    const { markets, booksAt } = market()
    const books = booksAt(now)
    const reasons = new Map(halts.all().map(({ pair, reason }) => [pair, reason]))
    const written = new Map(rows().map((row) => [row.pair, row]))
    return markets
      .map((one, index) => {
        const reason = reasons.get(readPair(one.name)?.name ?? one.name)
        const row = written.get(one.name)
        const pair = pairOf(one, books[index], row, realNow().getTime())
        return reason === undefined ? pair : { ...pair, state: 'halted' as const, why: reason, jumpedMs: null }
      })
      .toSorted((a, b) => (a.pair < b.pair ? -1 : 1))
  }
  return {
    pairs,
    sources: (now) => {
      const up = new Set(pairs(now).flatMap((one) => one.sources.filter(isUp).map(({ name }) => name)))
      return sources.map((name) => ({ name, isUp: up.has(name) }))
    },
  }
}

/** A source that is too far from the others answers, at least. */
const isUp = ({ why }: SourceStatus): boolean => why === null || why === 'outlier'

function pairOf(
  { name, source }: Market,
  book: Book | undefined,
  row: BookRow | undefined,
  realNow: number,
): PairStatus {
  const bid = row?.bid ?? (book ? priceText(book.bid, 'down') : null)
  const ask = row?.ask ?? (book ? priceText(book.ask, 'up') : null)
  const price = bid === null || ask === null ? undefined : { bid, ask }
  const hasJumped = row?.state === 'halted'
  const own: StoredQuote[] = price ? [{ name: source, ...price, at: realNow }] : []
  return {
    pair: name,
    bid,
    ask,
    at: book?.at ?? null,
    state: hasJumped ? 'halted' : book ? 'open' : 'stale',
    why: hasJumped ? 'The price jumped.' : null,
    jumpedMs: hasJumped ? Math.max(0, realNow - (row.haltedUntil?.getTime() ?? realNow) + windowMs) : null,
    sources: (row?.sources ?? own).map((one) => sourceOf(one, price, realNow)),
  }
}

function sourceOf(one: StoredQuote, price: Prices | undefined, realNow: number): SourceStatus {
  const { name, bid, ask, at, why } = one
  const own = bid === undefined || ask === undefined ? undefined : { bid, ask }
  return {
    name,
    bid: bid ?? null,
    ask: ask ?? null,
    ageMs: at === undefined ? null : Math.max(0, realNow - at),
    used: why === undefined,
    why: why ?? null,
    deviation: own && price ? distance(own, price) : null,
  }
}

type Prices = { bid: string; ask: string }

/** How far one middle is from another: 0.05 for five percent. For display: nothing is decided by it. */
function distance(one: Prices, other: Prices): number {
  const [a, b] = [middleOf(one), middleOf(other)]
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator]
  if (right === 0n) return 0
  const millionths = ((left > right ? left - right : right - left) * 1_000_000n) / right
  return Number.parseInt(String(millionths), 10) / 1_000_000
}
