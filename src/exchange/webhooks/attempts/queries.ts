import type { Db } from '../../../platform/db/sql.ts'
import type { SealedEvent } from '../../events/open-body.ts'

/** A place in the list of attempts. */
export type AttemptPosition = { at: Date; eventRow: bigint; number: number }

/** Which attempts: of one event only, and only what was delivered or only what was not. */
export type AttemptFilter = { eventRow: bigint | null; outcome: 'delivered' | 'failed' | null }

/** An attempt as it was written down, with its event. `nextAt` is when the next one is due, as far as that is known by now. */
export type AttemptRow = AttemptPosition &
  SealedEvent & {
    url: string | null
    sentAt: Date | null
    tookMs: number
    outcome: string
    status: number | null
    response: Buffer | null
    nextAt: Date | null
    eventAt: Date
  }

/** An endpoint's attempts before a place, the latest first. */
export const before = (
  db: Db,
  endpointId: bigint,
  { eventRow, outcome }: AttemptFilter,
  { from, limit }: { from: AttemptPosition | undefined; limit: number },
): Promise<AttemptRow[]> =>
  db.sql`
    select attempt.at, attempt.event_id as "eventRow", attempt.number, attempt.url, attempt.sent_at as "sentAt",
      attempt.took_ms as "tookMs", attempt.outcome, attempt.status, attempt.response,
      case when queued.earlier + queued.attempts = attempt.number then queued.next_at else attempt.next_at end as "nextAt",
      events.stream, events.sequence, events.type, events.at as "eventAt", events.data_key_id as "dataKeyId", wrapped as "wrappedKey", events.body
    from (
      select * from webhook_attempts
      where endpoint_id = ${endpointId} and (${eventRow}::bigint is null or event_id = ${eventRow})
        and (${outcome}::text is null or (outcome = 'delivered') = (${outcome} = 'delivered'))
        and (${from?.at ?? null}::timestamptz is null or (at, event_id, number)
          < (${from?.at ?? null}::timestamptz, ${from?.eventRow ?? null}::bigint, ${from?.number ?? null}::integer))
      order by at desc, event_id desc, number desc limit ${limit}
    ) as attempt
    join events on events.id = attempt.event_id
    join data_keys on data_keys.id = data_key_id
    left join webhook_queue as queued on queued.endpoint_id = attempt.endpoint_id
      and queued.stream = events.stream and queued.sequence = events.sequence
    order by attempt.at desc, attempt.event_id desc, attempt.number desc`

/** How an endpoint does: its last attempt, and how much waits for it, up to `most`. */
export type HealthRow = {
  at: Date | null
  outcome: string | null
  status: number | null
  tookMs: number | null
  waiting: number
}

/** Reads that of one endpoint. */
export const health = async (db: Db, endpointId: bigint, most: number): Promise<HealthRow | undefined> => {
  const [row] = await db.sql<HealthRow>`
    select at, outcome, status, took_ms as "tookMs", (
      select count(*)::integer from (select from webhook_queue where endpoint_id = ${endpointId} limit ${most}) as waits
    ) as waiting
    from (select) as nothing left join lateral (
      select at, outcome, status, took_ms from webhook_attempts
      where endpoint_id = ${endpointId} order by at desc limit 1
    ) as last on true`
  return row
}

/** Removes up to `limit` attempts of an endpoint from before a time, and says how many. */
export const forget = async (db: Db, endpointId: bigint, before: Date, limit: number): Promise<number> => {
  const rows = await db.sql`
    with old as (
      select endpoint_id, event_id, number from webhook_attempts
      where endpoint_id = ${endpointId} and at < ${before} order by at limit ${limit}
    )
    delete from webhook_attempts as attempt using old
    where (attempt.endpoint_id, attempt.event_id, attempt.number) = (old.endpoint_id, old.event_id, old.number)
    returning 1`
  return rows.length
}

/** Every endpoint that there ever was. */
export const endpointIds = async (db: Db): Promise<bigint[]> =>
  (await db.sql<{ id: bigint }>`select id from webhook_endpoints`).map(({ id }) => id)

/** Removes replays that ended before a time. */
export const forgetReplays = (db: Db, before: Date): Promise<unknown[]> =>
  db.sql`delete from webhook_replays where ended_at < ${before}`
