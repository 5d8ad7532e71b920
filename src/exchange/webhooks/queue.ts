import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Sequenced } from '../events/relay.ts'

/** One event on its way to one endpoint: a row of the queue. */
export type Delivery = {
  endpointId: bigint
  stream: bigint
  sequence: number
  /** The row of the event. */
  eventRow: bigint
  /** Attempts on the current schedule, and how many of them another event's success brought forward. */
  attempts: number
  wakes: number
  /** Attempts made before the latest replay of the event. */
  earlier: number
  /** Rises whenever the row changes hands: a process with a lower fence can no longer write about it. */
  fence: bigint
}

/** A delivery as it is locked. Times stay in the database, where reading them would cost more than all the rest. */
export type QueueRow = Delivery & {
  /** It waits for an earlier event of its stream, and is not due. */
  isBlocked: boolean
  /** A process holds a valid lease. */
  isHeld: boolean
  /** A replay was requested while an attempt was in flight. */
  again: boolean
}

/** A row as it is saved: `nextAt` null blocks it, `lastAt` null keeps the time of the last attempt. */
export type SavedRow = Delivery & {
  nextAt: Date | null
  leaseUntil: Date | null
  lastAt: Date | null
  /** Marks the row only: its times stay as they are. */
  again: boolean
}

/** How many deliveries this process can take: per endpoint, for endpoints that differ from that, and in total. */
export type Capacity = { each: number; total: number; overrides: { id: bigint; limit: number }[] }

/** Identifies a stream of events at one endpoint. */
export const streamKey = ({ endpointId, stream }: Pick<Delivery, 'endpointId' | 'stream'>): string =>
  `${endpointId}:${stream}`

/** What became of queued events: leased by this process, waiting behind an earlier event, or due for any process. */
export type Enqueued = { leased: Delivery[]; blocked: string[]; left: bigint[] }

/**
 * Queues events for every endpoint that subscribes to them. An event behind an undelivered one of its stream is not due (`next_at`
 * null) until that one leaves, unless the endpoint is unordered. The row in front is locked, so that it leaves either before this
 * statement or after this block, and then sees what was queued behind it.
 */
export async function enqueue(
  db: Db,
  events: Sequenced[],
  { now, leaseUntil, capacity }: { now: Date; leaseUntil: Date; capacity: Capacity },
): Promise<Enqueued> {
  const rows = await db.sql<Delivery & { blocked: boolean }>`
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
      select key.endpoint_id, key.stream
      from (select distinct endpoint_id, stream from wanted where is_ordered order by endpoint_id, stream) as key
      cross join lateral (
        select sequence from webhook_queue as queued
        where queued.endpoint_id = key.endpoint_id and queued.stream = key.stream
        order by sequence desc limit 1 for key share
      ) as last
    ),
    ordered as (
      select wanted.*, not is_ordered or (
        row_number() over (partition by endpoint_id, stream order by sequence) = 1
        and (endpoint_id, stream) not in (select endpoint_id, stream from in_front)
      ) as due
      from wanted
    ),
    placed as (
      select ordered.*, due and status <> 'paused'
        and row_number() over (partition by endpoint_id, due order by place) <= coalesce(override.most, ${capacity.each})
        and row_number() over (partition by due order by place, endpoint_id) <= ${capacity.total} as leased
      from ordered left join unnest(
        ${capacity.overrides.map(({ id }) => id)}::bigint[], ${capacity.overrides.map(({ limit }) => limit)}::integer[]
      ) as override (id, most) on override.id = endpoint_id
    )
    insert into webhook_queue (endpoint_id, stream, sequence, event_id, next_at, lease_until, fence)
    select endpoint_id, stream, sequence, id, case when due then ${now}::timestamptz end,
      case when leased then ${leaseUntil}::timestamptz end, case when leased then 1 else 0 end
    from placed order by id
    returning endpoint_id as "endpointId", stream, sequence, event_id as "eventRow", attempts, wakes, earlier, fence, next_at is null as blocked`
  return {
    leased: rows.filter(({ fence }) => fence > 0n),
    blocked: rows.filter(({ blocked }) => blocked).map(streamKey),
    left: rows.filter(({ fence, blocked }) => fence === 0n && !blocked).map(({ endpointId }) => endpointId),
  }
}

/**
 * Claims due deliveries. What another process is claiming is skipped; a delivery whose lease has run out is claimed with a higher
 * fence. Here and below, `(key) between key and key` finds each row by index like `=`, but cannot become a merge join.
 */
export async function claim(
  db: Atomic,
  { now, realNow, leaseUntil, capacity }: { now: Date; realNow: Date; leaseUntil: Date; capacity: Capacity },
): Promise<Delivery[]> {
  const rows = await db.sql<Delivery>`
    with due as materialized (
      select waiting.* from webhook_endpoints as endpoint
      left join unnest(
        ${capacity.overrides.map(({ id }) => id)}::bigint[], ${capacity.overrides.map(({ limit }) => limit)}::integer[]
      ) as override (id, most) on override.id = endpoint.id
      cross join lateral (
        select endpoint_id, stream, sequence from webhook_queue as queued
        where queued.endpoint_id = endpoint.id and next_at <= ${now} and (lease_until is null or lease_until < ${realNow})
        order by next_at limit coalesce(override.most, ${capacity.each}) for no key update skip locked
      ) as waiting
      where endpoint.status in ('active', 'failing')
      limit ${capacity.total}
    )
    update webhook_queue as queued set lease_until = ${leaseUntil}, fence = fence + 1 from due
    where (queued.endpoint_id, queued.stream, queued.sequence)
      between (due.endpoint_id, due.stream, due.sequence) and (due.endpoint_id, due.stream, due.sequence)
    returning queued.endpoint_id as "endpointId", queued.stream, queued.sequence, event_id as "eventRow", attempts, wakes, earlier, fence`
  return rows.toSorted((one, other) => (one.eventRow < other.eventRow ? -1 : 1))
}

/**
 * Locks every queued row of some streams, always in the same order, and reads them in that order. The read is a separate statement,
 * because it has to see what was queued while the lock was awaited.
 */
export function lockStreams(
  db: Atomic,
  keys: Pick<Delivery, 'endpointId' | 'stream'>[],
  realNow: Date,
): Promise<QueueRow[]> {
  const endpoints = keys.map((key) => key.endpointId)
  const streams = keys.map((key) => key.stream)
  db.send`
    with key as materialized (
      select distinct endpoint_id, stream from unnest(${endpoints}::bigint[], ${streams}::bigint[]) as key (endpoint_id, stream)
      order by endpoint_id, stream
    )
    select from key cross join lateral (
      select from webhook_queue as queued
      where queued.endpoint_id = key.endpoint_id and queued.stream = key.stream order by sequence for update
    ) as locked`
  return db.sql`
    with key as materialized (
      select distinct endpoint_id, stream from unnest(${endpoints}::bigint[], ${streams}::bigint[]) as key (endpoint_id, stream)
    )
    select queued.* from key cross join lateral (
      select endpoint_id as "endpointId", stream, sequence, event_id as "eventRow", attempts, wakes, earlier, fence,
        next_at is null as "isBlocked", coalesce(lease_until > ${realNow}, false) as "isHeld", again
      from webhook_queue as queued
      where queued.endpoint_id = key.endpoint_id and queued.stream = key.stream order by sequence offset 0
    ) as queued`
}

/** Writes rows that `lockStreams` has read. */
export const saveRows = (db: Atomic, rows: SavedRow[]): void =>
  db.send`
    update webhook_queue as queued set attempts = row.attempts, wakes = row.wakes, earlier = row.earlier, fence = row.fence,
      last_at = coalesce(row.last_at, queued.last_at), again = row.again,
      next_at = case when row.again then queued.next_at else row.next_at end,
      lease_until = case when row.again then queued.lease_until else row.lease_until end
    from unnest(
      ${rows.map((row) => row.endpointId)}::bigint[], ${rows.map((row) => row.stream)}::bigint[], ${rows.map((row) => row.sequence)}::integer[],
      ${rows.map((row) => row.attempts)}::integer[], ${rows.map((row) => row.wakes)}::integer[], ${rows.map((row) => row.earlier)}::integer[],
      ${rows.map((row) => row.fence)}::bigint[], ${rows.map((row) => row.lastAt)}::timestamptz[], ${rows.map((row) => row.nextAt)}::timestamptz[],
      ${rows.map((row) => row.leaseUntil)}::timestamptz[], ${rows.map((row) => row.again)}::boolean[]
    ) as row (endpoint_id, stream, sequence, attempts, wakes, earlier, fence, last_at, next_at, lease_until, again)
    where (queued.endpoint_id, queued.stream, queued.sequence)
      between (row.endpoint_id, row.stream, row.sequence) and (row.endpoint_id, row.stream, row.sequence)`

/** Removes rows that are locked. */
export const removeRows = (db: Atomic, rows: Delivery[]): void =>
  db.send`
    delete from webhook_queue as queued using unnest(
      ${rows.map((row) => row.endpointId)}::bigint[], ${rows.map((row) => row.stream)}::bigint[], ${rows.map((row) => row.sequence)}::integer[]
    ) as row (endpoint_id, stream, sequence)
    where (queued.endpoint_id, queued.stream, queued.sequence)
      between (row.endpoint_id, row.stream, row.sequence) and (row.endpoint_id, row.stream, row.sequence)`

/** Renews leases, or ends them (null). Returns the indexes of the deliveries that are still ours. */
export const setLeases = async (db: Atomic, deliveries: Delivery[], leaseUntil: Date | null): Promise<number[]> => {
  const rows = await db.sql<{ index: bigint }>`
    update webhook_queue as queued set lease_until = ${leaseUntil} from unnest(
      ${deliveries.map((row) => row.endpointId)}::bigint[], ${deliveries.map((row) => row.stream)}::bigint[],
      ${deliveries.map((row) => row.sequence)}::integer[], ${deliveries.map((row) => row.fence)}::bigint[]
    ) with ordinality as row (endpoint_id, stream, sequence, fence, index)
    where (queued.endpoint_id, queued.stream, queued.sequence)
        between (row.endpoint_id, row.stream, row.sequence) and (row.endpoint_id, row.stream, row.sequence)
      and queued.fence = row.fence
    returning index`
  return rows.map(({ index }) => Number.parseInt(String(index), 10) - 1)
}

/**
 * Endpoints that took an event are healthy again: what waits there for a later time is due now, some hundred at a time, and more
 * after an outage. An event that failed again after it was brought forward, and not during the outage, waits 15 s, 1 min, 4 min, ...
 * until the next time. Returns how many became due.
 */
export const wakeWaiting = async (db: Atomic, healthy: bigint[], now: Date): Promise<number> => {
  const rows = await db.sql<{ woken: number }>`
    with recovered as (
      update webhook_endpoints set failing_since = null, status = case status when 'failing' then 'active' else status end
      where id = any(${healthy}::bigint[]) and failing_since is not null
    ),
    healthy as materialized (
      select id, failing_since <= ${now}::timestamptz - interval '30 s' as was_down, failing_since
      from webhook_endpoints where id = any(${healthy}::bigint[])
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
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (waiting.endpoint_id, waiting.stream, waiting.sequence) and (waiting.endpoint_id, waiting.stream, waiting.sequence)
      returning 1
    )
    select count(*)::integer as woken from woken`
  return rows[0]?.woken ?? 0
}

/** The next business time, up to `until`, at which a delivery is due, and how many are due by then. */
export const nextDue = async (db: Db, until: Date): Promise<{ at: Date; count: number } | undefined> => {
  const [row] = await db.sql<{ at: Date | null; count: number }>`
    with tried as materialized (select id from webhook_endpoints where status in ('active', 'failing')),
    next as materialized (
      select min(first.next_at) as at from tried cross join lateral (
        select next_at from webhook_queue where endpoint_id = tried.id and next_at is not null order by next_at limit 1
      ) as first
      where first.next_at <= ${until}
    )
    select next.at, (
      select count(*)::integer from tried join webhook_queue on endpoint_id = tried.id and next_at <= next.at
    ) as count
    from next`
  return row?.at ? { at: row.at, count: row.count } : undefined
}
