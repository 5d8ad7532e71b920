import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { findEvent } from '../events/feed.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { lockEndpoint, type Named, showEndpoint } from './manage-endpoints.ts'
import * as replays from './replays/queries.ts'

/** The job that queues what is to be sent again, and how many events it looks at in one block. */
export const replayDue = 'endpoint.replay'
const eventsAtOnce = 500

/** An event's own time may be a little later than its place in the feed tells. */
const slackMs = 60_000

/** A wish to have everything since a time again; `queued` is how many events so far. */
export type Replay = { id: bigint; since: Date; queued: number; askedAt: Date; endedAt: Date | null }

/**
 * Has one event sent to an endpoint again, whatever types it wants, or brings its next attempt forward to now. The schedule of
 * attempts begins anew. Refuses an event that is not in the partner's feed (any more), a disabled endpoint, and one that is not
 * there.
 */
export async function replayEvent(ctx: Ctx, db: Atomic, named: Named, eventId: string): Promise<void> {
  const { partnerId } = await showEndpoint({ db }, named)
  const event = await findEvent({ db }, partnerId, eventId)
  if (!event) throw badField('event_id', 'There is no such event, or it is no longer kept.')
  replays.byIndex(db)
  // What waits is locked before the endpoint, as where attempts are settled: two orders would block each other.
  replays.lockStreams(db, named.id, [event.id])
  const endpoint = await lockTarget(db, named)
  await replays.queueAgain(db, endpoint.id, [event.id], { now: ctx.clock.now(), realNow: ctx.clock.realNow() })
}

/**
 * Has everything that an endpoint wants and that happened since a time (business time) sent to it again, in order: a job puts it
 * in the queue in small steps. What happens from now on is not part of it. Refuses a time ahead, a disabled endpoint, and one
 * that is not there.
 */
export async function replaySince(ctx: Ctx, db: Atomic, named: Named, since: Date): Promise<Replay> {
  const now = ctx.clock.now()
  if (since > now) throw badField('since', 'This time is yet to come.')
  const { id: endpointId, partnerId } = await lockTarget(db, named)
  const id = randomId()
  await replays.insert(db, { id, endpointId, partnerId, since, askedAt: now })
  ctx.queue.enqueue(db, [{ kind: replayDue, key: String(id), runAt: now }])
  return { id, since, queued: 0, askedAt: now, endedAt: null }
}

async function lockTarget(db: Atomic, named: Named) {
  const endpoint = await lockEndpoint(db, named)
  if (endpoint.status === 'disabled') {
    throw new Refusal('CONFLICT', 'This endpoint is disabled: make it active first.')
  }
  return endpoint
}

/** Queues what replays ask for. Each step is a block of its own and writes down how far it came: a crash repeats one step. */
export const queueReplays = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    for (const job of jobs) await queueAll(ctx, job)
  },
})

async function queueAll(ctx: Ctx, job: Job): Promise<void> {
  const id = BigInt(job.key)
  const replay = await replays.find(ctx.db, id)
  if (replay?.nextPosition === 0n) {
    const start = await startOf(ctx, { ...replay, since: after(replay.since, -slackMs) })
    await ctx.db.atomic(async (db) => replays.goOn(db, { id, from: start, queued: 0 }))
  }
  while (await queueSome(ctx, id));
  await ctx.queue.finish([job], async (db) => replays.end(db, id, ctx.clock.now()))
}

/** The position before the first event since a time, near enough: positions rise with time, so halving finds it. */
async function startOf(
  { db }: Pick<Ctx, 'db'>,
  { partnerId, since, lastPosition }: Pick<replays.ReplayRow, 'partnerId' | 'since' | 'lastPosition'>,
): Promise<bigint> {
  let low = 0n
  let high = lastPosition
  while (high - low > BigInt(eventsAtOnce)) {
    const middle = (low + high) / 2n
    const at = await replays.timeAfter(db, partnerId, middle)
    if (at && at < since) low = middle
    else high = middle
  }
  return low
}

/** True while there is more. */
async function queueSome(ctx: Ctx, id: bigint): Promise<boolean> {
  return ctx.db.atomic(async (db) => {
    const replay = await replays.find(db, id)
    if (!replay || ['disabled', 'removed'].includes(replay.status)) return false
    const { looked, wanted, position } = await replays.nextOf(db, replay, eventsAtOnce)
    if (position === undefined) return false
    if (wanted.length > 0) {
      replays.byIndex(db)
      replays.lockStreams(db, replay.endpointId, wanted)
      const times = { now: ctx.clock.now(), realNow: ctx.clock.realNow() }
      await replays.queueAgain(db, replay.endpointId, wanted, times)
    }
    replays.goOn(db, { id, from: position, queued: wanted.length })
    return looked === eventsAtOnce
  })
}
