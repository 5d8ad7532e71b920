import type { Ctx } from '../context.ts'
import { planByIndex } from '../../platform/db/plan.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { findEvent } from '../events/feed.ts'
import type { EventType } from '../events/event.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { badField, refuseNow } from '../../platform/lib/refusal.ts'
import { type Endpoint, type EndpointKey, type EndpointStatus, lockEndpoint, showEndpoint } from './endpoint.ts'
import { lockStreams, type QueueRow, type SavedRow, saveRows } from './queue.ts'

/** The job that queues the events of a replay, and how many events it reads in one block. */
export const replayDue = 'endpoint.replay'
const batchSize = 500

/** An event's own time may be a little later than its position in the feed suggests. */
const slackMs = 60_000

/** A replay of everything since a time; `queued` counts its events so far. */
export type Replay = { id: bigint; since: Date; queued: number; askedAt: Date; endedAt: Date | null }

/**
 * Sends one event to an endpoint again, whatever types it subscribes to, on a new schedule, or brings its next attempt forward.
 * Refuses an event that is not in the partner's feed (any more), and a disabled endpoint.
 */
export async function replayEvent(ctx: Ctx, db: Atomic, key: EndpointKey, eventId: string): Promise<void> {
  const { partnerId } = await showEndpoint({ db }, key)
  const event = await findEvent({ db }, partnerId, eventId)
  if (!event) throw badField('event_id', 'There is no such event, or it is no longer kept.')
  // The queue is locked before the endpoint, as in settling, so that the two cannot deadlock.
  const streams = await lockEvents(ctx, db, key.id, [event.id])
  const { isOrdered } = await lockTarget(db, key)
  requeue(ctx, db, { endpointId: key.id, isOrdered }, streams)
}

/**
 * Sends everything that an endpoint subscribes to and that happened since a time (business time) again, in order: a job queues it in
 * small steps. Refuses a time in the future, and a disabled endpoint.
 */
export async function replaySince(ctx: Ctx, db: Atomic, key: EndpointKey, since: Date): Promise<Replay> {
  const now = ctx.clock.now()
  if (since > now) throw badField('since', 'This time is in the future.')
  const { id: endpointId, partnerId } = await lockTarget(db, key)
  const id = randomId()
  await db.sql`
    insert into webhook_replays (id, endpoint_id, since, next_position, last_position, asked_at)
    select ${id}::bigint, ${endpointId}::bigint, ${since}::timestamptz, 0, coalesce((
      select position from event_feed where partner_id = ${partnerId} order by position desc limit 1
    ), 0), ${now}::timestamptz`
  ctx.queue.enqueue(db, [{ kind: replayDue, key: String(id), runAt: now }])
  return { id, since, queued: 0, askedAt: now, endedAt: null }
}

async function lockTarget(db: Atomic, key: EndpointKey): Promise<Endpoint> {
  const endpoint = await lockEndpoint(db, key)
  refuseNow(whyNotReplayed(endpoint))
  return endpoint
}

/** Why nothing can be sent to an endpoint again; undefined: it can. */
export const whyNotReplayed = ({ status }: Pick<Endpoint, 'status'>): string | undefined =>
  status === 'disabled' ? 'This endpoint is disabled: make it active first.' : undefined

/** Runs replays. Each step is its own block and records its progress, so that a crash repeats one step at most. */
export const queueReplays = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 1,
  run: async (jobs) => {
    for (const job of jobs) await queueAll(ctx, job)
  },
})

async function queueAll(ctx: Ctx, job: Job): Promise<void> {
  const id = BigInt(job.key)
  const replay = await findReplay(ctx.db, id)
  if (replay?.nextPosition === 0n) {
    const start = await startOf(ctx.db, { ...replay, since: after(replay.since, -slackMs) })
    await ctx.db.sql`update webhook_replays set next_position = ${start} where id = ${id}`
  }
  while (await queueSome(ctx, id));
  await ctx.queue.finish([job], async (db) => {
    db.send`update webhook_replays set ended_at = ${ctx.clock.now()} where id = ${id}`
  })
}

type ReplayRow = {
  endpointId: bigint
  partnerId: bigint
  status: EndpointStatus
  isOrdered: boolean
  types: EventType[]
  since: Date
  nextPosition: bigint
  lastPosition: bigint
}

async function findReplay(db: Db, id: bigint): Promise<ReplayRow | undefined> {
  const [row] = await db.sql<ReplayRow>`
    select endpoint_id as "endpointId", partner_id as "partnerId", status, is_ordered as "isOrdered", types, since,
      next_position as "nextPosition", last_position as "lastPosition"
    from webhook_replays as replay join webhook_endpoints as endpoint on endpoint.id = replay.endpoint_id
    where replay.id = ${id} and ended_at is null`
  return row
}

/** A position shortly before the first event since a time: positions rise with time, so a binary search finds it. */
async function startOf(db: Db, { partnerId, since, lastPosition }: ReplayRow): Promise<bigint> {
  let low = 0n
  let high = lastPosition
  while (high - low > BigInt(batchSize)) {
    const middle = (low + high) / 2n
    const [next] = await db.sql<{ at: Date }>`
      select at from (
        select event_id from event_feed where partner_id = ${partnerId} and position > ${middle} order by position limit 1
      ) as next join events on events.id = next.event_id`
    if (next && next.at < since) low = middle
    else high = middle
  }
  return low
}

/** Queues the next events; true while there are more. */
async function queueSome(ctx: Ctx, id: bigint): Promise<boolean> {
  return ctx.db.atomic(async (db) => {
    const replay = await findReplay(db, id)
    if (!replay || ['disabled', 'removed'].includes(replay.status)) return false
    const events = await nextEvents(db, replay)
    const last = events.at(-1)
    if (!last) return false
    const wanted = events.filter(({ isWanted }) => isWanted)
    if (wanted.length > 0) {
      const streams = await lockEvents(
        ctx,
        db,
        replay.endpointId,
        wanted.map((event) => event.id),
      )
      requeue(ctx, db, replay, streams)
    }
    db.send`
      update webhook_replays set next_position = ${last.position}, queued = queued + ${wanted.length}::integer where id = ${id}`
    return events.length === batchSize
  })
}

const nextEvents = (
  db: Db,
  { partnerId, types, since, nextPosition, lastPosition }: ReplayRow,
): Promise<{ id: bigint; position: bigint; isWanted: boolean }[]> =>
  db.sql`
    select id, position, at >= ${since} and type = any(${types}::text[]) as "isWanted"
    from (
      select event_id, position from event_feed
      where partner_id = ${partnerId} and position > ${nextPosition} and position <= ${lastPosition}
      order by position limit ${batchSize}
    ) as next join events on events.id = next.event_id
    order by position`

/** The events of a stream that are to be sent again, in order, and what is queued of it. */
type StreamToReplay = { events: { id: bigint; stream: bigint; sequence: number }[]; rows: QueueRow[] }

/** Reads events and locks what is queued of their streams. */
export async function lockEvents(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  endpointId: bigint,
  eventRows: bigint[],
): Promise<StreamToReplay[]> {
  planByIndex(db)
  const events = await db.sql<StreamToReplay['events'][number]>`
    select id, stream, sequence from events where id = any(${eventRows}::bigint[])`
  const rows = await lockStreams(
    db,
    events.map(({ stream }) => ({ endpointId, stream })),
    clock.realNow(),
  )
  return [...new Set(events.map(({ stream }) => stream))].map((stream) => ({
    events: events.filter((event) => event.stream === stream),
    rows: rows.filter((row) => row.stream === stream),
  }))
}

/**
 * Queues events again, and brings forward those that are queued. The first event of each stream is due now and the others wait behind
 * it, if the endpoint is ordered. An event that a process holds is marked and due when its attempt has ended, and all others of its
 * stream wait for it.
 */
function requeue(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  { endpointId, isOrdered }: Pick<ReplayRow, 'endpointId' | 'isOrdered'>,
  streams: StreamToReplay[],
): void {
  const now = clock.now()
  const saved: SavedRow[] = []
  const added: (StreamToReplay['events'][number] & { nextAt: Date | null })[] = []
  for (const { events, rows } of streams) {
    const first = Math.min(...[...events, ...rows].map(({ sequence }) => sequence))
    const dueAt = (sequence: number) =>
      !isOrdered || (sequence === first && !rows.some(({ isHeld }) => isHeld)) ? now : null
    for (const row of rows) {
      const isWanted = events.some(({ sequence }) => sequence === row.sequence)
      const kept = { ...row, nextAt: null, leaseUntil: null, lastAt: null }
      if (row.isHeld && isWanted) saved.push({ ...kept, again: true })
      else if (!row.isHeld && (isOrdered || isWanted)) saved.push({ ...kept, nextAt: dueAt(row.sequence) })
    }
    const missing = events.filter(({ sequence }) => !rows.some((row) => row.sequence === sequence))
    added.push(...missing.map((event) => ({ ...event, nextAt: dueAt(event.sequence) })))
  }
  if (saved.length > 0) saveRows(db, saved)
  if (added.length > 0) insertAgain(db, endpointId, added)
}

/** Each row begins at a fence that no earlier row of its event had, so that an old attempt is not taken for one of it. */
const insertAgain = (
  db: Atomic,
  endpointId: bigint,
  rows: { id: bigint; stream: bigint; sequence: number; nextAt: Date | null }[],
): void =>
  db.send`
    insert into webhook_queue (endpoint_id, stream, sequence, event_id, earlier, next_at, fence)
    select ${endpointId}, stream, sequence, id, coalesce((
        select max(number) from webhook_attempts where endpoint_id = ${endpointId} and event_id = row.id
      ), 0), next_at, trunc(random() * 2 ^ 62)::bigint
    from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.stream)}::bigint[],
      ${rows.map((row) => row.sequence)}::integer[], ${rows.map((row) => row.nextAt)}::timestamptz[]
    ) as row (id, stream, sequence, next_at)
    on conflict do nothing`
