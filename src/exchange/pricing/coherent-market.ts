import type { Book, MarketSource } from '../../markets/source.ts'
import { isNear, over, reduced, times } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { isFresh } from './market.ts'
import { isGreater } from './path.ts'

/** How books of different markets are made to agree. */
export type Coherence = { maxPriceAgeSeconds: number; toleranceBasisPoints: number }

type Books = readonly (Book | undefined)[]

/** What one whole unit of each ticker is worth in the reference. */
type Levels = ReadonlyMap<string, Ratio>

/**
 * How one ticker gets its level: by the market at `index`, from that of the ticker at its other end. The level is kept with what it
 * was worked out from.
 */
type Branch = {
  ticker: string
  index: number
  from: string
  isBase: boolean
  known?: { book: Book; above: Ratio; level: Ratio }
}

/** A book as it was made coherent, and from which levels. */
type Fitted = { of: Book; base: Ratio | undefined; quote: Ratio | undefined; book: Book | undefined }

/**
 * A market in which no round of exchanges gains, however many legs it has.
 *
 * Every ticker gets a level: its price in the reference currency, along the fewest markets, at their mid prices of this moment.
 * Which markets those are is chosen again each second of business time. A book whose bid or ask lies beyond the ratio of its two
 * levels is widened to it, in our favor; one that is further off than the tolerance contradicts the others and is left out. So every
 * bid is at most, and every ask at least, the ratio of the same levels, and around any circle the levels cancel: the product of what
 * is given is at most one. Widening never gives a customer more than the sources say.
 *
 * With thousands of books that change a thousand times a second, only what depends on a changed book is worked out again.
 */
export function coherent(market: MarketSource, { maxPriceAgeSeconds, toleranceBasisPoints }: Coherence): MarketSource {
  let tree: readonly Branch[] = []
  let last: { second: number; of: Books; books: Books } | undefined
  const fitted: (Fitted | undefined)[] = []

  function booksAt(now: Date): Books {
    const of = market.booksAt(now)
    const second = Math.floor(now.getTime() / 1_000)
    if (last?.of === of && last.second === second) return last.books
    if (last?.second !== second || tree.some(({ index }) => of[index] === undefined)) {
      const fresh = of.map((book) => (isFresh({ now, maxPriceAgeSeconds }, book) ? book : undefined))
      tree = treeOf(market, fresh, tree)
    }
    const levels = levelsAlong(tree, of, market.reference)
    const books = of.map((book, index) => book && fittedAt(index, book, levels))
    const isUnchanged = last?.books.length === books.length && books.every((book, index) => book === last?.books[index])
    last = { second, of, books: last && isUnchanged ? last.books : books }
    return last.books
  }

  /** The same object as long as neither the book nor what has become of it changes. */
  function fittedAt(index: number, of: Book, levels: Levels): Book | undefined {
    const [base, quote] = [levels.get(of.market.base), levels.get(of.market.quote)]
    const before = fitted[index]
    if (before?.of === of && before.base === base && before.quote === quote) return before.book
    const now = fit(of, levels, toleranceBasisPoints)
    const isSame =
      before?.of === of && before.book && now && isEqual(before.book.bid, now.bid) && isEqual(before.book.ask, now.ask)
    const book = isSame ? before.book : now
    fitted[index] = { of, base, quote, book }
    return book
  }

  return { ...market, booksAt }
}

const isEqual = (a: Ratio, b: Ratio): boolean => a.numerator * b.denominator === b.numerator * a.denominator

/**
 * Walks from the reference outwards, the fewest markets first, of equally near ones the first in the source's order. A branch that was
 * in the tree before keeps its level.
 */
function treeOf({ markets, reference }: MarketSource, books: Books, before: readonly Branch[]): Branch[] {
  const known = new Map(before.map((branch) => [branch.ticker, branch]))
  const met = new Set([reference])
  const tree: Branch[] = []
  let size = -1
  while (size !== met.size) {
    size = met.size
    const found = new Map<string, Branch>()
    for (const [index, { base, quote }] of markets.entries()) {
      if (!books[index] || met.has(base) === met.has(quote)) continue
      const isBase = met.has(quote)
      const [ticker, from] = isBase ? [base, quote] : [quote, base]
      if (!found.has(ticker)) found.set(ticker, { ticker, index, from, isBase })
    }
    for (const [ticker, branch] of found) {
      const old = known.get(ticker)
      met.add(ticker)
      tree.push(old?.index === branch.index && old.isBase === branch.isBase ? old : branch)
    }
  }
  return tree
}

function levelsAlong(tree: readonly Branch[], books: Books, reference: string): Levels {
  const levels = new Map<string, Ratio>([[reference, one]])
  for (const branch of tree) {
    const [book, above] = [books[branch.index], levels.get(branch.from)]
    if (!book || !above) continue
    if (branch.known?.book !== book || branch.known.above !== above) {
      const middle = middleOf(book)
      const level = reduced(branch.isBase ? times(middle, above) : over(above, middle))
      const isSame = branch.known && isEqual(branch.known.level, level)
      branch.known = { book, above, level: branch.known && isSame ? branch.known.level : level }
    }
    levels.set(branch.ticker, branch.known.level)
  }
  return levels
}

const one: Ratio = { numerator: 1n, denominator: 1n }

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
