import type { Db } from '../platform/db/sql.ts'
import { type MarketHalt, readHalts } from './live/queries.ts'
import { newestRead } from '../platform/lib/newest-read.ts'
import { readPair } from './pair.ts'
import type { Book, MarketSource } from './source.ts'

/** The pairs that operators have halted, in this process's memory. */
export type MarketHalts = {
  all(): readonly MarketHalt[]
  refresh(db: Db): Promise<void>
  /** A market without the books of halted pairs. A pair that is halted, or has a market without a book, is closed. */
  apply(market: MarketSource): MarketSource
}

type Books = readonly (Book | undefined)[]

/** Opens the list of halts, empty until it is read. */
export function openMarketHalts(): MarketHalts {
  let halts: readonly MarketHalt[] = []
  let names: ReadonlySet<string> = new Set()

  return {
    all: () => halts,
    refresh: newestRead(readHalts, (found) => {
      halts = found
      const read = halts.map(({ pair }) => pair)
      if (read.join() !== [...names].join()) names = new Set(read)
    }),
    apply: (market) => {
      const indexOf = new Map(market.markets.map(({ base, quote }, index) => [nameOf(base, quote), index]))
      let last: { of: Books; names: typeof names; books: Books; open: object } | undefined

      function now(at: Date): { books: Books; open: object } {
        const of = market.booksAt(at)
        if (last?.of === of && last.names === names) return last
        const books = names.size === 0 ? of : of.map((book, index) => (isHalted(index) ? undefined : book))
        const before = last
        const isSameShape =
          before?.books.length === books.length &&
          books.every((book, index) => (book === undefined) === (before.books[index] === undefined))
        last = { of, names, books, open: before && isSameShape ? before.open : {} }
        return last
      }

      function isHalted(index: number): boolean {
        const { base = '', quote = '' } = market.markets[index] ?? {}
        return names.has(nameOf(base, quote))
      }

      return {
        ...market,
        booksAt: (at) => now(at).books,
        openAt: (at) => now(at).open,
        isClosed: (from, to, at) => {
          const name = nameOf(from, to)
          const index = indexOf.get(name)
          return names.has(name) || (index !== undefined && now(at).books[index] === undefined)
        },
      }
    },
  }
}

const known = new Map<string, string>()

/** A pair's one name; known pairs are not read again. */
function nameOf(one: string, other: string): string {
  const text = `${one}/${other}`
  const found = known.get(text)
  if (found !== undefined) return found
  const name = readPair(text)?.name ?? text
  known.set(text, name)
  return name
}
