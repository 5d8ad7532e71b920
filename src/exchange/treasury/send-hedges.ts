import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { FoundOrder, SentOrder, TradingVenue, VenueFill, VenueOrder } from '../../markets/trading-venue.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { readHalts } from '../../rails/halts.ts'
import type { Ctx } from '../context.ts'
import { transition } from '../settlement/transition.ts'
import { bookFills } from './book-fills.ts'
import { exactDecimals, exactOf } from './decimals.ts'
import { type Hedge, hedges, type HedgeState, isEnded } from './hedge.ts'
import { approvedHedges } from './hedge-content.ts'
import * as queries from './hedges.sql.ts'
import { decimalsOf } from './mark.ts'

/** How long after it was sent an order that the venue does not show is unknown, in real milliseconds. */
const visibleWithinMs = 5_000

/** How often a venue is asked, by the age of the order, in real milliseconds. */
const lookEvery: readonly { until: number; everyMs: number }[] = [
  { until: 30_000, everyMs: 500 },
  { until: 600_000, everyMs: 10_000 },
  { until: Infinity, everyMs: 60_000 },
]
const haltedAgainMs = 5_000

/**
 * Sends approved hedges, each once, and follows them to their end. That a hedge is sent is committed before the venue is called: a
 * process that dies in between leaves an order that is looked for and never sent again. What the venue did not answer clearly is asked
 * again, for as long as it takes.
 */
export const followHedges = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 4,
  run: async ([job]) => {
    if (!job) return
    const id = BigInt(job.key)
    const claim = await claimSending(ctx, id)
    if (claim === 'halted') return again(ctx, job, haltedAgainMs)
    if (claim === 'unapproved') {
      ctx.log.error({ hedge: job.key }, 'A hedge is said to be approved, and nobody approved it; it is not sent.')
      return ctx.queue.finish([job], () => Promise.resolve())
    }
    if (claim) await send(ctx, claim)
    await look(ctx, job, id)
  },
})

function venueOf({ venue }: Ctx, { venue: name }: Pick<Hedge, 'venue'>): TradingVenue {
  if (venue?.name !== name) throw new Error(`There is no venue ${name} in this process.`)
  return venue
}

/** Gives an approved hedge to this caller alone, and commits that it is sent. Nothing where it was sent before or has ended. */
async function claimSending(ctx: Ctx, id: bigint): Promise<Hedge | 'halted' | 'unapproved' | undefined> {
  return ctx.db.atomic(async (db) => {
    const hedge = await queries.lockHedge(db, id)
    if (hedge?.state !== 'approved') return undefined
    venueOf(ctx, hedge)
    if ((await approvedHedges(ctx, db, [hedge])).length === 0) return 'unapproved'
    const halts = await readHalts(db)
    const isHalted = halts.some(
      ({ scope, name }) => scope === 'all' || (scope === 'asset' && (name === hedge.base || name === hedge.quote)),
    )
    if (isHalted) return 'halted'
    const sentAt = ctx.clock.realNow()
    transition(db, hedges, [{ id, sentAt }], 'approved', 'sent')
    return { ...hedge, state: 'sent', sent_at: sentAt }
  })
}

const orderOf = ({ client_order_id, pair, side, base, amount, limit_price }: Hedge): VenueOrder => ({
  clientOrderId: client_order_id,
  pair,
  side,
  amount: formatAmount(amount, { decimals: decimalsOf(base) }),
  limitPrice: limit_price,
})

const sentOrderOf = (hedge: Hedge): VenueOrder & SentOrder => {
  if (!hedge.sent_at) throw new Error(`Hedge ${hedge.id} was never sent.`)
  return { ...orderOf(hedge), venueOrderId: hedge.venue_order_id ?? undefined, sentAt: hedge.sent_at }
}

/** Calls the venue once, and keeps what it answered. Without an answer, the look that follows finds out. */
async function send(ctx: Ctx, hedge: Hedge): Promise<void> {
  const venue = venueOf(ctx, hedge)
  const { id } = hedge
  try {
    const placed = await venue.place(orderOf(hedge))
    if (placed.state === 'accepted') {
      await ctx.db.atomic(async (db) => {
        const now = await queries.lockHedge(db, id)
        if (now?.venue_order_id === null) queries.saveVenueOrderId(db, id, placed.venueOrderId)
      })
      return
    }
    // A no to an order that the network delivered twice may be about the second copy.
    if (await venue.find(sentOrderOf(hedge))) return
    await ctx.db.atomic(async (db) => {
      const now = await queries.lockHedge(db, id)
      if (!now || (now.state !== 'sent' && now.state !== 'unknown')) return
      const ended = { id, endedAt: ctx.clock.realNow(), outcome: placed.reason.slice(0, 300) }
      transition(db, hedges, [ended], now.state, 'rejected')
    })
  } catch (error) {
    ctx.log.warn({ err: error, hedge: String(id) }, 'A hedge may or may not have reached its venue; looking for it.')
  }
}

/** Asks the venue what became of a hedge, books its fills, and comes back until it has ended. */
async function look(ctx: Ctx, job: Job, id: bigint): Promise<void> {
  const hedge = await queries.readHedge(ctx.db, id)
  if (!hedge || hedge.state === 'proposed' || isEnded(hedge.state)) {
    await ctx.queue.finish([job], () => Promise.resolve())
    return
  }
  const venue = venueOf(ctx, hedge)
  const found = await askVenue(ctx, venue, hedge)
  const at = after(ctx.clock.realNow(), waitOf(ctx, hedge))
  await ctx.queue.revisit([job], async (db, mine): Promise<Map<bigint, Again>> => {
    const now = mine.length > 0 ? await queries.lockHedge(db, id) : undefined
    if (!now) return new Map()
    const state = isEnded(now.state) ? now.state : await record(ctx, db, now, found)
    return isEnded(state) ? new Map() : new Map([[job.id, { at, timebase: 'real' }]])
  })
}

/** What a venue shows of an order; undefined where it shows none; `unclear` where it did not answer. */
type Sight = { order: FoundOrder; fills: VenueFill[] } | undefined | 'unclear'

async function askVenue(ctx: Ctx, venue: TradingVenue, hedge: Hedge): Promise<Sight> {
  try {
    const order = await venue.find(sentOrderOf(hedge))
    if (!order) return undefined
    const fills = await venue.fills({ ...sentOrderOf(hedge), venueOrderId: order.venueOrderId })
    return { order, fills }
  } catch (error) {
    ctx.log.warn({ err: error, hedge: String(hedge.id) }, 'The venue did not say what became of a hedge; asking again.')
    return 'unclear'
  }
}

/** Writes down what the venue shows. Gives the state of the hedge afterwards. */
async function record(ctx: Ctx, db: Atomic, hedge: Hedge, sight: Sight): Promise<HedgeState> {
  const { id, state } = hedge
  if (sight === undefined || sight === 'unclear') {
    const isLate = hedge.sent_at !== null && after(hedge.sent_at, visibleWithinMs) < ctx.clock.realNow()
    if (state !== 'sent' || !isLate) return state
    const outcome = sight === 'unclear' ? 'The venue does not answer.' : 'The venue does not show the order.'
    transition(db, hedges, [{ id, outcome }], state, 'unknown')
    return 'unknown'
  }
  const { order, fills } = sight
  const { filled, isComplete } = await bookFills(ctx, db, hedge, fills, exactOf(order.filled))
  const next = stateOf(hedge, order, { filled, isComplete })
  if (next === state) return state
  const change = { id, outcome: null, venueOrderId: order.venueOrderId }
  if (isEnded(next)) transition(db, hedges, [{ ...change, endedAt: ctx.clock.realNow() }], state, next)
  else transition(db, hedges, [change], state, next)
  return next
}

/** An order has ended when the venue says so and every trade that it counts is booked. */
function stateOf(
  hedge: Hedge,
  order: FoundOrder,
  { filled, isComplete }: { filled: bigint; isComplete: boolean },
): HedgeState {
  const ordered = hedge.amount * tenTo(exactDecimals - decimalsOf(hedge.base))
  if (!order.isOpen && isComplete) return exactOf(order.filled) >= ordered ? 'filled' : 'canceled'
  return filled > 0n ? 'partly_filled' : 'sent'
}

const again = (ctx: Ctx, job: Job, inMs: number): Promise<void> =>
  ctx.queue.revisit([job], (_db, mine) => {
    const at = after(ctx.clock.realNow(), inMs)
    return Promise.resolve(new Map(mine.map(({ id }) => [id, { at, timebase: 'real' as const }])))
  })

function waitOf({ clock }: Ctx, { sent_at: sentAt }: Hedge): number {
  const age = sentAt ? clock.realNow().getTime() - sentAt.getTime() : 0
  return lookEvery.find(({ until }) => age < until)?.everyMs ?? 0
}
