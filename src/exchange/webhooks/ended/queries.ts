import type { Atomic } from '../../../platform/db/sql.ts'

/**
 * Takes whole streams of an endpoint that has ended out of its queue, so many that they are at least `limit` rows if there are so
 * many, and says how many rows. What is queued meanwhile for an endpoint that is made active again stays, with all of its stream:
 * the rows are locked first, as settling does, and then the endpoint.
 */
export const dropRows = async (db: Atomic, endpointId: bigint, limit: number): Promise<number> => {
  const streams = await db.sql<{ stream: bigint }>`
    with first as materialized (
      select stream from webhook_queue where endpoint_id = ${endpointId} order by stream, sequence limit ${limit}
    )
    select distinct queued.stream from (select distinct stream from first order by stream) as one cross join lateral (
      select stream from webhook_queue as queued
      where endpoint_id = ${endpointId} and queued.stream = one.stream order by sequence for update
    ) as queued`
  const rows = await db.sql`
    with ended as materialized (
      select id from webhook_endpoints where id = ${endpointId} and status in ('disabled', 'removed') for share
    )
    delete from webhook_queue as queued using ended
    where endpoint_id = ended.id and stream = any(${streams.map(({ stream }) => stream)}::bigint[])
    returning 1`
  return rows.length
}
