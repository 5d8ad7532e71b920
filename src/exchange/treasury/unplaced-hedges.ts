import type { Ctx } from '../context.ts'
import type { HedgingSettings } from '../settings.ts'
import { exactOf, unitsOf } from './decimals.ts'
import { type Exposure, exposures } from './exposure.ts'
import * as queries from './hedges.sql.ts'
import {
  assetAt,
  beyondDailyCap,
  distanceOf,
  nameOf,
  type Pair,
  pricesOf,
  smallestCents,
  type WantedHedge,
  wantedHedge,
} from './propose-hedges.ts'
import { worthDecimals } from './valuation.ts'

/**
 * A pair that should be hedged now and is not: the venue refused the latest order, or does not say what became of it, or nobody there
 * traded at its limit, or the venue holds too little, or the caps of CONFIG_FILE allow no more for now; then the hedge may wait for
 * approval. Or there is no price. `about`: the venue, and what it said or lacks; the pair without a price. `amount` of `asset` is what should
 * be traded, worth `cents` of EUR, by the latest price that was known; undefined where there never was one.
 */
export type UnplacedHedge = {
  pair: string
  cause: 'refused' | 'unknown' | 'unfilled' | 'short' | 'capped' | 'unpriced'
  isProposed: boolean
  about: string
  since: Date
  asset: string
  amount: bigint
  cents: bigint | undefined
}

type Latest = Awaited<ReturnType<typeof queries.latestHedge>>[number]

/** The pairs that should be hedged and cannot be. None where hedging is off. */
export async function unplacedHedges(ctx: Ctx): Promise<UnplacedHedge[]> {
  const { hedging } = ctx.config
  if (!hedging) return []
  const { venue } = hedging
  const all = await exposures(ctx)
  const found: UnplacedHedge[] = []
  for (const pair of hedging.pairs) {
    const name = nameOf(pair)
    const exposure = all.find(({ currency }) => currency === pair.base)
    const wanted = exposure && (await wantedHedge(ctx, hedging, pair, exposure))
    const unpriced = exposure && unpricedHedge(ctx, hedging, pair, exposure)
    if (unpriced) found.push(unpriced)
    if (!wanted) continue
    const [last] = await queries.latestHedge(ctx.db, venue, name)
    const { open } = await queries.hedgesOfPair(ctx.db, venue, name)
    const cause = causeOf(wanted, last, open !== null)
    if (!cause) continue
    const more = {
      refused: ` says “${last?.outcome ?? ''}”`,
      unknown: '',
      unfilled: '',
      short: ` (${wanted.paid.ticker})`,
      capped: '',
    }
    found.push({
      pair: name,
      cause,
      isProposed: last?.state === 'proposed',
      about: venue + more[cause],
      since: last?.ended_at ?? last?.sent_at ?? ctx.clock.now(),
      asset: wanted.base.id,
      amount: unitsOf(wanted.size, wanted.base.decimals, 'down'),
      cents: wanted.centsFor(wanted.size),
    })
  }
  return found
}

/** Decimals of the worth of exposures beyond those of cents. */
const toCents = 10n ** BigInt(worthDecimals - 2)

/** What would be hedged if the pair had a price; undefined where it has one, or where too little is exposed. */
function unpricedHedge(ctx: Ctx, hedging: HedgingSettings, pair: Pair, exposure: Exposure): UnplacedHedge | undefined {
  const { side, size } = distanceOf(hedging, pair, exposure)
  if (size === 0n || pricesOf(ctx, hedging, pair, side)) return undefined
  const { decimals, id: asset } = assetAt(hedging, pair.base)
  const { minimum, lot } = hedging.bounds[pair.base] ?? {}
  const worth = exposure.worth < 0n ? -exposure.worth : exposure.worth
  const whole = exposure.amount < 0n ? -exposure.amount : exposure.amount
  const cents = worth === 0n || whole === 0n ? undefined : (worth * size) / whole / toCents
  const isSmall = minimum === undefined ? (cents ?? smallestCents) < smallestCents : size < exactOf(minimum)
  const amount = unitsOf(size, decimals, 'down')
  if (isSmall || amount === 0n || size < exactOf(lot ?? '0')) return undefined
  const about = nameOf(pair)
  return { pair: about, cause: 'unpriced', isProposed: false, about, since: ctx.clock.now(), asset, amount, cents }
}

/** Why a hedge cannot be placed; undefined where it can, or is on its way. */
function causeOf(
  wanted: WantedHedge,
  last: Latest | undefined,
  isOpen: boolean,
): Exclude<UnplacedHedge['cause'], 'unpriced'> | undefined {
  if (last?.state === 'rejected') return 'refused'
  if (last?.state === 'unknown') return 'unknown'
  // A hedge beyond the cap of a day waits for its approval, and the exposure stays open meanwhile.
  if (wanted.isCapped || (last?.state === 'proposed' && last.reason.endsWith(beyondDailyCap))) return 'capped'
  // Operators who end a hedge say why; an order that found nobody ends without a reason.
  const foundNobody = last?.state === 'canceled' && last.sent_at !== null && last.outcome === null && last.filled === 0n
  if (foundNobody) return 'unfilled'
  return wanted.amount <= 0n && !isOpen ? 'short' : undefined
}
