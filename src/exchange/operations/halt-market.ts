import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { badField, fieldRefusal, refuseNow } from '../../platform/lib/refusal.ts'
import { readPair } from '../../markets/pair.ts'

/** An operator's order about a pair, and why. */
export type MarketOrder = { reason: string; actor: string }

/**
 * Closes a pair for new prices, in every process within two seconds, until an operator resumes it. What was agreed stays. A pair that
 * is halted already keeps its reason. Audited. Refuses currencies that the catalog does not have, and an empty reason.
 */
export async function haltMarket(ctx: Ctx, text: string, { reason, actor }: MarketOrder): Promise<{ pair: string }> {
  const pair = pairOf(text, reason)
  const at = ctx.clock.now()
  await ctx.db.atomic(async (db) => {
    const halted = await db.sql`
      insert into market_halts (pair, since, actor, reason) values (${pair}, ${at}, ${actor}, ${reason})
      on conflict (pair) do nothing returning 1`
    if (halted.length === 0) throw fieldRefusal('CONFLICT', 'pair', `${pair} is halted already.`)
    recordAudit(db, { at, actor, action: 'market.halted', subject: `market:${pair}`, before: null, after: { reason } })
  })
  await ctx.markets.refresh()
  return { pair }
}

/** Ends an operator's halt of a pair. Audited. Refuses a pair that no operator has halted (CONFLICT), and an empty reason. */
export async function resumeMarket(ctx: Ctx, text: string, { reason, actor }: MarketOrder): Promise<{ pair: string }> {
  const pair = pairOf(text, reason)
  const at = ctx.clock.now()
  await ctx.db.atomic(async (db) => {
    const [was] = await db.sql<{ since: Date; reason: string }>`
      delete from market_halts where pair = ${pair} returning since, reason`
    if (!was) return refuseNow(whyNotResumed({ pair, reason: null }))
    const before = { since: was.since.toISOString(), why: was.reason }
    recordAudit(db, { at, actor, action: 'market.resumed', subject: `market:${pair}`, before, after: { reason } })
  })
  await ctx.markets.refresh()
  return { pair }
}

/** A pair, and why an operator has halted it; null: none has. */
export type HaltedMarket = { pair: string; reason: string | null }

/** The pairs that operators have halted. */
export const haltedMarkets = ({ db }: Pick<Ctx, 'db'>): Promise<{ pair: string; reason: string }[]> =>
  db.sql<{ pair: string; reason: string }>`select pair, reason from market_halts order by pair`

/** A pair as somebody names it. Refuses currencies that the catalog does not have. */
export async function showMarket(ctx: Pick<Ctx, 'db'>, text: string): Promise<HaltedMarket> {
  const pair = namedIn(text)
  return (await haltedMarkets(ctx)).find((one) => one.pair === pair) ?? { pair, reason: null }
}

/** Why a pair cannot be resumed; undefined: it can. */
export const whyNotResumed = ({ pair, reason }: HaltedMarket): string | undefined =>
  reason === null ? `${pair} is not halted by an operator.` : undefined

function pairOf(text: string, reason: string): string {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  return namedIn(text)
}

function namedIn(text: string): string {
  const pair = readPair(text)
  if (!pair) throw badField('pair', `${text} is not a pair of known currencies, such as BTC/EUR.`)
  return pair.name
}
