import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { after } from '../../platform/lib/clock.ts'
import * as queries from './queries.ts'

/** How many events one statement looks at, and how many statements one call sends at most. */
const batch = 500
const batches = 100

/**
 * Makes the chore that lets events age out of the feed: those whose own time is longer ago than EVENTS_RETENTION, which is
 * business time, as partners see it in `created_at`. With them go their places and the record of their deliveries.
 *
 * A partner's event stays until the next one of that partner is as old: whoever has read the feed within the retention finds
 * the event to go on from, however long nothing has happened since. Nothing goes that is still to be delivered.
 *
 * Small batches, each its own commit, that lock only what they remove. One call looks at so many events at most and the next
 * one goes on from there, so that what has to stay keeps none from its turn. Gives how many have gone.
 */
export function eventAgeing({ db, clock, config }: Pick<Ctx, 'db' | 'clock' | 'config'>): () => Promise<number> {
  let from = 0n
  return async () => {
    const before = after(clock.now(), -config.retention.eventsMs)
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
