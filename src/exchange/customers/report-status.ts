import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { customerRecord } from './customer-record.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'
import * as queries from './profile.sql.ts'

/** The job that looks at how somebody stands who has just proven an address for one more partner. */
export const customerProven = 'customer.proven'

/**
 * The job that looks at what waits for somebody's identity to be checked, once they stand otherwise. Its key is the id that a partner
 * sees, the number of the change, and how that person stood before it.
 */
export const statusChanged = 'customer.standing_changed'

/**
 * Tells the partners of these customers, and of all who are the same person, where a status is another than they were told
 * last. In the block of what changed it. Gives how all of them stand.
 */
export async function reportStatusChanges(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<CustomerProfile[]> {
  const same = await queries.lockSame(db, ids)
  const profiles = await profilesOf(
    ctx,
    db,
    same.map(({ id }) => id),
  )
  const changed = profiles.filter(({ status, reportedStatus }) => status !== reportedStatus)
  if (changed.length === 0) return profiles

  const at = ctx.clock.now()
  const told = changed.map((profile) => ({ ...profile, events: profile.events + 1 }))
  recordEvents(
    ctx,
    db,
    told.map((profile) => ({
      stream: profile.id,
      sequence: profile.events,
      partnerId: profile.partnerId,
      type: 'customer.status_changed',
      at,
      dataKey: profile.dataKey,
      payload: customerRecord(profile),
    })),
  )
  queries.saveTold(db, told)
  ctx.queue.enqueue(
    db,
    told.map(({ id, events, reportedStatus }) => ({
      kind: statusChanged,
      key: `${id}:${events}:${reportedStatus}`,
      runAt: at,
    })),
  )
  return profiles
}

/** Tells of those who stand otherwise now that an address is proven. The job's key is the id that the partner sees. */
export const reportProven = (ctx: Ctx): Handler => ({
  batch: 16,
  concurrency: 1,
  run: (jobs) =>
    ctx.queue.finish(jobs, async (db, held) => {
      await reportStatusChanges(
        ctx,
        db,
        held.map(({ key }) => BigInt(key)),
      )
    }),
})
