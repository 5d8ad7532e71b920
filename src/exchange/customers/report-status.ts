import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { customerRecord } from './customer-record.ts'
import { type CustomerProfile, profilesOf } from './profile.ts'
import * as queries from './profile.sql.ts'

/** The job that updates the status of a customer who has just proven their address for another partner. */
export const customerProven = 'customer.proven'

/**
 * The job that resumes orders waiting for an identity check after the customer's status changed. Its key is the partner's
 * customer id, the number of the change, and the status before.
 */
export const statusChanged = 'customer.standing_changed'

/**
 * Reports changed statuses to the partners of these customers and of all who are the same person, in the block that changed
 * them. Returns all their profiles.
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
  const reported = changed.map((profile) => ({ ...profile, events: profile.events + 1 }))
  recordEvents(
    ctx,
    db,
    reported.map((profile) => ({
      stream: profile.id,
      sequence: profile.events,
      partnerId: profile.partnerId,
      type: 'customer.status_changed',
      at,
      dataKey: profile.dataKey,
      payload: customerRecord(profile),
    })),
  )
  queries.saveReportedStatus(db, reported)
  ctx.queue.enqueue(
    db,
    reported.map(({ id, events, reportedStatus }) => ({
      kind: statusChanged,
      key: `${id}:${events}:${reportedStatus}`,
      runAt: at,
    })),
  )
  return profiles
}

/** Reports statuses that changed because an address was proven. The job's key is the partner's customer id. */
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
