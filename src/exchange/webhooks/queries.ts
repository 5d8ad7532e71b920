import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { Endpoint, EndpointStatus } from './endpoint.ts'

/** Lets a partner's endpoints be counted and added to by one at a time, until the block ends. */
export const lockPartner = (db: Atomic, partnerId: bigint): Promise<unknown[]> =>
  db.sql`select from partners where id = ${partnerId} for no key update`

/** Adds an endpoint with its sealed secret. */
export const insertEndpoint = (db: Atomic, endpoint: Endpoint, secret: Buffer): void => {
  const { id, partnerId, url, types, status, perSecond, isOrdered, createdAt } = endpoint
  db.send`
    insert into webhook_endpoints (id, partner_id, url, types, secret, status, rate_per_second, is_ordered, created_at)
    values (${id}, ${partnerId}, ${url}, ${types}, ${secret}, ${status}, ${perSecond}, ${isOrdered}, ${createdAt})`
}

/** A partner's endpoints but for removed ones, oldest first. */
export const endpointsOf = (db: Db, partnerId: bigint): Promise<Endpoint[]> =>
  db.sql`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt"
    from webhook_endpoints where partner_id = ${partnerId} and status <> 'removed' order by created_at, id`

/** One endpoint that has not been removed. */
export const endpoint = async (db: Db, id: bigint): Promise<Endpoint | undefined> => {
  const [row] = await db.sql<Endpoint>`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt"
    from webhook_endpoints where id = ${id} and status <> 'removed'`
  return row
}

/** The same, locked until the block ends, with its sealed secret. */
export const lockEndpoint = async (db: Atomic, id: bigint): Promise<(Endpoint & { secret: Buffer }) | undefined> => {
  const [row] = await db.sql<Endpoint & { secret: Buffer }>`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt", secret
    from webhook_endpoints where id = ${id} and status <> 'removed' for no key update`
  return row
}

/** Changes an endpoint. One that is made active again begins its health anew. */
export const saveEndpoint = (
  db: Atomic,
  { id, url, types, status, perSecond, isOrdered, failingSince }: Endpoint,
): void =>
  db.send`
    update webhook_endpoints set url = ${url}, types = ${types}, status = ${status}, rate_per_second = ${perSecond},
      is_ordered = ${isOrdered}, failing_since = ${failingSince},
      announced_at = case when ${failingSince}::timestamptz is null then null else announced_at end,
      paced_until = case when rate_per_second is distinct from ${perSecond} then null else paced_until end
    where id = ${id}`

/** Puts a sealed secret in the place of the one that an endpoint has; that one signs too until `until`. */
export const replaceSecret = (
  db: Atomic,
  { id, secret, previous, until }: { id: bigint; secret: Buffer; previous: Buffer; until: Date },
): void =>
  db.send`
    update webhook_endpoints set secret = ${secret}, previous_secret = ${previous}, previous_until = ${until}
    where id = ${id}`

/** Whether a secret of one of a partner's endpoints, a removed one too, was ever replaced. */
export const hasRotated = async (db: Db, partnerId: bigint): Promise<boolean> => {
  const rows = await db.sql`
    select from webhook_endpoints where partner_id = ${partnerId} and previous_secret is not null limit 1`
  return rows.length > 0
}

/** Counts one more event about an endpoint itself, and gives its number. */
export const countEvent = async (db: Atomic, id: bigint): Promise<number> => {
  const { events } = one(
    await db.sql<{ events: number }>`
      update webhook_endpoints set events = events + 1 where id = ${id} returning events`,
  )
  return events
}

/** What a sender has to know of an endpoint. */
export type Target = {
  id: bigint
  url: string
  secret: Buffer
  previousSecret: Buffer | null
  previousUntil: Date | null
  perSecond: number | null
  status: EndpointStatus
}

/** One endpoint as a target; undefined for one that was never there. */
export const target = async (db: Db, id: bigint): Promise<Target | undefined> => {
  const [row] = await db.sql<Target>`
    select id, url, secret, previous_secret as "previousSecret", previous_until as "previousUntil",
      rate_per_second as "perSecond", status
    from webhook_endpoints where id = ${id}`
  return row
}

/** Takes an endpoint's next so many slots, each 1/`perSecond` long, and gives the beginning of the first one (real time). */
export const reserveSlots = async (
  db: Db,
  { id, slots, perSecond, now }: { id: bigint; slots: number; perSecond: number; now: Date },
): Promise<Date> => {
  const seconds = slots / perSecond
  const [row] = await db.sql<{ from: Date }>`
    update webhook_endpoints
    set paced_until = greatest(paced_until, ${now}::timestamptz) + make_interval(secs => ${seconds}::double precision)
    where id = ${id}
    returning paced_until - make_interval(secs => ${seconds}::double precision) as "from"`
  return row?.from ?? now
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

/** A failure of an endpoint that had no success since: where, when (business time), and whether it wants nothing any more. */
export type Failure = { id: bigint; url: string; at: Date; gone: boolean }

/**
 * Writes down that endpoints fail: since when, and what follows from that. One that has failed only since before
 * `announceMs` ago is `failing`; one that has been announced so for `warnMs` is `disabled` after `disableMs`, and one that is
 * gone at once. What failed at a URL that the endpoint has left since says nothing about it. Gives those whose status has changed.
 */
export const worsen = (
  db: Db,
  failures: Failure[],
  { announceMs, warnMs, disableMs }: { announceMs: number; warnMs: number; disableMs: number },
): Promise<Turned[]> =>
  db.sql`
    with was as materialized (
      select endpoint.id, endpoint.status, coalesce(failing_since, failure.at) as since, failing_since is null as fresh,
        failure.at, case
          when gone then 'disabled'
          when endpoint.status = 'failing' and failing_since <= failure.at - make_interval(secs => ${disableMs / 1_000})
            and announced_at <= failure.at - make_interval(secs => ${warnMs / 1_000}) then 'disabled'
          when endpoint.status = 'active' and failing_since <= failure.at - make_interval(secs => ${announceMs / 1_000})
            then 'failing'
          else endpoint.status
        end as becomes
      from webhook_endpoints as endpoint join unnest(
        ${failures.map(({ id }) => id)}::bigint[], ${failures.map(({ at }) => at.toISOString())}::timestamptz[],
        ${failures.map(({ gone }) => gone)}::boolean[], ${failures.map(({ url }) => url)}::text[]
      ) as failure (id, at, gone, url) on failure.id = endpoint.id and failure.url = endpoint.url
      where endpoint.status in ('active', 'failing')
      order by endpoint.id for no key update of endpoint
    ),
    changed as (
      update webhook_endpoints as endpoint
      set failing_since = since, status = becomes,
        announced_at = case when becomes = 'failing' and was.status <> 'failing' then was.at else announced_at end,
        events = events + case when becomes = was.status then 0 else 1 end
      from was where endpoint.id = was.id and (fresh or becomes <> was.status)
      returning endpoint.*, becomes <> was.status as turned
    )
    select id, partner_id as "partnerId", url, status, failing_since as "failingSince", events from changed where turned`

/** Of endpoints and their URLs, gives those that are somewhere else by now. */
export const movedFrom = (db: Db, left: { id: bigint; url: string }[]): Promise<{ id: bigint; url: string }[]> =>
  db.sql`
    select endpoint.id, old.url from webhook_endpoints as endpoint
    join (
      select distinct * from unnest(${left.map(({ id }) => id)}::bigint[], ${left.map(({ url }) => url)}::text[])
        as tried (id, url)
    ) as old on old.id = endpoint.id
    where endpoint.url <> old.url and status in ('active', 'failing', 'paused')`

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
