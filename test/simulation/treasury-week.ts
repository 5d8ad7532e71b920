import assert from 'node:assert/strict'

import type { Ctx } from '../../src/exchange/context.ts'
import type { HedgingSettings } from '../../src/exchange/settings.ts'
import { listHedges, resolveHedge } from '../../src/exchange/treasury/decide-hedge.ts'
import { hedgingDue, startHedging } from '../../src/exchange/treasury/propose-hedges.ts'
import type { ProfitRow } from '../../src/exchange/treasury/profit.ts'
import { capital, held } from '../../src/exchange/ledger/account.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { worthDecimals } from '../../src/exchange/treasury/valuation.ts'
import { formatAmount } from '../../src/platform/money/amount.ts'
import { valueEntries } from '../../src/exchange/treasury/value-entries.ts'
import { storeMarks } from '../../src/exchange/treasury/mark.ts'
import { openCcxt } from '../../src/markets/ccxt/process.ts'
import { tradingVenue } from '../../src/markets/ccxt/trading.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, lookup, settled } from '../support/journey.ts'
import { assertProfitAddsUp, assertDaysAddUp, sumOf } from '../support/profit.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'
import { krakenKey } from '../support/venues/kraken.ts'
import { startTradingKraken } from '../support/venues/trading-kraken.ts'
import type { Behavior, VenueCore } from '../support/venues/venue-core.ts'
import { type Dice, openDice } from './dice.ts'
import { placeOrder } from './treasury-orders.ts'

/** What a week came to. Amounts are in EUR. */
export type WeekReport = {
  orders: Record<string, number>
  hedges: Record<string, number>
  answers: Record<string, number>
  fills: number
  profit: Record<string, string>
}

/** How a venue treats orders in a bad week. */
const behaviors: readonly { weight: number; behavior: Behavior }[] = [
  { weight: 40, behavior: 'fill' },
  { weight: 15, behavior: 'slow' },
  { weight: 10, behavior: 'half' },
  { weight: 10, behavior: 'lost' },
  { weight: 6, behavior: 'reject' },
  { weight: 6, behavior: 'twice' },
  { weight: 5, behavior: 'hidden' },
  { weight: 5, behavior: 'late_trades' },
  { weight: 2, behavior: 'nothing' },
  { weight: 1, behavior: 'never_arrived' },
]

const place = 'kraken'
const halfDays = 14
const lanes = 12

const opening: Readonly<Record<string, bigint>> = {
  'EUR-EUR': 10_000_000_00n,
  'BTC-BTC': 100_00000000n,
  'ETH-ETH': 3_000n * 10n ** 18n,
}

/** An exchange whose market stops, and the venue that it hedges at. */
type Week = {
  exchange: Exchange
  ctx: Ctx
  market: StillMarket
  dice: Dice
  core: VenueCore
  answers: Record<string, number>
}

/**
 * A week of orders with every ending and moving prices, hedged at a server that speaks Kraken's interface through ccxt and misbehaves. In
 * the end the profit and loss must be what the ledger changed by, to the last unit, in all and day by day; no order may have been sent
 * twice; and the venue's records must be what is booked. Throws where that does not hold.
 */
export async function runTreasuryWeek(
  { orders, seed }: { orders: number; seed: number },
  say: (line: string) => void = () => undefined,
): Promise<WeekReport> {
  const ends: (() => unknown)[] = []
  try {
    const week = await openWeek(seed, ends)
    const { ctx, exchange } = week
    const done = await placeOrders(week, orders, say)
    await settled(exchange)
    await endHedges(week)
    const rows = await assertProfitAddsUp(ctx, exchange.ownerUrl)
    await assertDaysAddUp(exchange.ownerUrl, rows)
    await assertVenueAgrees(week)
    await assertBooksHold(exchange)
    return await reportOf(week, rows, done)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

async function openWeek(seed: number, ends: (() => unknown)[]): Promise<Week> {
  const { core, server } = await startTradingKraken({ after: (end: () => unknown) => ends.push(end) })
  const ccxt = openCcxt({ log: silentLog, timeoutMs: 5_000, restMs: 0 })
  ends.push(() => ccxt.stop())
  const exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,ETH=1', DB_POOL_SIZE: '10' })
  ends.push(() => exchange.stop())
  const dice = openDice(seed)
  const answers: Record<string, number> = {}
  core.usual = () => {
    const { behavior } = dice.weigh(behaviors)
    answers[behavior] = (answers[behavior] ?? 0) + 1
    return behavior
  }
  const { ctx } = exchange.service.composition
  ctx.venue = tradingVenue(place, ccxt.venue(place, { exchange: 'kraken', ...krakenKey, urls: { api: server.url } }))
  ctx.config.hedging = hedging
  const brought = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  const postings = Object.entries(opening).map(([asset, amount]) => ({
    debit: held(place),
    credit: capital,
    asset,
    amount,
  }))
  await ctx.db.atomic((db) => post(db, ctx, [entry(brought, postings)]))
  await startHedging(ctx)
  return { exchange, ctx, market: stopMarket(exchange), dice, core, answers }
}

const hedging: HedgingSettings = {
  isAutomatic: true,
  venue: place,
  pairs: [
    { base: 'BTC', quote: 'EUR' },
    { base: 'ETH', quote: 'EUR' },
  ],
  assets: {},
  everyMs: 500,
  slippageBasisPoints: 50,
  expiresAfterMs: 900_000,
  bounds: {
    BTC: { target: '0', minimum: '0.002', lot: '0.0001' },
    ETH: { target: '0', minimum: '0.05', lot: '0.001' },
  },
  capPerOrder: 1_000_000n,
  capPerDay: 10_000_000_000n,
}

/** Places the orders of all half days, several at a time. Gives how many ended in which way. */
async function placeOrders(week: Week, orders: number, say: (line: string) => void): Promise<Record<string, number>> {
  const { exchange, ctx, market, dice, core } = week
  const done: Record<string, number> = {}
  let started = 0
  const since = performance.now()
  const placeUntil = async (upTo: number): Promise<void> => {
    while (started < upTo) {
      started += 1
      if (started % 25 === 0) await endLostHedges(week)
      const ending = await placeOrder(exchange, market, dice)
      done[ending] = (done[ending] ?? 0) + 1
    }
  }
  for (let part = 1; part <= halfDays; part += 1) {
    const upTo = Math.round((orders * part) / halfDays)
    await Promise.all(Array.from({ length: lanes }, () => placeUntil(upTo)))
    await exchange.api('/v1/sandbox/clock', { body: { advance: 'PT12H' } })
    await valueEntries(ctx)
    await storeMarks(ctx)
    const seconds = Math.round((performance.now() - since) / 1_000)
    say(`half day ${part} of ${halfDays}: ${started} orders, ${core.received.length} hedges at the venue, ${seconds} s`)
  }
  return done
}

/** A person looks at the venue for orders that it never got, and ends their hedges; ten minutes have passed by then. */
async function endLostHedges({ exchange, ctx, core }: Week): Promise<void> {
  for (const hedge of await listHedges(ctx, true)) {
    if (hedge.state !== 'unknown' || core.received.includes(hedge.client_order_id)) continue
    await lookup(exchange, `update hedges set sent_at = sent_at - interval '1 hour' where id = $1`, [hedge.id])
    await resolveHedge(ctx, hedge.id, { reason: 'The venue has no such order.', actor: 'simulation' })
  }
}

/** Stops hedging, and waits until every hedge has ended. */
async function endHedges(week: Week): Promise<void> {
  const { ctx, core } = week
  core.usual = () => 'fill'
  await ctx.db.sql`delete from jobs where kind = ${hedgingDue}`
  await until(async () => {
    await endLostHedges(week)
    return (await listHedges(ctx, true)).length === 0
  }, 'every hedge to end')
}

async function assertVenueAgrees({ exchange, core }: Week): Promise<void> {
  assert.equal(new Set(core.received).size, core.received.length, 'an order was sent twice')
  const trades = [...core.orders.values()].flatMap((order) => order.trades)
  const [booked] = await lookup<{ count: string; fills: string }>(
    exchange,
    'select count(*) as count, count(distinct fill) as fills from hedge_fills',
  )
  assert.deepEqual([booked?.count, booked?.fills], [String(trades.length), String(trades.length)])
  const traded = (ticker: string): bigint => core.balances.get(ticker) ?? 0n
  const balance = (asset: string): Promise<bigint> => bookBalance(exchange, held(place), asset)
  assert.equal(await balance('BTC-BTC'), (opening['BTC-BTC'] ?? 0n) + traded('BTC') / 10n ** 10n)
  assert.equal(await balance('ETH-ETH'), (opening['ETH-ETH'] ?? 0n) + traded('ETH'))
  const exact = (opening['EUR-EUR'] ?? 0n) * 10n ** 16n + traded('EUR')
  const apart = exact / 10n ** 16n - (await balance('EUR-EUR'))
  // Each trade's cost and fee are rounded to a cent by themselves.
  assert.ok(apart >= 0n && apart <= BigInt(2 * trades.length), `the books are ${apart} cents below the venue`)
}

async function reportOf(
  { exchange, answers }: Week,
  rows: ProfitRow[],
  orders: Record<string, number>,
): Promise<WeekReport> {
  const states = await lookup<{ state: string; count: number }>(
    exchange,
    'select state, count(*)::integer as count from hedges group by state',
  )
  const [fills] = await lookup<{ count: number }>(exchange, 'select count(*)::integer as count from hedge_fills')
  const columns = ['spread', 'fees', 'methodCosts', 'networkCosts', 'hedging', 'drift', 'revaluation', 'total'] as const
  return {
    orders,
    hedges: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    answers,
    fills: fills?.count ?? 0,
    profit: Object.fromEntries(
      columns.map((column) => [column, formatAmount(sumOf(rows, column), { decimals: worthDecimals })]),
    ),
  }
}
