import { planByIndex } from '../../platform/db/plan.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { EventKey, EventType } from './event.ts'

/** An event as it is stored. */
export type EventRow = EventKey & {
  partnerId: bigint
  type: EventType
  at: Date
  dataKeyId: bigint
  body: Buffer
}

/** Writes events. */
export const insert = (db: Atomic, rows: EventRow[]): void =>
  db.send`
    insert into events (stream, sequence, partner_id, type, at, data_key_id, body)
    select * from unnest(
      ${rows.map((row) => row.stream)}::bigint[], ${rows.map((row) => row.sequence)}::integer[],
      ${rows.map((row) => row.partnerId)}::bigint[], ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[], ${rows.map((row) => row.dataKeyId)}::bigint[],
      ${rows.map((row) => row.body)}::bytea[])`

const oneRelayAtATime = 712_403_552

/** Waits until no other relay works, until the block ends. Recent events are few, which the planner cannot know. */
export function lockRelay(db: Atomic): void {
  db.send`select pg_advisory_xact_lock(${oneRelayAtATime})`
  planByIndex(db)
}

/** An event that has just got its place in the feed. */
export type Sequenced = EventKey & { id: bigint; partner_id: bigint; type: EventType }

/**
 * Gives the committed events that have no position yet their positions, in the order of their ids, in which every stream's
 * sequence rises: the writer of a stream's next event has waited for the last one to commit.
 *
 * The search and the next search's lower bound come from one snapshot. Below the oldest database transaction that it saw
 * running everything has ended, and all committed events are fed by now, unless the limit cut them off. `id + 0` keeps
 * the planner from walking all events in the order of their ids. A bound from the future is that of a dump which was
 * restored into a younger server: one whole search mends it.
 */
export const feedFresh = (db: Atomic, limit: number): Promise<Sequenced[]> =>
  db.sql`
    with moment as materialized (
      select pg_snapshot_xmin(snapshot) as oldest_running,
        case when restored then '0'::xid8 else seen_below end as lowest,
        case when restored then '18446744073709551615'::xid8 else pg_snapshot_xmax(snapshot) end as end_of_it
      from event_relay, pg_current_snapshot() as snapshot,
        lateral (select seen_below > pg_snapshot_xmax(snapshot) as restored) as dump
    ),
    fresh as materialized (
      select id, stream, sequence, partner_id, type from events
      where xid >= (select lowest from moment) and xid < (select end_of_it from moment)
        and not exists (select from event_feed where event_id = events.id)
      order by id + 0 limit ${limit}
    ),
    fed as (insert into event_feed (event_id, partner_id) select id, partner_id from fresh order by id),
    seen as (
      update event_relay set seen_below = oldest_running from moment
      where (select count(*) from fresh) between 1 and ${limit - 1}
    )
    select id, stream, sequence, partner_id, type from fresh order by id`

/** The row and the position of an event in its partner's feed; undefined for one that is not there, or another partner's. */
export const find = async (
  db: Db,
  partnerId: bigint,
  { stream, sequence }: EventKey,
): Promise<{ id: bigint; position: bigint } | undefined> => {
  const [row] = await db.sql<{ id: bigint; position: bigint }>`
    select events.id, position from events join event_feed on event_feed.event_id = events.id
    where stream = ${stream} and sequence = ${sequence} and events.partner_id = ${partnerId}`
  return row
}

/** The row of a partner's event, in the feed or on its way there. */
export const findRecorded = async (
  db: Db,
  partnerId: bigint,
  { stream, sequence }: EventKey,
): Promise<bigint | undefined> => {
  const [row] = await db.sql<{ id: bigint }>`
    select id from events where stream = ${stream} and sequence = ${sequence} and partner_id = ${partnerId}`
  return row?.id
}

/** The last event of a partner's feed. */
export const last = async (db: Db, partnerId: bigint): Promise<EventKey | undefined> => {
  const [row] = await db.sql<EventKey>`
    select stream, sequence from (
      select event_id from event_feed where partner_id = ${partnerId} order by position desc limit 1
    ) as latest join events on events.id = latest.event_id`
  return row
}

/** A partner's events after a position, in the feed's order. */
export const afterPosition = (
  db: Db,
  partnerId: bigint,
  position: bigint,
  limit: number,
): Promise<(EventRow & { wrappedKey: Buffer | null })[]> =>
  db.sql`
    select stream, sequence, events.partner_id as "partnerId", type, at, data_key_id as "dataKeyId", wrapped as "wrappedKey", body
    from (
      select event_id, position from event_feed
      where partner_id = ${partnerId} and position > ${position} order by position limit ${limit}
    ) as next join events on events.id = next.event_id join data_keys on data_keys.id = data_key_id
    order by next.position`

/** Events by their rows, with the wrapped keys that open them. */
export const readSealed = (db: Db, ids: bigint[]): Promise<(EventRow & { id: bigint; wrappedKey: Buffer | null })[]> =>
  db.sql`
    select events.id, stream, sequence, partner_id as "partnerId", type, at, data_key_id as "dataKeyId", wrapped as "wrappedKey", body
    from events join data_keys on data_keys.id = data_key_id where events.id = any(${ids}::bigint[])`

/** One thing's events, in order, with their places in the feed (null: not there yet). For people who look at it. */
export const ofStream = (
  db: Db,
  stream: bigint,
): Promise<{ sequence: number; type: EventType; at: Date; position: bigint | null }[]> =>
  db.sql`
    select sequence, type, at, position from events left join event_feed on event_feed.event_id = events.id
    where stream = ${stream} order by sequence`

/** The result of one batch: where to continue (undefined: nothing older follows), and how many events were deleted. */
export type Forgotten = { next: bigint | undefined; gone: number }

/**
 * Looks at the next events after `from` (by id, so roughly by age), and removes those from before `before` with their places
 * and the record of their deliveries. What stays: an event without a place yet; every event of a stream with an undelivered
 * event, to a paused endpoint as well; and a partner's last event before `before`, because a reader may
 * continue from there.
 */
export const forgetBefore = async (
  db: Db,
  { from, before, limit }: { from: bigint; before: Date; limit: number },
): Promise<Forgotten> => {
  const [row] = await db.sql<{ next: bigint | null; gone: bigint }>`
    with looked as materialized (
      select id, stream, partner_id, at from events where id > ${from} order by id limit ${limit}
    ),
    old as materialized (
      select looked.id, looked.partner_id from looked join event_feed as place on place.event_id = looked.id
      where looked.at < ${before} and exists (
        select from (
          select event_id from event_feed as later
          where later.partner_id = looked.partner_id and later.position > place.position order by later.position limit 1
        ) as next join events on events.id = next.event_id and events.at < ${before}
      ) and not exists (
        select from webhook_endpoints as endpoint join webhook_queue as queued on queued.endpoint_id = endpoint.id
        where endpoint.partner_id = looked.partner_id and queued.stream = looked.stream
      )
    ),
    unattempted as (
      delete from webhook_attempts as attempt using old join webhook_endpoints as endpoint using (partner_id)
      where attempt.endpoint_id = endpoint.id and attempt.event_id = old.id
    ),
    unplaced as (delete from event_feed using old where event_id = old.id),
    gone as (delete from events using old where events.id = old.id returning 1)
    select (select id from looked where at < ${before} order by id desc limit 1) as next, (select count(*) from gone) as gone`
  return { next: row?.next ?? undefined, gone: Number.parseInt(String(row?.gone ?? 0n), 10) }
}
