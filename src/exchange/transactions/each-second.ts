import type { PartnerTerms } from '../availability/partner-terms.ts'
import type { ExchangeMoment } from '../availability/exchange-moment.ts'
import type { Ctx } from '../context.ts'
import { momentOf } from './policy.ts'

/**
 * Keeps what is on offer, which changes with prices and their age and takes long to find out, for the present second of
 * business time: it is worked out once a second for each set of terms, when somebody asks, and again when a pair of the market
 * opens or closes.
 */
export function eachSecond<Found>(
  ctx: Ctx,
  findOut: (moment: ExchangeMoment, terms: PartnerTerms) => Found,
): (terms: PartnerTerms) => Found {
  const kept = new WeakMap<PartnerTerms, { second: number; halts: unknown; open: unknown; found: Found }>()
  return (terms) => {
    const now = ctx.clock.now()
    const second = Math.floor(now.getTime() / 1000)
    const last = kept.get(terms)
    const halts = ctx.halts.now()
    const open = ctx.market.openAt?.(now)
    if (last?.second === second && last.halts === halts && last.open === open) return last.found
    const found = findOut(momentOf(ctx, now), terms)
    kept.set(terms, { second, halts, open, found })
    return found
  }
}
