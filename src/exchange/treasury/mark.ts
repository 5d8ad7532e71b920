import type { MarketMoment } from '../pricing/market.ts'
import { rateBetween } from '../pricing/rate.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import type { Ctx } from '../context.ts'
import { momentOf } from '../transactions/policy.ts'
import { priceOf, type Prices } from './valuation.ts'
import * as queries from './valuations.sql.ts'

const dayMs = 86_400_000

/** The day of a business time, in UTC: `2026-11-23`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The day so many days later. */
export const dayAfter = (day: string, days = 1): string => dayOf(after(new Date(`${day}T00:00:00Z`), days * dayMs))

/** The decimals of an asset of the books. */
export function decimalsOf(asset: string): number {
  const known = bookedAsset(asset)
  if (!known) throw new Error(`The catalog does not know ${asset}.`)
  return known.decimals
}

const tickerOf = (asset: string): string => bookedAsset(asset)?.ticker ?? asset

/** The middle between what the market pays for one whole unit of a ticker and what it asks, in EUR; undefined without fresh prices. */
function middlePrice(moment: MarketMoment, ticker: string): bigint | undefined {
  const sold = rateBetween(moment, ticker, 'EUR')?.price
  const bought = rateBetween(moment, 'EUR', ticker)?.price
  if (!sold || !bought) return undefined
  return priceOf(middleOf(sold, { numerator: bought.denominator, denominator: bought.numerator }))
}

const middleOf = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: 2n * a.denominator * b.denominator,
})

/** Prices of a moment. `isFresh`: the market has a price of the asset now, so its mark is not one of an earlier day. */
export type MomentPrices = Prices & { isFresh(asset: string): boolean }

/** The prices of a business time: fresh ones of the market, else the asset's latest stored mark, else 0. Remembers what it found. */
export async function pricesAt(ctx: Ctx, at: Date): Promise<MomentPrices> {
  const stored = new Map((await queries.latestMarks(ctx.db, dayOf(at))).map(({ asset, price }) => [asset, price]))
  return pricesFrom(momentOf(ctx, at), stored)
}

/** The same with the stored marks at hand. */
export function pricesFrom(moment: MarketMoment, stored: ReadonlyMap<string, bigint>): MomentPrices {
  const fresh = new Map<string, bigint | undefined>()
  const freshOf = (asset: string): bigint | undefined => {
    if (!fresh.has(asset)) fresh.set(asset, middlePrice(moment, tickerOf(asset)))
    return fresh.get(asset)
  }
  return {
    decimalsOf,
    markOf: (asset) => freshOf(asset) ?? stored.get(asset) ?? 0n,
    rateOf: (from, to) => rateBetween(moment, tickerOf(from), tickerOf(to))?.price,
    isFresh: (asset) => freshOf(asset) !== undefined,
  }
}

/**
 * Stores the marks of days that have ended and lack them. A mark is the price at the end of its day, or, where nothing ran then, the
 * first that is known afterwards. A day that ended longer than a day ago without any gets the mark of the day before. Once stored, a
 * mark never changes. An asset that never had a price has no mark.
 */
export async function storeMarks(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now()
  const yesterday = dayAfter(dayOf(now), -1)
  const missing = await queries.missingMarks(ctx.db, yesterday)
  if (missing.length === 0) return
  const byDay = new Map<string, MomentPrices>()
  const rows = []
  for (const { day, asset } of missing) {
    const prices = byDay.get(day) ?? (await pricesAt(ctx, new Date(`${dayAfter(day)}T00:00:00Z`)))
    byDay.set(day, prices)
    const price = prices.markOf(asset)
    if (price > 0n && (prices.isFresh(asset) || day < yesterday)) rows.push({ day, asset, price })
  }
  if (rows.length > 0) await queries.insertMarks(ctx.db, rows, now)
}
