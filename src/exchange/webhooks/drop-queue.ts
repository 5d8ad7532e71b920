import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import { relayAtWork } from '../events/relay.ts'
import type { Handler, NewJob } from '../../platform/jobs/job.ts'
import { lockStreams, removeRows } from './queue.ts'

/** The job that follows when an endpoint was disabled or removed. */
export const endpointEnded = 'endpoint.ended'

const batchSize = 1_000

/** One such job for each endpoint, due now. */
export const endedJobs = (endpointIds: bigint[], runAt: Date): NewJob[] =>
  endpointIds.map((id) => ({ kind: endpointEnded, key: String(id), runAt }))

/**
 * Empties the queue of an endpoint that has ended, about a thousand rows at a time; the events stay in the feed. It first waits for
 * the relay, which may not have seen the end and may still queue for the endpoint.
 */
export const dropQueue = (ctx: Pick<Ctx, 'db' | 'clock' | 'queue'>): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    for (const job of jobs) {
      await relayAtWork(ctx)
      while ((await dropStreams(ctx, BigInt(job.key), batchSize)) > 0);
      await ctx.queue.finish([job], async () => undefined)
    }
  },
})

/**
 * Removes whole streams with at least `limit` rows, if there are so many, and returns how many rows. An endpoint that was made
 * active again meanwhile keeps its rows: they are locked first, as in settling, and then the endpoint.
 */
export const dropStreams = (
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  endpointId: bigint,
  limit: number,
): Promise<number> =>
  db.atomic(async (block) => {
    planByIndex(block, { flush: false })
    const keys = await block.sql<{ endpointId: bigint; stream: bigint }>`
      select endpoint_id as "endpointId", stream from webhook_queue
      where endpoint_id = ${endpointId} order by stream, sequence limit ${limit}`
    const rows = await lockStreams(block, keys, clock.realNow())
    const ended = await block.sql`
      select from webhook_endpoints where id = ${endpointId} and status in ('disabled', 'removed') for share`
    if (ended.length === 0 || rows.length === 0) return 0
    removeRows(block, rows)
    return rows.length
  })
