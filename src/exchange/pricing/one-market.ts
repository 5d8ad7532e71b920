import type { Book, Market, MarketSource } from '../../markets/source.ts'
import { isNear } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { coherent } from './coherent-market.ts'
import { isFresh } from './market.ts'
import { isGreater } from './path.ts'

/** A source of prices, and whether it counts as enough without others that agree. */
export type SourceOfPrices = { market: MarketSource; isSufficient: boolean }

/** How several sources are made one. */
export type Agreement = {
  /** A price older than this counts for nothing. */
  maxPriceAgeSeconds: number
  isFiat: (ticker: string) => boolean
  /** How many sources must agree on a market: of two fiat currencies, and of any coin. */
  least: { fiat: number; coin: number }
  /** How far a source's middle may lie from the median of all, in hundredths of a percent, and still agree with it. */
  toleranceBasisPoints: number
}

/** What the promise demands: three agreeing sources for coins, two between fiat currencies, within two percent. */
export const agreementOf = (given: Pick<Agreement, 'maxPriceAgeSeconds' | 'isFiat'>): Agreement => ({
  ...given,
  least: { fiat: 2, coin: 3 },
  toleranceBasisPoints: 200,
})

/**
 * Makes one market of several sources: one book for each pair of currencies, in which enough fresh sources agree. Stale ones
 * are left out, then those too far from the median; where fewer than enough are left there is no book, and so no price. A feed
 * that is wrong by a factor moves nothing: it is left out or stops the market, it is never averaged in.
 *
 * The bid is the median of their bids and the ask that of their asks, of an even number the one that is better for the house;
 * its time is that of the oldest one used. What then still contradicts between different markets is made coherent
 * (`coherent-market.ts`), so that no round of exchanges gains. A single source that counts as enough is taken as it is.
 */
export function oneMarket(sources: readonly SourceOfPrices[], agreement: Agreement): MarketSource {
  const [first, ...others] = sources
  if (!first) throw new Error('A market needs a source of prices.')
  if (others.some(({ market }) => market.reference !== first.market.reference))
    throw new Error('Sources of one market tell worth in one currency.')
  if (others.length === 0 && first.isSufficient) return first.market
  return coherent(agreed(sources, agreement), agreement)
}

type Books = readonly (Book | undefined)[]

/** A book of ours, what it was made from, and until when (milliseconds) that stays fresh. */
type CachedBook = { from: readonly Book[]; book: Book | undefined }

function agreed(sources: readonly SourceOfPrices[], agreement: Agreement): MarketSource {
  const places = placesOf(sources)
  const made: CachedBook[] = places.map(() => ({ from: [], book: undefined }))
  let last: { lists: readonly Books[]; freshUntil: number; books: Books } | undefined

  function booksAt(now: Date): Books {
    const lists = sources.map(({ market }) => market.booksAt(now))
    const isSame = last?.lists.every((list, index) => list === lists[index])
    if (last && isSame && now.getTime() <= last.freshUntil) return last.books

    let freshUntil = Infinity
    const books = places.map(({ market, quotedBy }, index) => {
      const from = quotedBy.flatMap(({ source, at }): SourceBook[] => {
        const book = lists[source]?.[at]
        if (!isFresh({ now, maxPriceAgeSeconds: agreement.maxPriceAgeSeconds }, book) || !isSound(book)) return []
        freshUntil = Math.min(freshUntil, book.at.getTime() + agreement.maxPriceAgeSeconds * 1_000)
        return [{ book, isSufficient: sources[source]?.isSufficient === true }]
      })
      return bookFrom(market, from, index)
    })
    const isUnchanged = last?.books.every((book, index) => book === books[index])
    last = { lists, freshUntil, books: last && isUnchanged ? last.books : books }
    return last.books
  }

  function bookFrom(market: Market, tellings: readonly SourceBook[], index: number): Book | undefined {
    const before = made[index]
    const from = tellings.map(({ book }) => book)
    const isSame = before?.from.length === from.length && from.every((book, at) => book === before.from[at])
    if (before && isSame) return before.book
    const book = agreedBook(market, tellings, agreement)
    made[index] = { from, book }
    return book
  }

  const [first] = sources
  return {
    name: sources.map(({ market }) => market.name).join('+'),
    reference: first?.market.reference ?? '',
    markets: places.map(({ market }) => market),
    booksAt,
  }
}

type SourceBook = { book: Book; isSufficient: boolean }

type MarketSources = { market: Market; quotedBy: { source: number; at: number }[] }

/** Every market that any source has, in the order in which they are met, and where each source tells it. */
function placesOf(sources: readonly SourceOfPrices[]): MarketSources[] {
  const places = new Map<string, MarketSources>()
  for (const [source, { market }] of sources.entries()) {
    for (const [at, { name, base, quote }] of market.markets.entries()) {
      const place = places.get(name) ?? { market: { name, base, quote, source: '' }, quotedBy: [] }
      place.quotedBy.push({ source, at })
      place.market.source = [...new Set([place.market.source, market.name].filter(Boolean))].join('+')
      places.set(name, place)
    }
  }
  return [...places.values()]
}

const isSound = ({ bid, ask }: Book): boolean => bid.numerator > 0n && !isGreater(bid, ask)

/** The one book that enough sources agree on; undefined where they do not. */
function agreedBook(
  market: Market,
  tellings: readonly SourceBook[],
  { isFiat, least, toleranceBasisPoints }: Agreement,
): Book | undefined {
  const byMiddle = tellings.toSorted((a, b) => compare(middleOf(a.book), middleOf(b.book)))
  const median = byMiddle[Math.floor((byMiddle.length - 1) / 2)]
  if (!median) return undefined
  const middle = middleOf(median.book)
  const agreeing = byMiddle.filter(({ book }) => isNear(middleOf(book), middle, toleranceBasisPoints))
  const needed = isFiat(market.base) && isFiat(market.quote) ? least.fiat : least.coin
  const isEnough = agreeing.length >= needed || agreeing.some(({ isSufficient }) => isSufficient)
  if (!isEnough || agreeing.length * 2 <= tellings.length) return undefined

  const books = agreeing.map(({ book }) => book)
  const bids = books.map(({ bid }) => bid).toSorted(compare)
  const asks = books.map(({ ask }) => ask).toSorted(compare)
  const [bid, ask] = [bids[Math.floor((bids.length - 1) / 2)], asks[Math.floor(asks.length / 2)]]
  if (!bid || !ask) return undefined
  const at = books.reduce((oldest, book) => (book.at < oldest ? book.at : oldest), median.book.at)
  const source = [...new Set(books.map((book) => book.market.source))].toSorted().join('+')
  return { market: { ...market, source }, bid, ask, at }
}

/** Twice the middle between bid and ask: only compared, so the factor does not matter. */
const middleOf = ({ bid, ask }: Pick<Book, 'bid' | 'ask'>): Ratio => ({
  numerator: bid.numerator * ask.denominator + ask.numerator * bid.denominator,
  denominator: bid.denominator * ask.denominator,
})

const compare = (a: Ratio, b: Ratio): number => (isGreater(a, b) ? 1 : isGreater(b, a) ? -1 : 0)
