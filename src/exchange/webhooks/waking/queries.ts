import { type Db, one } from '../../../platform/db/sql.ts'

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
      where (queued.endpoint_id, queued.stream, queued.sequence)
        between (waiting.endpoint_id, waiting.stream, waiting.sequence) and (waiting.endpoint_id, waiting.stream, waiting.sequence)
      returning 1
    )
    select count(*) as woken from woken`,
  )
  return woken
}
