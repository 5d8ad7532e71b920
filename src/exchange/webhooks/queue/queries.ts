import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { EventType } from '../../events/event.ts'
import type { Sequenced } from '../../events/relay.ts'
import type { Delivery } from '../delivery.ts'
import type { Outcome } from '../line.ts'

/**
 * Says, until the block ends, that losing it is no harm, and that the queue is read by its indexes and in their order, with no
 * compiled plans. The planner last looked, as likely as not, when the queue was empty: it would read a million rows to sort them.
 */
export const asRecords = (db: Atomic): void =>
  db.send`
    select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
      set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`

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
  wrappedKey: Buffer | null
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
      0 as attempts, 0 as wakes, 0 as earlier, fence, next_at is null as blocked, at, type, data_key_id as "dataKeyId", wrapped as "wrappedKey", body
    from queued left join lateral (
      select at, type, data_key_id, wrapped, body from events join data_keys on data_keys.id = data_key_id
      where events.id = queued.event_id and queued.fence > 0 offset 0
    ) as event on true
    order by queued.event_id`
  return {
    taken: rows.flatMap(deliveryOf),
    blocked: rows.filter((row) => row.blocked).map((row) => `${row.endpointId}:${row.stream}`),
    left: rows.filter((row) => row.fence === 0n && !row.blocked).map((row) => row.endpointId),
  }
}

function deliveryOf({ endpointId, eventRow, attempts, wakes, earlier, fence, ...row }: QueuedRow): Delivery[] {
  const { stream, sequence, at, type, dataKeyId, wrappedKey, body } = row
  if (at === null || type === null || dataKeyId === null || body === null) return []
  const event = { stream, sequence, at, type, dataKeyId, wrappedKey, body }
  return [{ endpointId, eventRow, attempts, wakes, earlier, fence, event }]
}

/**
 * Claims due deliveries, of each endpoint as many as there is room for. Those that are being claimed by another process are
 * skipped, not waited for; one whose lease has run out is claimed with a higher fence.
 *
 * `offset 0`, here and below, has each row looked up by its key: nothing is made of two queries then. `between` a key and itself
 * does the same where rows are changed: by `=` the planner may walk a whole index, in whose order it could merge.
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
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (due.endpoint_id, due.stream, due.sequence) and (due.endpoint_id, due.stream, due.sequence)
      returning queued.*
    )
    select claimed.endpoint_id as "endpointId", claimed.stream, claimed.sequence, claimed.event_id as "eventRow",
      claimed.attempts, claimed.wakes, claimed.earlier, fence, false as blocked, at, type, data_key_id as "dataKeyId", wrapped as "wrappedKey", body
    from claimed cross join lateral (
      select at, type, data_key_id, wrapped, body from events join data_keys on data_keys.id = data_key_id
      where events.id = claimed.event_id offset 0
    ) as event
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
  outcome: Outcome
  status: number | null
  response: Buffer | null
  nextAt: Date | null
}

/** The keys of deliveries and their fences, as columns. */
export const keysOf = (rows: { delivery: Delivery }[]) => ({
  endpoints: column(rows, ({ delivery }) => delivery.endpointId),
  streams: column(rows, ({ delivery }) => delivery.event.stream),
  sequences: column(rows, ({ delivery }) => delivery.event.sequence),
  fences: column(rows, ({ delivery }) => delivery.fence),
})

/**
 * An array as SQL writes it, of numbers, times and our own words: nothing that needs quotes. The driver would look for some in each
 * element, which costs as much as the rest of sending it.
 */
function column<Row>(rows: Row[], of: (row: Row) => bigint | number | Outcome | Date | null): string {
  let text = '{'
  for (const row of rows) {
    const value = of(row)
    text += `${text === '{' ? '' : ','}${value instanceof Date ? value.toISOString() : value}`
  }
  return `${text}}`
}

/** The same and what came of the attempts, as columns. */
const outcomesOf = (rows: SettledRow[]) => ({
  ...keysOf(rows),
  numbers: column(rows, (row) => row.delivery.attempts + 1),
  at: column(rows, (row) => row.at),
  tookMs: column(rows, (row) => row.tookMs),
  outcomes: column(rows, (row) => row.outcome),
  statuses: column(rows, (row) => row.status),
  nextAt: column(rows, (row) => row.nextAt),
  sentAt: column(rows, (row) => row.sentAt),
})

/** Locks the whole queues of the streams that are about to be settled, always in one order. See `queue`. */
export const lockStreams = (db: Atomic, rows: SettledRow[]): void =>
  db.send`
    with settled as materialized (
      select distinct endpoint_id, stream
      from unnest(${keysOf(rows).endpoints}::bigint[], ${keysOf(rows).streams}::bigint[]) as key (endpoint_id, stream)
      order by endpoint_id, stream
    )
    select from settled cross join lateral (
      select from webhook_queue as queued
      where queued.endpoint_id = settled.endpoint_id and queued.stream = settled.stream order by sequence for update
    ) as locked`

/**
 * Writes down what came of attempts that are still ours (the fence says so): the record, the end of what was delivered or
 * given up, the next time of what failed. What somebody wants sent again meanwhile stays, due now, its schedule begun anew; where
 * earlier events of its stream have come to wait meanwhile, it waits behind them. The first event that waits for one that left, or
 * that gave way, becomes due and is taken by this process, but for endpoints that `stay` names. The fence rises, so that what is
 * written down twice, because the answer to the commit was lost, writes nothing. Gives what is now due and ours.
 */
export const settle = async (
  db: Db,
  rows: SettledRow[],
  { now, leaseUntil, stay }: { now: Date; leaseUntil: Date | null; stay: bigint[] },
): Promise<Delivery[]> => {
  const all = outcomesOf(rows)
  const found = await db.sql<QueuedRow>`
    with outcome as materialized (
      select * from unnest(
        ${all.endpoints}::bigint[], ${all.streams}::bigint[], ${all.sequences}::integer[], ${all.fences}::bigint[],
        ${all.numbers}::integer[], ${all.at}::timestamptz[], ${all.tookMs}::integer[], ${all.outcomes}::text[], ${all.statuses}::integer[],
        ${rows.map((row) => row.response)}::bytea[], ${all.nextAt}::timestamptz[], ${rows.map((row) => row.url)}::text[], ${all.sentAt}::timestamptz[]
      ) as outcome (endpoint_id, stream, sequence, fence, number, at, took_ms, outcome, status, response, next_at, url, sent_at)
    ),
    held as materialized (
      select outcome.endpoint_id, stream, sequence, number, at, took_ms, outcome, status, response, url, sent_at,
        case when again then ${now}::timestamptz else next_at end as next_at, event_id, earlier, again,
        (again or next_at is not null) and exists (select from webhook_queue as prior where prior.next_at is null
          and (prior.endpoint_id, prior.stream) = (outcome.endpoint_id, outcome.stream) and prior.sequence < outcome.sequence) as yields
      from outcome cross join lateral (
        select event_id, earlier, again from webhook_queue as waiting
        where (waiting.endpoint_id, waiting.stream, waiting.sequence, waiting.fence)
          = (outcome.endpoint_id, outcome.stream, outcome.sequence, outcome.fence) offset 0
      ) as queued
    ),
    recorded as (
      insert into webhook_attempts (endpoint_id, event_id, number, at, took_ms, outcome, status, response, next_at, url, sent_at)
      select endpoint_id, event_id, earlier + number, at, took_ms, outcome, status, response, next_at, url, sent_at from held
    ),
    gone as (
      delete from webhook_queue as queued using held
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (held.endpoint_id, held.stream, held.sequence) and (held.endpoint_id, held.stream, held.sequence)
        and held.next_at is null
      returning queued.endpoint_id, queued.stream, queued.sequence
    ),
    put_off as (
      update webhook_queue as queued
      set attempts = case when held.again then 0 else number end, wakes = case when held.again then 0 else queued.wakes end,
        earlier = queued.earlier + case when held.again then number else 0 end, last_at = at, next_at = case when yields then null else held.next_at end,
        lease_until = null, fence = fence + 1, again = false from held
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (held.endpoint_id, held.stream, held.sequence) and (held.endpoint_id, held.stream, held.sequence)
        and held.next_at is not null
    ),
    behind as materialized (
      select ended.endpoint_id, ended.stream, next.sequence, ended.endpoint_id <> all(${stay}::bigint[]) as taken
      from (table gone union all select endpoint_id, stream, sequence from held where yields) as ended cross join lateral (
        select sequence from webhook_queue as queued where (queued.endpoint_id, queued.stream) = (ended.endpoint_id, ended.stream)
          and queued.sequence <> ended.sequence order by sequence limit 1
      ) as next
    ),
    freed as (
      update webhook_queue as queued
      set next_at = ${now}, fence = fence + 1, lease_until = case when taken then ${leaseUntil}::timestamptz end from behind
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (behind.endpoint_id, behind.stream, behind.sequence) and (behind.endpoint_id, behind.stream, behind.sequence)
        and queued.next_at is null
      returning queued.endpoint_id, queued.stream, queued.sequence, event_id, attempts, wakes, earlier, fence, lease_until
    )
    select freed.endpoint_id as "endpointId", freed.stream, freed.sequence, event_id as "eventRow", attempts, wakes, earlier,
      fence, false as blocked, at, type, data_key_id as "dataKeyId", wrapped as "wrappedKey", body
    from freed cross join lateral (
      select at, type, data_key_id, wrapped, body from events join data_keys on data_keys.id = data_key_id
      where events.id = freed.event_id offset 0
    ) as event
    where lease_until is not null`
  return found.flatMap(deliveryOf)
}
