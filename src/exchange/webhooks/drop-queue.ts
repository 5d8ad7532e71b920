import type { Ctx } from '../context.ts'
import { relayAtWork } from '../events/relay.ts'
import type { Handler, Job, NewJob } from '../../platform/jobs/job.ts'
import { dropRows } from './ended/queries.ts'
import { asRecords } from './queue/queries.ts'

/** The job that follows when an endpoint was disabled or removed. */
export const endpointEnded = 'endpoint.ended'

const rowsAtOnce = 1_000

/** One such job for each endpoint, due now. */
export const endedJobs = (endpointIds: bigint[], runAt: Date): NewJob[] =>
  endpointIds.map((id) => ({ kind: endpointEnded, key: String(id), runAt }))

/**
 * Takes what waits for an endpoint that has ended out of the queue, some thousand rows at a time, so that a million of them
 * block nobody. The events stay in the feed. One that was made active again meanwhile keeps its rows. The relay at work may not
 * have seen the end, and may still queue for it, so it is waited for.
 */
export const dropQueue = (ctx: Pick<Ctx, 'db' | 'queue'>): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    for (const job of jobs) await drop(ctx, job)
  },
})

const dropSome = (ctx: Pick<Ctx, 'db'>, endpointId: bigint): Promise<number> =>
  ctx.db.atomic(async (db) => {
    asRecords(db)
    return dropRows(db, endpointId, rowsAtOnce)
  })

async function drop(ctx: Pick<Ctx, 'db' | 'queue'>, job: Job): Promise<void> {
  const endpointId = BigInt(job.key)
  await relayAtWork(ctx)
  while ((await dropSome(ctx, endpointId)) > 0);
  await ctx.queue.finish([job], async () => undefined)
}
