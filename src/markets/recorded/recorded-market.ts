import assert from 'node:assert/strict'

import type { Book, Market, MarketSource } from '../source.ts'
import { over, ratioOf, tenTo, times } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { recordedLevels } from './recorded-levels.ts'
import type { RecordedLevel } from './recorded-levels.ts'
import { walkOf } from './walk.ts'

/** Business time between two prices. */
const tickMs = 10_000

/** How a level moves: slow waves carry most of the way, quick ones make it live. A minute, a quarter, six hours, a week. */
const waves = [
  { ticks: 6n, part: 5n },
  { ticks: 90n, part: 15n },
  { ticks: 2_160n, part: 30n },
  { ticks: 60_480n, part: 50n },
]

/** How a market strays from the middle that the two levels make: within a minute. */
const straying = [{ ticks: 6n, part: 100n }]

/**
 * Which markets there are besides the one that every currency has (euro against fiat money, a coin against the dollar): the
 * deepest of the real ones. Those of a currency without a level are left out.
 */
const furtherMarkets: Readonly<Record<string, string>> = {
  USD: 'GBP AUD NZD EURC',
  EUR: 'BTC ETH SOL XRP ADA DOGE LTC USDT USDC',
  USDT: 'BTC ETH SOL XRP BNB TRX TON DOGE',
  BTC: 'ETH SOL XRP LTC BCH BNB',
}
const dollarBuys = 'JPY CHF CAD MXN BRL'

const million = 1_000_000n
const one: Ratio = { numerator: 1n, denominator: 1n }

type Middles = ReadonlyMap<string, Ratio>

/**
 * The market that ships with the project: real levels, moved by a seeded walk on business time, and a few markets for each
 * currency, in the euro, the dollar, Tether or Bitcoin.
 *
 * The same seed and time give the same books in every process and for ever, and any time costs the same to ask: each is
 * computed from the time alone, never from the one before. Levels stay within their motion's amplitude (coins also move with
 * the dollar) and step by less than 0.1 percent a tick. A market's bid is never above the middle of the two levels that it
 * trades, and its ask never below, so that no path through them gains.
 */
export function recordedMarket(seed: number, levels: readonly RecordedLevel[] = recordedLevels): MarketSource {
  const middlesAt = middlesOf(seed, levels)
  const makers = marketsOf(levels).map((market) => bookMaker(seed, market, levels))
  let known: { at: number; books: readonly Book[] } | undefined
  return {
    name: 'recorded',
    reference: 'EUR',
    markets: makers.map(({ market }) => market),
    booksAt: (businessTime) => {
      const at = businessTime.getTime() - (businessTime.getTime() % tickMs)
      if (known?.at === at) return known.books
      const tick = BigInt(at / tickMs)
      const middles = middlesAt(tick)
      const books = makers.map(({ bookAt }) => bookAt(tick, middles, new Date(at)))
      known = { at, books }
      return books
    },
  }
}

/** One market for each level, and the further ones between levels. */
function marketsOf(levels: readonly RecordedLevel[]): Market[] {
  const listed = new Set(['EUR', ...levels.map(({ ticker }) => ticker)])
  const market = (base: string, quote: string): Market => ({
    name: `${base}/${quote}`,
    base,
    quote,
    source: 'recorded',
  })
  const main = levels.map((level) => ('perEuro' in level ? market('EUR', level.ticker) : market(level.ticker, 'USD')))
  const further = [
    ...Object.entries(furtherMarkets).flatMap(([quote, bases]) => bases.split(' ').map((base) => market(base, quote))),
    ...dollarBuys.split(' ').map((quote) => market('USD', quote)),
  ]
  return [...main, ...further].filter(({ base, quote }) => listed.has(base) && listed.has(quote))
}

/** The middle of every ticker in euro for one whole unit, at a tick: its level, moved. */
function middlesOf(seed: number, levels: readonly RecordedLevel[]): (tick: bigint) => Middles {
  const moving = levels.map((level) => {
    const walk = walkOf(`${seed}/${level.ticker}`, level.motion.amplitude, waves)
    return { level, movedAt: (tick: bigint) => ({ numerator: million + walk(tick), denominator: million }) }
  })
  return (tick) => {
    const dollar = moving.find(({ level }) => level.ticker === 'USD')
    const dollarMiddle = dollar ? middleOf(dollar.level, one, dollar.movedAt(tick)) : one
    const middles = new Map([['EUR', one]])
    for (const { level, movedAt } of moving) middles.set(level.ticker, middleOf(level, dollarMiddle, movedAt(tick)))
    return middles
  }
}

function middleOf(level: RecordedLevel, dollar: Ratio, moved: Ratio): Ratio {
  return 'perEuro' in level ? over(moved, ratioOf(level.perEuro)) : times(times(ratioOf(level.dollars), dollar), moved)
}

/** Makes one market's books: bid and ask as far from the middle as the wider of its two currencies has them. */
function bookMaker(seed: number, market: Market, levels: readonly RecordedLevel[]) {
  const halfSpread = levels
    .filter(({ ticker }) => ticker === market.base || ticker === market.quote)
    .reduce((widest, { motion }) => (motion.halfSpread > widest ? motion.halfSpread : widest), 0n)
  const stray = walkOf(`${seed}/${market.name}`, halfSpread / 2n, straying)
  return {
    market,
    bookAt: (tick: bigint, middles: Middles, at: Date): Book => {
      const [base, quote] = [middles.get(market.base), middles.get(market.quote)]
      assert(base && quote, `${market.name} is a market between two levels`)
      const straight = over(base, quote)
      const middle = million + stray(tick)
      const bid = times(straight, { numerator: middle * (million - halfSpread), denominator: million * million })
      const ask = times(straight, { numerator: middle * (million + halfSpread), denominator: million * million })
      return { market, bid: rounded(bid, 'down'), ask: rounded(ask, 'up'), at }
    },
  }
}

/** Nine significant digits, as a market would quote: bids rounded down, asks up, so that they never cross. */
function rounded({ numerator, denominator }: Ratio, rounding: 'down' | 'up'): Ratio {
  assert(numerator > 0n, 'a price is above zero')
  const decimals = Math.max(0, 9 - (numerator.toString().length - denominator.toString().length))
  const whole = tenTo(decimals)
  const floor = (numerator * whole) / denominator
  const isExact = floor * denominator === numerator * whole
  return { numerator: rounding === 'up' && !isExact ? floor + 1n : floor, denominator: whole }
}
