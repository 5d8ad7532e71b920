import type { PartnerTerms } from '../availability/partner-terms.ts'
import type { ExchangeMoment } from '../availability/exchange-moment.ts'
import type { Ctx } from '../context.ts'
import { momentOf } from './policy.ts'

/**
 * Keeps what is on offer, which changes with prices and their age and takes long to find out, for the present second of
 * business time: it is worked out once a second at most for each set of terms, when somebody asks.
 */
export function eachSecond<Found>(
  ctx: Ctx,
  findOut: (moment: ExchangeMoment, terms: PartnerTerms) => Found,
): (terms: PartnerTerms) => Found {
  const kept = new WeakMap<PartnerTerms, { second: number; halts: unknown; found: Found }>()
  return (terms) => {
    const now = ctx.clock.now()
    const second = Math.floor(now.getTime() / 1000)
    const last = kept.get(terms)
    const halts = ctx.halts.now()
    if (last?.second === second && last.halts === halts) return last.found
    const found = findOut(momentOf(ctx, now), terms)
    kept.set(terms, { second, halts, found })
    return found
  }
}
