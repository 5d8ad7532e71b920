import type { Clock } from '../../platform/lib/clock.ts'
import { ratioOf } from '../../platform/money/ratio.ts'
import { readPair } from '../pair.ts'
import type { MarketRules } from '../settings.ts'
import type { Book, Market, MarketSource } from '../source.ts'
import { type BookRow, type BookStore, readBooks, type WrittenBook } from './queries.ts'

/** After the death of a leader another one has written by then. */
const takeoverMs = 5_000

/** The books that the leader writes, in this process's memory. */
export type Follower = {
  /** The market of now. Its list of pairs grows: then it is another object, and `onGrown` is called. */
  market(): MarketSource
  rows(): readonly BookRow[]
  /** Reads what was written since. Calls during a reading share the next one. */
  refresh(): Promise<void>
}

type Place = { market: Market; row: BookRow }

/**
 * Follows the leader's books. A book's time is business time: when the leader last confirmed it. A book that is no longer confirmed
 * is gone after its maximum age and five seconds, in which another process takes the lead. What no leader has written is passed over.
 */
export function openFollower(
  { clock, rules, ...store }: BookStore & { clock: Clock; rules: Pick<MarketRules, 'maxAgeMs'> },
  onGrown: (market: MarketSource) => void,
): Follower {
  let places: Place[] = []
  const indexOf = new Map<string, number>()
  let version = 0n
  let books: readonly (Book | undefined)[] = []
  /** The offset of business time that the books were dated by, and until when (real milliseconds) all of them are confirmed. */
  let dated = { offsetMs: 0, until: Infinity }
  let source = sourceOf([])

  function sourceOf(markets: readonly Market[]): MarketSource {
    return { name: 'live', reference: 'EUR', markets, booksAt, prefersDirect: true }
  }

  function booksAt(): readonly (Book | undefined)[] {
    const offsetMs = clock.offsetMs()
    if (offsetMs !== dated.offsetMs || clock.realNow().getTime() > dated.until) dateAll(offsetMs)
    return books
  }

  function dateAll(offsetMs: number): void {
    books = places.map((place) => bookOf(place, offsetMs))
    dated = { offsetMs, until: confirmedUntil() }
  }

  /** A book that is not confirmed any more changes nothing by getting older. */
  function confirmedUntil(): number {
    let until = Infinity
    for (const [index, book] of books.entries()) {
      const place = book && places[index]
      if (place) until = Math.min(until, goneAt(place.row))
    }
    return until
  }

  const goneAt = ({ confirmedAt }: BookRow): number => confirmedAt.getTime() + rules.maxAgeMs + takeoverMs

  function bookOf({ market, row }: Place, offsetMs: number): Book | undefined {
    const { bid, ask, state, confirmedAt, sources } = row
    if (state !== 'open' || bid === null || ask === null || clock.realNow().getTime() > goneAt(row)) return undefined
    const used = sources.filter(({ why }) => why === undefined).map(({ name }) => name)
    const leftOut = sources.flatMap(({ name, why }) => (why === undefined ? [] : [`${name} (${why})`]))
    return {
      market: { ...market, source: used.join('+') },
      bid: ratioOf(bid),
      ask: ratioOf(ask),
      at: new Date(confirmedAt.getTime() + offsetMs),
      ...(leftOut.length > 0 ? { leftOut: leftOut.join(', ') } : {}),
    }
  }

  function apply(rows: readonly WrittenBook[]): void {
    if (rows.length === 0) return
    const offsetMs = clock.offsetMs()
    const before = places.length
    const next = [...books]
    for (const row of rows) {
      if (row.version > version) version = row.version
      const pair = readPair(row.pair)
      if (!pair) continue
      const { name, base, quote } = pair
      const index = indexOf.get(name) ?? places.length
      const place = { market: places[index]?.market ?? { name, base, quote, source: 'live' }, row }
      indexOf.set(name, index)
      places[index] = place
      next[index] = bookOf(place, offsetMs)
    }
    books = next
    if (offsetMs === dated.offsetMs) dated = { offsetMs, until: confirmedUntil() }
    else dateAll(offsetMs)
    if (places.length === before) return
    places = [...places]
    source = sourceOf(places.map(({ market }) => market))
    onGrown(source)
  }

  let reading: Promise<void> | undefined
  let following: Promise<void> | undefined
  const read = async (): Promise<void> => apply((await readBooks(store, version)).books)
  return {
    market: () => source,
    rows: () => places.map(({ row }) => row),
    refresh: () => {
      if (!reading) {
        reading = read().finally(() => (reading = undefined))
        return reading
      }
      following ??= reading
        .catch(() => undefined)
        .then(() => {
          following = undefined
          reading = read().finally(() => (reading = undefined))
          return reading
        })
      return following
    },
  }
}
