import type { Atomic, Db } from '../db/sql.ts'
import type { Endpoint, EndpointStatus } from './endpoint.ts'

/** Adds an endpoint with its sealed secret. */
export const insertEndpoint = (
  db: Atomic,
  { id, partnerId, url, types, status, createdAt }: Endpoint,
  secret: Buffer,
): void =>
  db.send`
    insert into webhook_endpoints (id, partner_id, url, types, secret, status, created_at)
    values (${id}, ${partnerId}, ${url}, ${types}, ${secret}, ${status}, ${createdAt})`

/** A partner's endpoints but for removed ones, oldest first. */
export const endpointsOf = (db: Db, partnerId: bigint): Promise<Endpoint[]> =>
  db.sql`
    select id, partner_id as "partnerId", url, types, status, created_at as "createdAt" from webhook_endpoints
    where partner_id = ${partnerId} and status <> 'removed' order by created_at, id`

/** Locks an endpoint that has not been removed until the block ends. */
export const lockEndpoint = async (db: Atomic, id: bigint): Promise<Endpoint | undefined> => {
  const [endpoint] = await db.sql<Endpoint>`
    select id, partner_id as "partnerId", url, types, status, created_at as "createdAt" from webhook_endpoints
    where id = ${id} and status <> 'removed' for update`
  return endpoint
}

/** Changes an endpoint's status. */
export const setStatus = (db: Atomic, id: bigint, status: EndpointStatus): void =>
  db.send`update webhook_endpoints set status = ${status} where id = ${id}`

/** What a sender has to know of an endpoint. */
export type Target = { id: bigint; url: string; secret: Buffer; status: EndpointStatus }

/** One endpoint as a target; undefined for one that was never there. */
export const target = async (db: Db, id: bigint): Promise<Target | undefined> => {
  const [row] = await db.sql<Target>`select id, url, secret, status from webhook_endpoints where id = ${id}`
  return row
}

/** An endpoint that has just changed for the worse; `events` is the number of the event that tells of it. */
export type Turned = {
  id: bigint
  partnerId: bigint
  url: string
  status: EndpointStatus
  failingSince: Date
  events: number
}

/** A failure of an endpoint that had no success since: when (business time), and whether it wants nothing any more. */
export type Failure = { id: bigint; at: Date; gone: boolean }

/**
 * Writes down that endpoints fail: since when, and what follows from that. One that has failed only since before
 * `announceMs` ago is `failing`; a failing one after `disableMs` is `disabled`, and one that is gone at once. Gives those
 * whose status has changed.
 */
export const worsen = (
  db: Db,
  failures: Failure[],
  { announceMs, disableMs }: { announceMs: number; disableMs: number },
): Promise<Turned[]> =>
  db.sql`
    with was as materialized (
      select endpoint.id, endpoint.status, coalesce(failing_since, failure.at) as since, failing_since is null as fresh,
        case
          when gone then 'disabled'
          when endpoint.status = 'failing' and failing_since <= failure.at - make_interval(secs => ${disableMs / 1_000})
            then 'disabled'
          when endpoint.status = 'active' and failing_since <= failure.at - make_interval(secs => ${announceMs / 1_000})
            then 'failing'
          else endpoint.status
        end as becomes
      from webhook_endpoints as endpoint join unnest(
        ${failures.map(({ id }) => id)}::bigint[], ${failures.map(({ at }) => at.toISOString())}::timestamptz[],
        ${failures.map(({ gone }) => gone)}::boolean[]
      ) as failure (id, at, gone) on failure.id = endpoint.id
      where endpoint.status in ('active', 'failing')
      order by endpoint.id for update of endpoint
    ),
    changed as (
      update webhook_endpoints as endpoint
      set failing_since = since, status = becomes, events = events + case when becomes = was.status then 0 else 1 end
      from was where endpoint.id = was.id and (fresh or becomes <> was.status)
      returning endpoint.*, becomes <> was.status as turned
    )
    select id, partner_id as "partnerId", url, status, failing_since as "failingSince", events from changed where turned`

/**
 * The business time of the next delivery due at or before `until` at any endpoint that is being tried, and how many are due
 * by then.
 */
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

/** Takes up to `limit` rows of an endpoint that has ended out of the queue, and says how many. */
export const dropRows = async (db: Db, endpointId: bigint, limit: number): Promise<number> => {
  const rows = await db.sql`
    with ended as (
      select endpoint_id, stream, sequence from webhook_queue
      where endpoint_id = ${endpointId}
        and exists (select from webhook_endpoints where id = ${endpointId} and status in ('disabled', 'removed'))
      order by stream, sequence limit ${limit} for update
    )
    delete from webhook_queue as queued using ended
    where queued.endpoint_id = ended.endpoint_id and queued.stream = ended.stream and queued.sequence = ended.sequence
    returning 1`
  return rows.length
}
