import type { Book, Market, MarketSource } from '../../markets/source.ts'
import type { Ratio } from '../../platform/money/ratio.ts'

/** Which way a market is crossed: its base is sold at the bid, or bought at the ask. */
export type Crossing = 'sell' | 'buy'

/** One step of a path: a market, by its place in the source's list, and the way it is crossed. */
export type Step = { index: number; crossing: Crossing }

/** A way through the markets from one ticker to another, that meets no ticker twice. */
export type Path = readonly Step[]

/** A step with the book that prices it. */
export type Leg = { book: Book; crossing: Crossing }

/** More legs than this are never better in practice, and each costs a spread: any fiat, euro, dollar, any coin. */
const mostLegs = 3

type Road = { step: Step; to: string }

/** The market graph: the roads leading out of each ticker. */
export type Roads = ReadonlyMap<string, readonly Road[]>

/** Draws the map of a source's markets: every market is a road in both directions. */
export function roadsOf({ markets }: Pick<MarketSource, 'markets'>): Roads {
  const roads = new Map<string, Road[]>()
  const add = (from: string, to: string, step: Step): void => {
    const known = roads.get(from)
    if (known) known.push({ step, to })
    else roads.set(from, [{ step, to }])
  }
  for (const [index, { base, quote }] of markets.entries()) {
    add(base, quote, { index, crossing: 'sell' })
    add(quote, base, { index, crossing: 'buy' })
  }
  return roads
}

/**
 * Every path of at most three legs, the fewest legs first, then by the names of the markets. Of equal prices the first path
 * wins.
 */
export function pathsBetween(markets: readonly Market[], roads: Roads, from: string, to: string): readonly Path[] {
  const found: { path: Path; name: string }[] = []
  const walked: Step[] = []
  const met = new Set([from])
  const extend = (here: string): void => {
    for (const { step, to: next } of roads.get(here) ?? []) {
      if (met.has(next)) continue
      walked.push(step)
      if (next === to) found.push({ path: [...walked], name: nameOf(markets, walked) })
      else if (walked.length < mostLegs) {
        met.add(next)
        extend(next)
        met.delete(next)
      }
      walked.pop()
    }
  }
  extend(from)
  return found.toSorted((a, b) => a.path.length - b.path.length || (a.name < b.name ? -1 : 1)).map(({ path }) => path)
}

const nameOf = (markets: readonly Market[], path: Path): string =>
  path.map(({ index }) => `${markets[index]?.name} ${markets[index]?.source}`).join()

/** What one leg gives for one whole unit that enters it: the bid where the base is sold, 1 / ask where it is bought. */
const legRatio = ({ book: { bid, ask }, crossing }: Leg): Ratio =>
  crossing === 'sell' ? bid : { numerator: ask.denominator, denominator: ask.numerator }

/** What one whole unit that enters a path comes to at its end, exactly, not in lowest terms. No leg at all changes nothing. */
export function pathPrice([first, ...others]: readonly Leg[]): Ratio {
  if (!first) return { numerator: 1n, denominator: 1n }
  let { numerator, denominator } = legRatio(first)
  for (const leg of others) {
    const ratio = legRatio(leg)
    numerator *= ratio.numerator
    denominator *= ratio.denominator
  }
  return { numerator, denominator }
}

/** Whether two prices, one there and one back, come to more than there was at the beginning. */
export const isGain = (there: Ratio, back: Ratio): boolean =>
  there.numerator * back.numerator > there.denominator * back.denominator

/** Whether one ratio is greater than another, exactly. */
export const isGreater = (one: Ratio, other: Ratio): boolean =>
  one.numerator * other.denominator > other.numerator * one.denominator
