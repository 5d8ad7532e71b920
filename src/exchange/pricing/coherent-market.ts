import type { Book, Market, MarketSource } from '../../markets/source.ts'
import { isNear, over, reduced, times } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { isFresh } from './market.ts'
import { isGreater } from './path.ts'

/** How books of different markets are made to agree. */
export type Coherence = { maxPriceAgeSeconds: number; toleranceBasisPoints: number }

type Books = readonly (Book | undefined)[]

/** What one whole unit of each ticker is worth in the reference, and from how old a book that follows. */
type Levels = ReadonlyMap<string, Ratio>

/**
 * A market in which no round of exchanges gains, however many legs it has.
 *
 * Every ticker gets a level: its price in the reference currency, along the fewest markets, at their mid prices, chosen again each
 * second of business time. A book whose bid or ask lies beyond the ratio of its two levels is widened to it, in our
 * favor; one that is further off than the tolerance contradicts the others and is left out. So every bid is at most, and every
 * ask at least, the ratio of the same levels, and around any circle the levels cancel: the product of what is given is at most
 * one. Widening never gives a customer more than the sources say.
 */
export function coherent(market: MarketSource, { maxPriceAgeSeconds, toleranceBasisPoints }: Coherence): MarketSource {
  let levels: { second: number; of: Levels } | undefined
  let last: { of: Books; levels: Levels; books: Books } | undefined
  const kept = new WeakMap<Book, { levels: Levels; book: Book | undefined }>()

  function booksAt(now: Date): Books {
    const of = market.booksAt(now)
    const second = Math.floor(now.getTime() / 1_000)
    if (levels?.second !== second) {
      const fresh = of.map((book) => (isFresh({ now, maxPriceAgeSeconds }, book) ? book : undefined))
      levels = { second, of: levelsFrom(market, fresh) }
    }
    if (last?.of === of && last.levels === levels.of) return last.books
    const books = of.map((book) => book && fitted(book, levels?.of ?? new Map()))
    const isUnchanged = last?.books.every((book, index) => book === books[index])
    last = { of, levels: levels.of, books: last && isUnchanged ? last.books : books }
    return last.books
  }

  /** The same object as long as neither the book nor what has become of it changes. */
  function fitted(book: Book, of: Levels): Book | undefined {
    const before = kept.get(book)
    if (before?.levels === of) return before.book
    const now = fit(book, of, toleranceBasisPoints)
    const isSame = before?.book && now && isEqual(before.book.bid, now.bid) && isEqual(before.book.ask, now.ask)
    const result = isSame ? before.book : now
    kept.set(book, { levels: of, book: result })
    return result
  }

  return { ...market, booksAt }
}

const isEqual = (a: Ratio, b: Ratio): boolean => a.numerator * b.denominator === b.numerator * a.denominator

/** Walks from the reference outwards, the fewest markets first, of equally near ones the first in the source's order. */
function levelsFrom({ markets, reference }: MarketSource, books: Books): Levels {
  const levels = new Map<string, Ratio>([[reference, { numerator: 1n, denominator: 1n }]])
  let met = -1
  while (met !== levels.size) {
    met = levels.size
    const found = new Map<string, Ratio>()
    for (const [index, market] of markets.entries()) {
      const book = books[index]
      const next = book && step(market, book, levels)
      if (next && !found.has(next.ticker)) found.set(next.ticker, next.level)
    }
    for (const [ticker, level] of found) levels.set(ticker, level)
  }
  return levels
}

/** The ticker at a market's other end, where only one end has a level. */
function step({ base, quote }: Market, book: Book, levels: Levels): { ticker: string; level: Ratio } | undefined {
  const [ofBase, ofQuote] = [levels.get(base), levels.get(quote)]
  const middle = middleOf(book)
  if (ofQuote && !ofBase) return { ticker: base, level: reduced(times(middle, ofQuote)) }
  if (ofBase && !ofQuote) return { ticker: quote, level: reduced(over(ofBase, middle)) }
  return undefined
}

/** A book widened to the ratio of its two levels; undefined if it is too far from it, or has no levels. */
function fit(book: Book, levels: Levels, toleranceBasisPoints: number): Book | undefined {
  const [base, quote] = [levels.get(book.market.base), levels.get(book.market.quote)]
  if (!base || !quote) return undefined
  const straight = over(base, quote)
  if (!isNear(middleOf(book), straight, toleranceBasisPoints)) return undefined
  const isBelow = isGreater(book.bid, straight)
  const isAbove = isGreater(straight, book.ask)
  if (isBelow) return { ...book, bid: straight }
  return isAbove ? { ...book, ask: straight } : book
}

const middleOf = ({ bid, ask }: Book): Ratio =>
  reduced({
    numerator: bid.numerator * ask.denominator + ask.numerator * bid.denominator,
    denominator: 2n * bid.denominator * ask.denominator,
  })
