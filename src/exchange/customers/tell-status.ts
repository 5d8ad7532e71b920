import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { customerRecord } from './customer-record.ts'
import { type Standing, standingsOf } from './standing.ts'
import * as queries from './standing.sql.ts'

/** The job that looks at how somebody stands who has just proven an address for one more partner. */
export const customerProven = 'customer.proven'

/**
 * The job that looks at what waits for somebody's identity to be checked, once they stand otherwise. Its key is the id that a partner
 * sees, the number of the change, and how that person stood before it.
 */
export const standingChanged = 'customer.standing_changed'

/**
 * Tells the partners of these customers, and of all who are the same person, where a status is another than they were told
 * last. In the block of what changed it. Gives how all of them stand.
 */
export async function tellStatus(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<Standing[]> {
  const same = await queries.lockSame(db, ids)
  const standings = await standingsOf(
    ctx,
    db,
    same.map(({ id }) => id),
  )
  const changed = standings.filter(({ status, toldStatus }) => status !== toldStatus)
  if (changed.length === 0) return standings

  const at = ctx.clock.now()
  const told = changed.map((standing) => ({ ...standing, events: standing.events + 1 }))
  recordEvents(
    ctx,
    db,
    told.map((standing) => ({
      stream: standing.id,
      sequence: standing.events,
      partnerId: standing.partnerId,
      type: 'customer.status_changed',
      at,
      dataKey: standing.dataKey,
      payload: customerRecord(standing),
    })),
  )
  queries.saveTold(db, told)
  ctx.queue.enqueue(
    db,
    told.map(({ id, events, toldStatus }) => ({
      kind: standingChanged,
      key: `${id}:${events}:${toldStatus}`,
      runAt: at,
    })),
  )
  return standings
}

/** Tells of those who stand otherwise now that an address is proven. The job's key is the id that the partner sees. */
export const tellProven = (ctx: Ctx): Handler => ({
  batch: 16,
  concurrency: 1,
  run: (jobs) =>
    ctx.queue.finish(jobs, async (db, held) => {
      await tellStatus(
        ctx,
        db,
        held.map(({ key }) => BigInt(key)),
      )
    }),
})
