import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import * as queries from './attempts/queries.ts'

const attemptsAtOnce = 500
const mostBatches = 100

/**
 * Lets the record of attempts age out, answers included: what is longer ago than ATTEMPTS_RETENTION (business time), in small
 * batches that lock only what they remove, so many a call at most. Gives how many have gone.
 */
export async function forgetOldAttempts({ db, clock, config }: Pick<Ctx, 'db' | 'clock' | 'config'>): Promise<number> {
  const before = after(clock.now(), -config.retention.attemptsMs)
  let left = mostBatches
  let total = 0
  for (const id of await queries.endpointIds(db)) {
    for (let gone = attemptsAtOnce; gone === attemptsAtOnce && left > 0; left -= 1) {
      gone = await queries.forget(db, id, before, attemptsAtOnce)
      total += gone
    }
  }
  await queries.forgetReplays(db, before)
  return total
}
