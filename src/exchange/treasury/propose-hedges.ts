import { randomUUID } from 'node:crypto'

import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { type Ratio, tenTo } from '../../platform/money/ratio.ts'
import { listings } from '../../reference/catalog/asset.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { vouch } from '../approvals/approve.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { held } from '../ledger/account.ts'
import { balanceOf } from '../ledger/balance.ts'
import { rateBetween } from '../pricing/rate.ts'
import type { HedgingSettings } from '../settings.ts'
import { transition } from '../settlement/transition.ts'
import { momentOf } from '../transactions/policy.ts'
import { exactDecimals, exactOf, unitsOf } from './decimals.ts'
import { type Exposure, exposures } from './exposure.ts'
import { hedgeDue, hedgeRows, hedges, type NewHedge } from './hedge.ts'
import { automatically, hedgeContent } from './hedge-content.ts'
import * as queries from './hedges.sql.ts'

/** The job that looks at the exposure, again and again while hedging is on. */
export const hedgingDue = 'hedging.due'

/** Without a bound of its currency, a difference that is worth less than this many euro cents is left alone. */
export const smallestCents = 10_000n
const dayMs = 86_400_000

/** Begins to look at the exposure, if it is to be hedged. Safe at every start of every process. */
export async function startHedging(ctx: Ctx): Promise<void> {
  if (!ctx.config.hedging) return
  const runAt = ctx.clock.realNow()
  await ctx.db.atomic(async (db) => {
    ctx.queue.enqueue(db, [{ kind: hedgingDue, key: 'all', runAt, timebase: 'real' }])
    return Promise.resolve()
  })
}

/** Proposes hedges as often as the settings say. Ends where hedging is off. */
export const hedgeExposure = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    const hedging = ctx.config.hedging
    if (hedging) await proposeHedges(ctx)
    const at = after(ctx.clock.realNow(), hedging?.everyMs ?? 0)
    await ctx.queue.revisit(jobs, (_db, mine) =>
      Promise.resolve(new Map(hedging ? mine.map(({ id }) => [id, { at, timebase: 'real' as const }]) : [])),
    )
  },
})

/**
 * Writes a hedge down for each pair whose exposure is too far from its target, one at a time: while one is open, or unknown, there is no
 * other. Where hedging is automatic it is sent if the caps allow it, else it waits for approval. A proposal that nobody approved in time is
 * canceled first. Gives the ids of new hedges.
 */
export async function proposeHedges(ctx: Ctx): Promise<bigint[]> {
  const hedging = hedgingOf(ctx)
  const ids: bigint[] = []
  for (const pair of hedging.pairs) {
    const name = nameOf(pair)
    // Read before the exposure: what a hedge changed is booked when it has ended, and one that came since is noticed below.
    const known = await withoutExpired(ctx, hedging, name)
    if (known.open !== null) continue
    const exposure = (await exposures(ctx)).find(({ currency }) => currency === pair.base)
    const hedge = exposure && (await hedgeFor(ctx, hedging, pair, exposure))
    if (hedge && (await writeDown(ctx, hedge, known.count))) ids.push(hedge.id)
  }
  return ids
}

/** The settings of hedging. Refuses where it is off. */
export function hedgingOf({ config }: Pick<Ctx, 'config'>): HedgingSettings {
  if (!config.hedging) throw new Refusal('CONFLICT', 'Hedging is off: see treasury in CONFIG_FILE.')
  return config.hedging
}

/** What the reason of a hedge that waits because of it ends with. */
export const beyondDailyCap = '; beyond the cap of a day'

export type Pair = HedgingSettings['pairs'][number]

export const nameOf = ({ base, quote }: Pair): string => `${base}/${quote}`

/** The hedges of a pair, once a proposal that nobody approved in time is canceled. */
async function withoutExpired(
  ctx: Ctx,
  { venue, expiresAfterMs }: HedgingSettings,
  pair: string,
): Promise<queries.PairHedges> {
  const now = ctx.clock.now()
  const { open: id, state, proposed_at: at, ...known } = await queries.hedgesOfPair(ctx.db, venue, pair)
  if (id === null || state !== 'proposed' || at === null || after(at, expiresAfterMs) > now) {
    return { ...known, open: id, state, proposed_at: at }
  }
  await ctx.db.atomic(async (db) => {
    const hedge = await queries.lockHedge(db, id)
    if (hedge?.state !== 'proposed') return
    transition(db, hedges, [{ id, endedAt: now, outcome: 'It was not approved in time.' }], 'proposed', 'canceled')
  })
  return queries.hedgesOfPair(ctx.db, venue, pair)
}

/** What would bring a currency back to its target. `most` is what may be traded of the `size`: at most the cap of an order, and what the venue holds. */
export type WantedHedge = {
  side: 'buy' | 'sell'
  base: Asset
  quote: Asset
  /** What the venue needs of ours for it. */
  paid: Asset
  limit: string
  size: bigint
  amount: bigint
  /** The cap of one order is less than the least that can be traded. */
  isCapped: boolean
  centsFor(amount: bigint): bigint
}

/** How far a currency is from its target, and what would bring it back. */
export function distanceOf(
  { bounds }: HedgingSettings,
  { base }: Pair,
  { amount }: Pick<Exposure, 'amount'>,
): Pick<WantedHedge, 'side' | 'size'> {
  const off = amount - exactOf(bounds[base]?.target ?? '0')
  return { side: off > 0n ? 'sell' : 'buy', size: off < 0n ? -off : off }
}

/** What an order of a pair is priced by; undefined while the market has no price that is young enough. */
export function pricesOf(
  ctx: Ctx,
  { slippageBasisPoints }: HedgingSettings,
  pair: Pair,
  side: WantedHedge['side'],
): { toEuro: Ratio; limit: string } | undefined {
  const moment = momentOf(ctx, ctx.clock.now())
  const toEuro = rateBetween(moment, pair.base, 'EUR')?.price
  const limit = limitOf(moment, pair, side, slippageBasisPoints)
  return toEuro && limit && toEuro.numerator > 0n ? { toEuro, limit } : undefined
}

export async function wantedHedge(
  ctx: Ctx,
  hedging: HedgingSettings,
  pair: Pair,
  exposure: Exposure,
): Promise<WantedHedge | undefined> {
  const bounds = hedging.bounds[pair.base]
  const { side, size } = distanceOf(hedging, pair, exposure)
  const prices = pricesOf(ctx, hedging, pair, side)
  if (!prices) return undefined
  const { toEuro, limit } = prices
  const centsFor = (amount: bigint): bigint =>
    (amount * 100n * toEuro.numerator) / (toEuro.denominator * tenTo(exactDecimals))
  const isSmall = bounds?.minimum === undefined ? centsFor(size) < smallestCents : size < exactOf(bounds.minimum)
  if (isSmall) return undefined

  const [base, quote] = [assetAt(hedging, pair.base), assetAt(hedging, pair.quote)]
  const lot = exactOf(bounds?.lot ?? formatAmount(1n, base))
  if (size < lot) return undefined
  const capped = smaller(
    size,
    (hedging.capPerOrder * toEuro.denominator * tenTo(exactDecimals)) / (100n * toEuro.numerator),
  )
  const paid = side === 'sell' ? base : quote
  const there = (await balanceOf(ctx.db, held(hedging.venue), paid.id)) * tenTo(exactDecimals - paid.decimals)
  const affordable = side === 'sell' ? there : (there * tenTo(exactDecimals)) / exactOf(limit)
  const most = smaller(capped, affordable)
  const isCapped = capped < lot && affordable >= lot
  return {
    side,
    base,
    quote,
    paid,
    limit,
    size,
    isCapped,
    centsFor,
    amount: unitsOf(most - (most % lot), base.decimals, 'down'),
  }
}

async function hedgeFor(
  ctx: Ctx,
  hedging: HedgingSettings,
  pair: Pair,
  exposure: Exposure,
): Promise<NewHedge | undefined> {
  const wanted = await wantedHedge(ctx, hedging, pair, exposure)
  if (!wanted) return undefined
  const { side, base, quote, paid, limit, amount, centsFor } = wanted
  if (amount <= 0n) {
    ctx.log.warn({ venue: hedging.venue, asset: paid.id }, 'The venue holds too little to hedge.')
    return undefined
  }
  const worth = centsFor(amount * tenTo(exactDecimals - base.decimals))
  const isWithinCap =
    worth + (await queries.worthSentSince(ctx.db, after(ctx.clock.now(), -dayMs))) <= hedging.capPerDay
  const exposed = `${pair.base} exposure ${formatAmount(exposure.amount, { decimals: exactDecimals })}`
  return {
    id: await ctx.rowIds.next(),
    venue: hedging.venue,
    clientOrderId: randomUUID(),
    pair: nameOf(pair),
    side,
    base: base.id,
    quote: quote.id,
    amount,
    limitPrice: limit,
    worth,
    state: hedging.isAutomatic && isWithinCap ? 'approved' : 'proposed',
    reason: hedging.isAutomatic && !isWithinCap ? exposed + beyondDailyCap : exposed,
    proposedBy: 'system',
    proposedAt: ctx.clock.now(),
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The limit of an order: the market's price, less or more the slippage, with six significant digits. */
function limitOf(
  moment: Parameters<typeof rateBetween>[0],
  { base, quote }: Pair,
  side: 'buy' | 'sell',
  slippage: number,
): string | undefined {
  const whole = 10_000n
  const bid = rateBetween(moment, base, quote)?.price
  const back = rateBetween(moment, quote, base)?.price
  if (!bid || !back) return undefined
  const price: Ratio =
    side === 'sell'
      ? { numerator: bid.numerator * (whole - BigInt(slippage)), denominator: bid.denominator * whole }
      : { numerator: back.denominator * (whole + BigInt(slippage)), denominator: back.numerator * whole }
  const exact = (price.numerator * tenTo(exactDecimals)) / price.denominator
  const unit = tenTo(Math.max(0, exact.toString().length - 6))
  // A seller's limit is rounded up and a buyer's down, so that rounding never lets more slip than was set.
  const limit = side === 'sell' ? ((exact + unit - 1n) / unit) * unit : (exact / unit) * unit
  return limit > 0n ? formatAmount(limit, { decimals: exactDecimals }) : undefined
}

/** The asset that the venue holds of a ticker: as the settings say, else the first of the catalog. */
export function assetAt({ assets }: Pick<HedgingSettings, 'assets'>, ticker: string): Asset {
  const named = assets[ticker]
  const asset = named === undefined ? listings.find((one) => one.asset.ticker === ticker)?.asset : bookedAsset(named)
  if (!asset) throw new Error(`The catalog has no asset for ${ticker} at the venue.`)
  return asset
}

/** False where another hedge of the pair was written down since `count` were there. */
async function writeDown(ctx: Ctx, hedge: NewHedge, count: number): Promise<boolean> {
  return ctx.db.atomic(async (db) => {
    queries.lockPair(db, hedge.venue, hedge.pair)
    if ((await queries.hedgesOfPair(db, hedge.venue, hedge.pair)).count !== count) return false
    hedgeRows.insert(db, [hedge])
    if (hedge.state === 'approved')
      vouch(
        ctx,
        db,
        hedgeContent({ ...hedge, client_order_id: hedge.clientOrderId, limit_price: hedge.limitPrice }),
        automatically,
      )
    recordAudit(db, {
      at: hedge.proposedAt,
      actor: hedge.proposedBy,
      action: 'hedge.proposed',
      subject: `hedge:${hedge.id}`,
      before: null,
      after: { pair: hedge.pair, side: hedge.side, amount: String(hedge.amount), state: hedge.state },
    })
    if (hedge.state === 'approved') enqueueHedge(ctx, db, hedge.id)
    return true
  })
}

/** Has an approved hedge sent soon. */
export const enqueueHedge = ({ queue, clock }: Pick<Ctx, 'queue' | 'clock'>, db: Atomic, id: bigint): void =>
  queue.enqueue(db, [{ kind: hedgeDue, key: String(id), runAt: clock.realNow(), timebase: 'real' }])
