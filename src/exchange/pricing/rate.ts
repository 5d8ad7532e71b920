import type { Book, MarketSource } from '../../markets/source.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { isFresh } from './market.ts'
import type { MarketMoment } from './market.ts'
import { lessSpread } from './price.ts'
import { isGain, isGreater, pathPrice, pathsBetween, roadsOf } from './path.ts'
import type { Leg, Path, Roads } from './path.ts'

/**
 * What one whole unit of a ticker comes to in another at the market, before anything of ours: whole units of `to` for one of
 * `from`, exactly. The same object for as long as none of its books changes, so that what was worked out from it can be kept.
 */
export type Rate = {
  from: string
  to: string
  /** The path it was taken along; none from a ticker to itself. */
  legs: readonly Leg[]
  /** Not in lowest terms: finding them costs more than all the rest, and what is published is found from it anyway. */
  price: Ratio
  /** The last price that `soldAt` made of it. */
  sold: { spreadBasisPoints: number; price: Ratio } | undefined
}

/** The price of a rate less a spread, in lowest terms. Remembers the last one: most accounts keep the same spread. */
export function soldAt(rate: Rate, spreadBasisPoints: number): Ratio {
  if (rate.sold?.spreadBasisPoints === spreadBasisPoints) return rate.sold.price
  const price = lessSpread(rate.price, spreadBasisPoints)
  rate.sold = { spreadBasisPoints, price }
  return price
}

type Books = readonly (Book | undefined)[]

/** What is known of the way from one ticker to another. */
type Way = {
  from: string
  to: string
  paths: readonly Path[]
  /** The path in use, the second of business time in which it was chosen, and from which books. */
  path: Path | undefined
  second: number
  chosenFrom: Books | undefined
  /** The books that `rate` was last found true for, and until when (milliseconds) they are fresh. */
  books: Books | undefined
  maxPriceAgeSeconds: number
  freshUntil: number
  rate: Rate | undefined
  /** Whether there and back gains, for this rate and the one back. */
  judged: { there: Rate; back: Rate; gains: boolean } | undefined
}

type Ways = { roads: Roads; byPair: Map<string, Map<string, Way>>; itself: Map<string, Rate> }

const known = new WeakMap<MarketSource, Ways>()

/**
 * The rate between two tickers along the best path of fresh books: the one that gives most, of equal ones the one with the
 * fewest legs, then the first by name. Undefined when no path is fresh.
 *
 * Prices are always those of the moment. Which path is used is decided at most once a second of business time, and again as
 * soon as a book of it is too old; see docs/decisions/0023.
 *
 * Undefined as well when going there and back would gain: then books contradict each other, and who bought at one and sold at
 * the other would take the difference from us. So rate(A to B) x rate(B to A) <= 1, whatever the sources say.
 */
export function rateBetween(moment: MarketMoment, from: string, to: string): Rate | undefined {
  const ways = waysOf(moment.market)
  if (from === to) return rateOfItself(ways, from)

  const books = moment.market.booksAt(moment.now)
  const way = wayBetween(ways, moment.market, from, to)
  const there = rateNow(way, moment, books)
  if (!there) return undefined
  const back = rateNow(wayBetween(ways, moment.market, to, from), moment, books)
  if (!back) return undefined

  if (way.judged?.there !== there || way.judged.back !== back) {
    way.judged = { there, back, gains: isGain(there.price, back.price) }
  }
  return way.judged.gains ? undefined : there
}

function waysOf(market: MarketSource): Ways {
  const ways = known.get(market)
  if (ways) return ways
  const made: Ways = { roads: roadsOf(market), byPair: new Map(), itself: new Map() }
  known.set(market, made)
  return made
}

function rateOfItself({ roads, itself }: Ways, ticker: string): Rate | undefined {
  const rate = itself.get(ticker)
  if (rate) return rate
  if (!roads.has(ticker)) return undefined
  const made: Rate = { from: ticker, to: ticker, legs: [], price: pathPrice([]), sold: undefined }
  itself.set(ticker, made)
  return made
}

function wayBetween({ roads, byPair }: Ways, { markets, prefersDirect }: MarketSource, from: string, to: string): Way {
  const ways = byPair.get(from) ?? new Map<string, Way>()
  const way = ways.get(to)
  if (way) return way
  const direct: Path[] = (roads.get(from) ?? []).flatMap(({ step, to: next }) => (next === to ? [[step]] : []))
  const made: Way = {
    from,
    to,
    paths: prefersDirect && direct.length > 0 ? direct : pathsBetween(markets, roads, from, to),
    path: undefined,
    second: 0,
    chosenFrom: undefined,
    books: undefined,
    maxPriceAgeSeconds: 0,
    freshUntil: 0,
    rate: undefined,
    judged: undefined,
  }
  if (roads.has(from) && roads.has(to)) byPair.set(from, ways.set(to, made))
  return made
}

/** The rate of a pair at a moment: unchanged, priced again, or on a new path, whichever is needed. */
function rateNow(way: Way, moment: MarketMoment, books: Books): Rate | undefined {
  const { now, maxPriceAgeSeconds } = moment
  const time = now.getTime()
  const second = Math.floor(time / 1_000)
  const isChosen = way.maxPriceAgeSeconds === maxPriceAgeSeconds && (way.chosenFrom === books || way.second === second)
  if (isChosen && way.books === books && time <= way.freshUntil) return way.rate

  const known = isChosen && way.path ? freshLegs(way.path, moment, books) : undefined
  const legs = known ?? chooseLegs(way, moment, books)
  way.books = books
  way.freshUntil = legs ? freshUntil(legs, maxPriceAgeSeconds) : 0
  if (!legs) way.rate = undefined
  else if (!way.rate || !isOf(way.rate, legs))
    way.rate = { from: way.from, to: way.to, legs, price: pathPrice(legs), sold: undefined }
  return way.rate
}

/** The legs of a path, if all its books are fresh. */
function freshLegs(path: Path, moment: MarketMoment, books: Books): Leg[] | undefined {
  const legs: Leg[] = []
  for (const { index, crossing } of path) {
    const book = books[index]
    if (!isFresh(moment, book)) return undefined
    legs.push({ book, crossing })
  }
  return legs
}

/** Chooses the path that gives most; the first in their order where several do. */
function chooseLegs(way: Way, moment: MarketMoment, books: Books): Leg[] | undefined {
  let best: { path: Path; legs: Leg[]; price: Ratio } | undefined
  for (const path of way.paths) {
    const legs = freshLegs(path, moment, books)
    if (!legs) continue
    const price = pathPrice(legs)
    if (!best || isGreater(price, best.price)) best = { path, legs, price }
  }
  way.path = best?.path
  way.second = Math.floor(moment.now.getTime() / 1_000)
  way.chosenFrom = books
  way.maxPriceAgeSeconds = moment.maxPriceAgeSeconds
  return best?.legs
}

function freshUntil(legs: readonly Leg[], maxPriceAgeSeconds: number): number {
  let oldest = Infinity
  for (const { book } of legs) oldest = Math.min(oldest, book.at.getTime())
  return oldest + maxPriceAgeSeconds * 1_000
}

const isOf = (rate: Rate, legs: readonly Leg[]): boolean =>
  rate.legs.length === legs.length &&
  rate.legs.every(({ book, crossing }, at) => book === legs[at]?.book && crossing === legs[at].crossing)
