import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { EventType } from '../../events/event.ts'
import type { EndpointStatus } from '../endpoint.ts'

/** A replay, and what it has to know of its endpoint. */
export type ReplayRow = {
  endpointId: bigint
  partnerId: bigint
  status: EndpointStatus
  types: EventType[]
  since: Date
  nextPosition: bigint
  lastPosition: bigint
}

/** Writes down what is wished for, up to what the feed has now. */
export const insert = (
  db: Atomic,
  replay: { id: bigint; endpointId: bigint; partnerId: bigint; since: Date; askedAt: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into webhook_replays (id, endpoint_id, since, next_position, last_position, asked_at)
    select ${replay.id}::bigint, ${replay.endpointId}::bigint, ${replay.since}::timestamptz, 0, coalesce((
      select position from event_feed where partner_id = ${replay.partnerId} order by position desc limit 1
    ), 0), ${replay.askedAt}::timestamptz`

/** One that has not ended. */
export const find = async (db: Db, id: bigint): Promise<ReplayRow | undefined> => {
  const [row] = await db.sql<ReplayRow>`
    select endpoint_id as "endpointId", partner_id as "partnerId", status, types, since, next_position as "nextPosition",
      last_position as "lastPosition"
    from webhook_replays as replay join webhook_endpoints as endpoint on endpoint.id = replay.endpoint_id
    where replay.id = ${id} and ended_at is null`
  return row
}

/** Says how far it has come. */
export const goOn = (db: Atomic, { id, from, queued }: { id: bigint; from: bigint; queued: number }): void =>
  db.send`update webhook_replays set next_position = ${from}, queued = queued + ${queued}::integer where id = ${id}`

/** Says that it is over. */
export const end = (db: Atomic, id: bigint, now: Date): void =>
  db.send`update webhook_replays set ended_at = ${now} where id = ${id}`

/** The time of a partner's first event after a position. */
export const timeAfter = async (db: Db, partnerId: bigint, position: bigint): Promise<Date | undefined> => {
  const [row] = await db.sql<{ at: Date }>`
    select at from (
      select event_id from event_feed where partner_id = ${partnerId} and position > ${position} order by position limit 1
    ) as next join events on events.id = next.event_id`
  return row?.at
}

/** The next events of a replay: how many were looked at, which of them are wanted, and the position of the last one. */
export const nextOf = async (
  db: Db,
  { partnerId, types, since, nextPosition, lastPosition }: ReplayRow,
  limit: number,
): Promise<{ looked: number; wanted: bigint[]; position: bigint | undefined }> => {
  const rows = await db.sql<{ id: bigint; position: bigint; is_wanted: boolean }>`
    select id, position, at >= ${since} and type = any(${types}::text[]) as is_wanted
    from (
      select event_id, position from event_feed
      where partner_id = ${partnerId} and position > ${nextPosition} and position <= ${lastPosition}
      order by position limit ${limit}
    ) as next join events on events.id = next.event_id
    order by position`
  const wanted = rows.filter((row) => row.is_wanted).map(({ id }) => id)
  return { looked: rows.length, wanted, position: rows.at(-1)?.position }
}

/** Says, until the block ends, that what follows looks rows up: the planner may take the queue for an empty one. */
export const byIndex = (db: Atomic): void =>
  db.send`
    select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`

/** Locks what waits of the streams of some events at an endpoint, in the order in which settling does, until the block ends. */
export const lockStreams = (db: Atomic, endpointId: bigint, eventRows: bigint[]): void =>
  db.send`
    with again as materialized (
      select distinct stream from unnest(${eventRows}::bigint[]) as wanted (id) cross join lateral (
        select stream from events where events.id = wanted.id offset 0
      ) as event
      order by stream
    )
    select from again cross join lateral (
      select from webhook_queue as queued
      where endpoint_id = ${endpointId} and queued.stream = again.stream order by sequence for update
    ) as locked`

/**
 * Puts events in an endpoint's queue again, and brings forward those that are there. Of each stream the first one is due now and
 * the others wait behind it, where the endpoint asks for order. What is under way, or has been taken and is not yet written down,
 * is due when that attempt has ended, whatever came of it; until then all others of its stream wait. A row begins at a fence that
 * no earlier row of the same event had, so that an attempt of that time is not taken for one of now.
 */
export const queueAgain = (
  db: Db,
  endpointId: bigint,
  eventRows: bigint[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<unknown[]> =>
  db.sql`
    with wanted as materialized (
      select event.*, endpoint.is_ordered from unnest(${eventRows}::bigint[]) as asked (id) cross join lateral (
        select id, stream, sequence from events where events.id = asked.id offset 0
      ) as event
      cross join webhook_endpoints as endpoint where endpoint.id = ${endpointId}
    ),
    there as materialized (
      select waiting.* from (select distinct stream from wanted) as again cross join lateral (
        select endpoint_id, stream, sequence, lease_until > ${realNow}::timestamptz as is_held from webhook_queue as queued
        where endpoint_id = ${endpointId} and queued.stream = again.stream offset 0
      ) as waiting
    ),
    first as materialized (
      select stream, case when not coalesce(bool_or(is_held), false) then min(sequence) end as sequence
      from (
        select stream, sequence, false as is_held from wanted union all select stream, sequence, is_held from there
      ) as either
      group by stream
    ),
    brought as (
      update webhook_queue as queued
      set next_at = case when queued.sequence = first.sequence or not is_ordered then ${now}::timestamptz end
      from there join first using (stream)
        cross join (select is_ordered from webhook_endpoints where id = ${endpointId}) as endpoint
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (there.endpoint_id, there.stream, there.sequence) and (there.endpoint_id, there.stream, there.sequence)
        and there.is_held is not true and (is_ordered or exists (
          select from wanted where (wanted.stream, wanted.sequence) = (there.stream, there.sequence)
        ))
    ),
    marked as (
      update webhook_queue as queued set again = true from there join wanted using (stream, sequence)
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (there.endpoint_id, there.stream, there.sequence) and (there.endpoint_id, there.stream, there.sequence)
        and there.is_held
    )
    insert into webhook_queue (endpoint_id, stream, sequence, event_id, earlier, next_at, fence)
    select ${endpointId}, stream, wanted.sequence, wanted.id, coalesce((
        select max(number) from webhook_attempts where endpoint_id = ${endpointId} and event_id = wanted.id
      ), 0), case when wanted.sequence = first.sequence or not is_ordered then ${now}::timestamptz end,
      trunc(random() * 2 ^ 62)::bigint
    from wanted join first using (stream)
    where not exists (select from there where (there.stream, there.sequence) = (wanted.stream, wanted.sequence))
    order by stream, wanted.sequence
    on conflict do nothing`
