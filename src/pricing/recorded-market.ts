import assert from 'node:assert/strict'

import type { MarketPrice, MarketSource } from '../money/market.ts'
import { ratioOf, tenTo } from '../money/ratio.ts'
import type { Ratio } from '../money/ratio.ts'
import { recordedLevels } from './recorded-levels.ts'
import type { Motion, RecordedLevel } from './recorded-levels.ts'

/** Business time between two prices. */
const tickMs = 10_000

/** The walk: slow waves carry most of the way, quick ones make it live. A minute, a quarter, six hours, a week; parts in 100. */
const waves = [
  { ticks: 6n, part: 5n },
  { ticks: 90n, part: 15n },
  { ticks: 2_160n, part: 30n },
  { ticks: 60_480n, part: 50n },
]

const million = 1_000_000n
const one: Ratio = { numerator: 1n, denominator: 1n }

/**
 * The market that ships with the project: real levels, moved by a seeded walk on business time.
 *
 * The same seed and time give the same prices in every process and for ever, and any time costs the same to ask: each price
 * is computed from the time alone (value noise over hashed lattice points, whole numbers only), never from the one before.
 * Prices stay within their motion's amplitude (coins also move with the dollar) and step by less than 0.1 percent a tick.
 */
export function recordedMarket(seed: number, levels: readonly RecordedLevel[] = recordedLevels): MarketSource {
  let known: { at: number; prices: ReadonlyMap<string, MarketPrice> } | undefined
  return {
    name: 'recorded',
    reference: 'EUR',
    pricesAt: (businessTime) => {
      const at = businessTime.getTime() - (businessTime.getTime() % tickMs)
      if (known?.at !== at) known = { at, prices: pricesOfTick(seed, levels, new Date(at)) }
      return known.prices
    },
  }
}

function pricesOfTick(seed: number, levels: readonly RecordedLevel[], at: Date): Map<string, MarketPrice> {
  const tick = BigInt(at.getTime() / tickMs)
  const common = { at, source: 'recorded' }
  const prices = new Map<string, MarketPrice>([['EUR', { ticker: 'EUR', bid: one, ask: one, ...common }]])

  const dollar = levels.find(({ ticker }) => ticker === 'USD')
  const dollarMiddle = dollar ? middleOf(seed, dollar, one, tick) : one
  for (const level of levels) {
    const middle = middleOf(seed, level, dollarMiddle, tick)
    const { halfSpread } = level.motion
    const bid = rounded(times(middle, million - halfSpread), 'down')
    const ask = rounded(times(middle, million + halfSpread), 'up')
    prices.set(level.ticker, { ticker: level.ticker, bid, ask, ...common })
  }
  return prices
}

/** The middle of the market in euro for one whole unit: the level, moved. */
function middleOf(seed: number, level: RecordedLevel, dollar: Ratio, tick: bigint): Ratio {
  const moved = million + moveAt(`${seed}/${level.ticker}`, level.motion, tick)
  if ('perEuro' in level) {
    const { numerator, denominator } = ratioOf(level.perEuro)
    return times({ numerator: denominator, denominator: numerator }, moved)
  }
  const { numerator, denominator } = ratioOf(level.dollars)
  return times({ numerator: numerator * dollar.numerator, denominator: denominator * dollar.denominator }, moved)
}

const times = ({ numerator, denominator }: Ratio, millionths: bigint): Ratio => ({
  numerator: numerator * millionths,
  denominator: denominator * million,
})

/** How far from its level a price stands at a tick, in millionths: straight lines between the hashed points of each wave. */
function moveAt(name: string, { amplitude }: Motion, tick: bigint): bigint {
  let move = 0n
  for (const { ticks, part } of waves) {
    const [point, way] = [tick / ticks, tick % ticks]
    const here = latticePoint(`${name}/${ticks}`, point)
    const next = latticePoint(`${name}/${ticks}`, point + 1n)
    move += (amplitude * part * (here * (ticks - way) + next * way)) / (100n * ticks * million)
  }
  return move
}

/** A whole number from -1,000,000 to 1,000,000 that looks random and depends on the name and the point alone. */
const latticePoint = (name: string, point: bigint): bigint =>
  (hash(fnv1a(name) ^ point) % (2n * million + 1n)) - million

const word = (value: bigint): bigint => BigInt.asUintN(64, value)

/** FNV-1a, 64 bits: a text becomes a number (isthe.com/chongo/tech/comp/fnv). */
function fnv1a(text: string): bigint {
  let value = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) value = word((value ^ BigInt(byte)) * 0x100000001b3n)
  return value
}

/** The finishing steps of splitmix64: near numbers become far ones (prng.di.unimi.it/splitmix64.c). */
function hash(seed: bigint): bigint {
  let value = word(seed + 0x9e3779b97f4a7c15n)
  value = word((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n)
  value = word((value ^ (value >> 27n)) * 0x94d049bb133111ebn)
  return value ^ (value >> 31n)
}

/** Nine significant digits, as a market would quote: bids rounded down, asks up, so that they never cross. */
function rounded({ numerator, denominator }: Ratio, rounding: 'down' | 'up'): Ratio {
  assert(numerator > 0n, 'a price is above zero')
  const decimals = Math.max(0, 9 - (numerator.toString().length - denominator.toString().length))
  const over = tenTo(decimals)
  const floor = (numerator * over) / denominator
  const isExact = floor * denominator === numerator * over
  return { numerator: rounding === 'up' && !isExact ? floor + 1n : floor, denominator: over }
}
