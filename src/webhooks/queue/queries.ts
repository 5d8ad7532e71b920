import { type Atomic, type Db, one } from '../../db/sql.ts'
import type { EventType } from '../../events/event.ts'
import type { Sequenced } from '../../events/relay.ts'
import type { Delivery } from '../delivery.ts'

/** Says, until the block ends, that losing it is no harm, and that the queue is read by its indexes, with no compiled plans. */
export const asRecords = (db: Atomic): void =>
  db.send`
    select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`

/** How many deliveries this process can take: of one endpoint unless it is named, of the named ones, and in all. */
export type Room = { each: number; all: number; named: { id: bigint; room: number }[] }

/** A row of the queue; `fence` 0 is one that this process did not take, and whose event is not told. */
type QueuedRow = {
  endpointId: bigint
  stream: bigint
  sequence: number
  eventRow: bigint
  attempts: number
  wakes: number
  earlier: number
  fence: bigint
  blocked: boolean
  at: Date | null
  type: EventType | null
  dataKeyId: bigint | null
  body: Buffer | null
}

/** What was written to the queue: for this process to send, waiting behind an earlier event, due for whoever is free. */
export type Queued = { taken: Delivery[]; blocked: string[]; left: bigint[] }

/**
 * Queues events for every endpoint that wants them. Rows behind an earlier, undelivered event of the same endpoint and
 * stream are not due (`next_at` null) until that one's end makes them so, unless the endpoint does not ask for order. A test
 * goes to the endpoint that it is for, whatever that wants otherwise. The row in front is locked meanwhile, so that its
 * end comes either before this statement, which then sees nothing in front, or after this block, and sees what it wrote.
 */
export const queue = async (
  db: Db,
  events: Sequenced[],
  { now, leaseUntil, room }: { now: Date; leaseUntil: Date; room: Room },
): Promise<Queued> => {
  const rows = await db.sql<QueuedRow>`
    with fresh as materialized (
      select * from unnest(
        ${events.map((event) => event.id)}::bigint[], ${events.map((event) => event.stream)}::bigint[],
        ${events.map((event) => event.sequence)}::integer[], ${events.map((event) => event.partner_id)}::bigint[],
        ${events.map((event) => event.type)}::text[]
      ) with ordinality as event (id, stream, sequence, partner_id, type, place)
    ),
    wanted as materialized (
      select endpoint.id as endpoint_id, endpoint.status, endpoint.is_ordered, fresh.* from fresh
      join webhook_endpoints as endpoint on endpoint.partner_id = fresh.partner_id
        and (fresh.type = any(endpoint.types) or (fresh.type = 'endpoint.test' and fresh.stream = endpoint.id))
      where endpoint.status in ('active', 'failing', 'paused')
    ),
    in_front as materialized (
      select wish.endpoint_id, wish.stream
      from (select distinct endpoint_id, stream from wanted where is_ordered order by endpoint_id, stream) as wish
      cross join lateral (
        select sequence from webhook_queue as queued
        where queued.endpoint_id = wish.endpoint_id and queued.stream = wish.stream
        order by sequence desc limit 1 for key share
      ) as last
    ),
    judged as (
      select wanted.*, not is_ordered or (
        row_number() over (partition by endpoint_id, stream order by sequence) = 1 and not exists (
          select from in_front where in_front.endpoint_id = wanted.endpoint_id and in_front.stream = wanted.stream
        )
      ) as due
      from wanted
    ),
    placed as (
      select judged.*, due and status <> 'paused'
        and row_number() over (partition by endpoint_id, due order by place) <= coalesce(lane.room, ${room.each})
        and row_number() over (partition by due order by place, endpoint_id) <= ${room.all} as taken
      from judged left join unnest(
        ${room.named.map(({ id }) => id)}::bigint[], ${room.named.map((lane) => lane.room)}::integer[]
      ) as lane (id, room) on lane.id = judged.endpoint_id
    ),
    queued as (
      insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at, lease_until, fence)
      select endpoint_id, stream, sequence, id, case when due then ${now}::timestamptz end,
        case when taken then ${leaseUntil}::timestamptz end, case when taken then 1 else 0 end
      from placed
      returning endpoint_id, stream, sequence, event_id, next_at, fence
    )
    select queued.endpoint_id as "endpointId", queued.stream, queued.sequence, queued.event_id as "eventRow",
      0 as attempts, 0 as wakes, 0 as earlier, fence, next_at is null as blocked, at, type, data_key_id as "dataKeyId", body
    from queued left join events on events.id = queued.event_id and fence > 0
    order by queued.event_id`
  return {
    taken: rows.flatMap(deliveryOf),
    blocked: rows.filter((row) => row.blocked).map((row) => `${row.endpointId}:${row.stream}`),
    left: rows.filter((row) => row.fence === 0n && !row.blocked).map((row) => row.endpointId),
  }
}

function deliveryOf({ endpointId, eventRow, attempts, wakes, earlier, fence, ...row }: QueuedRow): Delivery[] {
  const { stream, sequence, at, type, dataKeyId, body } = row
  if (at === null || type === null || dataKeyId === null || body === null) return []
  const event = { stream, sequence, at, type, dataKeyId, body }
  return [{ endpointId, eventRow, attempts, wakes, earlier, fence, event }]
}

/**
 * Claims due deliveries, of each endpoint as many as there is room for. Those that are being claimed by another process are
 * skipped, not waited for; one whose lease has run out is claimed with a higher fence.
 */
export const claim = async (
  db: Db,
  { now, realNow, leaseUntil, room }: { now: Date; realNow: Date; leaseUntil: Date; room: Room },
): Promise<Delivery[]> => {
  const rows = await db.sql<QueuedRow>`
    with due as materialized (
      select waiting.* from webhook_endpoints as endpoint
      left join unnest(
        ${room.named.map(({ id }) => id)}::bigint[], ${room.named.map((lane) => lane.room)}::integer[]
      ) as lane (id, room) on lane.id = endpoint.id
      cross join lateral (
        select endpoint_id, stream, sequence from webhook_queue as queued
        where queued.endpoint_id = endpoint.id and next_at <= ${now} and (lease_until is null or lease_until < ${realNow})
        order by next_at limit coalesce(lane.room, ${room.each}) for no key update skip locked
      ) as waiting
      where endpoint.status in ('active', 'failing')
      limit ${room.all}
    ),
    claimed as (
      update webhook_queue as queued set lease_until = ${leaseUntil}, fence = fence + 1 from due
      where (queued.endpoint_id, queued.stream, queued.sequence) = (due.endpoint_id, due.stream, due.sequence)
      returning queued.*
    )
    select claimed.endpoint_id as "endpointId", claimed.stream, claimed.sequence, claimed.event_id as "eventRow",
      claimed.attempts, claimed.wakes, claimed.earlier, fence, false as blocked, at, type, data_key_id as "dataKeyId", body
    from claimed join events on events.id = claimed.event_id
    order by claimed.event_id`
  return rows.flatMap(deliveryOf)
}

/** What came of an attempt, as it is written down. `nextAt` null: the event leaves the queue. */
export type SettledRow = {
  delivery: Delivery
  at: Date
  url: string
  sentAt: Date
  tookMs: number
  outcome: string
  status: number | null
  response: Buffer | null
  nextAt: Date | null
}

const keysOf = (rows: { delivery: Delivery }[]) => ({
  endpoints: rows.map(({ delivery }) => delivery.endpointId),
  streams: rows.map(({ delivery }) => delivery.event.stream),
  sequences: rows.map(({ delivery }) => delivery.event.sequence),
  fences: rows.map(({ delivery }) => delivery.fence),
})

/** Locks the whole queues of the streams that are about to be settled, always in one order. See `queue`. */
export const lockStreams = (db: Atomic, rows: SettledRow[]): void =>
  db.send`
    select from webhook_queue where (endpoint_id, stream) in (
      select * from unnest(${keysOf(rows).endpoints}::bigint[], ${keysOf(rows).streams}::bigint[])
    )
    order by endpoint_id, stream, sequence for update`

/**
 * Writes down what came of attempts that are still ours (the fence says so): the record, the end of what was delivered or
 * given up, the next time of what failed. The event behind one that left becomes due, if it waited for that, and is taken by
 * this process, but for endpoints that `stay` names. Gives what is now due and ours.
 */
export const settle = async (
  db: Db,
  rows: SettledRow[],
  { now, leaseUntil, stay }: { now: Date; leaseUntil: Date | null; stay: bigint[] },
): Promise<Delivery[]> => {
  const { endpoints, streams, sequences, fences } = keysOf(rows)
  const found = await db.sql<QueuedRow>`
    with outcome as materialized (
      select * from unnest(
        ${endpoints}::bigint[], ${streams}::bigint[], ${sequences}::integer[], ${fences}::bigint[],
        ${rows.map((row) => row.delivery.attempts + 1)}::integer[], ${rows.map((row) => row.at.toISOString())}::timestamptz[],
        ${rows.map((row) => row.tookMs)}::integer[], ${rows.map((row) => row.outcome)}::text[],
        ${rows.map((row) => row.status)}::integer[], ${rows.map((row) => row.response)}::bytea[],
        ${rows.map((row) => row.nextAt?.toISOString() ?? null)}::timestamptz[],
        ${rows.map((row) => row.url)}::text[], ${rows.map((row) => row.sentAt.toISOString())}::timestamptz[]
      ) as outcome (
        endpoint_id, stream, sequence, fence, number, at, took_ms, outcome, status, response, next_at, url, sent_at
      )
    ),
    held as materialized (
      select outcome.*, queued.event_id, queued.earlier
      from outcome join webhook_queue as queued using (endpoint_id, stream, sequence, fence)
    ),
    recorded as (
      insert into webhook_attempts
        (endpoint_id, event_id, number, at, took_ms, outcome, status, response, next_at, url, sent_at)
      select endpoint_id, event_id, earlier + number, at, took_ms, outcome, status, response, next_at, url, sent_at
      from held
    ),
    gone as (
      delete from webhook_queue as queued using held
      where (queued.endpoint_id, queued.stream, queued.sequence) = (held.endpoint_id, held.stream, held.sequence)
        and held.next_at is null
      returning queued.endpoint_id, queued.stream, queued.sequence
    ),
    put_off as (
      update webhook_queue as queued set attempts = number, last_at = at, next_at = held.next_at, lease_until = null from held
      where (queued.endpoint_id, queued.stream, queued.sequence) = (held.endpoint_id, held.stream, held.sequence)
        and held.next_at is not null
    ),
    behind as materialized (
      select gone.endpoint_id, gone.stream, next.sequence, gone.endpoint_id <> all(${stay}::bigint[]) as taken
      from gone cross join lateral (
        select sequence from webhook_queue as queued where (queued.endpoint_id, queued.stream) = (gone.endpoint_id, gone.stream)
          and queued.sequence > gone.sequence order by sequence limit 1
      ) as next
    ),
    freed as (
      update webhook_queue as queued
      set next_at = ${now}, fence = fence + 1, lease_until = case when taken then ${leaseUntil}::timestamptz end from behind
      where (queued.endpoint_id, queued.stream, queued.sequence) = (behind.endpoint_id, behind.stream, behind.sequence)
        and queued.next_at is null
      returning queued.endpoint_id, queued.stream, queued.sequence, event_id, attempts, wakes, earlier, fence, lease_until
    )
    select freed.endpoint_id as "endpointId", freed.stream, freed.sequence, event_id as "eventRow", attempts, wakes, earlier,
      fence, false as blocked, at, type, data_key_id as "dataKeyId", body
    from freed join events on events.id = freed.event_id where lease_until is not null`
  return found.flatMap(deliveryOf)
}

/**
 * Says that endpoints took something, so that they are well again: what waits there for a later time is due now, some hundred at
 * a time, and all at once where the endpoint had been down. What failed after such a wake already, and not because the endpoint
 * was down, waits 15 s, 1 min, 4 min ... for its next one, so that an event that alone is refused is not tried with every
 * other's success. Tells how many were woken.
 */
export const wakeWaiting = async (db: Db, well: bigint[], now: Date): Promise<bigint> => {
  const { woken } = one(
    await db.sql<{ woken: bigint }>`
    with recovered as (
      update webhook_endpoints set failing_since = null, status = case status when 'failing' then 'active' else status end
      where id = any(${well}::bigint[]) and failing_since is not null
    ),
    healthy as materialized (
      select id, failing_since <= ${now}::timestamptz - interval '30 s' as was_down, failing_since
      from webhook_endpoints where id = any(${well}::bigint[])
    ),
    waiting as materialized (
      select late.* from healthy cross join lateral (
        select endpoint_id, stream, sequence from webhook_queue as queued
        where queued.endpoint_id = healthy.id and next_at > ${now}
          and (
            wakes = 0 or (was_down and last_at >= failing_since)
              or last_at <= ${now}::timestamptz - make_interval(secs => 15 * 4 ^ least(wakes - 1, 8))
          )
        order by next_at limit case when was_down then 5000 else 500 end for no key update skip locked
      ) as late
    ),
    woken as (
      update webhook_queue as queued set next_at = ${now}, wakes = wakes + 1 from waiting
      where (queued.endpoint_id, queued.stream, queued.sequence) = (waiting.endpoint_id, waiting.stream, waiting.sequence)
      returning 1
    )
    select count(*) as woken from woken`,
  )
  return woken
}

/** Lengthens the leases of deliveries that are still under way, and gives those that are still ours. */
export const renew = async (db: Db, deliveries: Delivery[], leaseUntil: Date): Promise<Delivery[]> => {
  const { endpoints, streams, sequences, fences } = keysOf(deliveries.map((delivery) => ({ delivery })))
  const rows = await db.sql<{ place: bigint }>`
    update webhook_queue as queued set lease_until = ${leaseUntil}
    from unnest(${endpoints}::bigint[], ${streams}::bigint[], ${sequences}::integer[], ${fences}::bigint[])
      with ordinality as ours (endpoint_id, stream, sequence, fence, place)
    where queued.endpoint_id = ours.endpoint_id and queued.stream = ours.stream and queued.sequence = ours.sequence
      and queued.fence = ours.fence
    returning place`
  const ours = new Set(rows.map(({ place }) => place))
  return deliveries.filter((_, index) => ours.has(BigInt(index + 1)))
}

/** Gives deliveries back untouched. */
export const release = (db: Db, deliveries: Delivery[]): Promise<unknown[]> => {
  const { endpoints, streams, sequences, fences } = keysOf(deliveries.map((delivery) => ({ delivery })))
  return db.sql`
    update webhook_queue as queued set lease_until = null
    from unnest(${endpoints}::bigint[], ${streams}::bigint[], ${sequences}::integer[], ${fences}::bigint[])
      as ours (endpoint_id, stream, sequence, fence)
    where queued.endpoint_id = ours.endpoint_id and queued.stream = ours.stream and queued.sequence = ours.sequence
      and queued.fence = ours.fence`
}
