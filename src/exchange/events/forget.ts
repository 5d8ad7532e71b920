import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { after } from '../../platform/lib/clock.ts'
import * as queries from './queries.ts'

/** How many events one statement looks at, and how many statements one call sends at most. */
const batch = 500
const batches = 100

/**
 * Makes the chore that lets events age out of the feed: those whose own time is longer ago than the policy `retention` says, which is
 * business time, as partners see it in `created_at`. With them go their places and the record of their deliveries.
 *
 * A partner's event stays until the next one of that partner is as old: a reader that polls within the retention finds
 * the event to continue from, however long nothing has happened since. Undelivered events are kept.
 *
 * Small batches, each its own commit, that lock only what they remove. One call looks at a limited number of events and the next
 * one continues from there, so that kept events do not block later ones. Returns how many were deleted.
 */
export function eventAgeing({ db, clock, policies }: Pick<Ctx, 'db' | 'clock' | 'policies'>): () => Promise<number> {
  let from = 0n
  return async () => {
    const now = clock.now()
    const before = after(now, -policies.at(now, 'retention').rules.eventsMs)
    let total = 0
    for (let done = 0; done < batches; done += 1) {
      const { next, gone } = await db.atomic(async (block) => {
        planByIndex(block, { flush: false })
        return queries.forgetBefore(block, { from, before, limit: batch })
      })
      total += gone
      from = next ?? 0n
      if (next === undefined) break
    }
    return total
  }
}
