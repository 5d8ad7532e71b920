import type { Db } from '../../../platform/db/sql.ts'
import type { Delivery } from '../delivery.ts'
import { keysOf } from '../queue/queries.ts'

/** Lengthens the leases of deliveries that are still under way, and gives those that are still ours. */
export const renew = async (db: Db, deliveries: Delivery[], leaseUntil: Date): Promise<Delivery[]> => {
  const { endpoints, streams, sequences, fences } = keysOf(deliveries.map((delivery) => ({ delivery })))
  const rows = await db.sql<{ place: bigint }>`
    update webhook_queue as queued set lease_until = ${leaseUntil}
    from unnest(${endpoints}::bigint[], ${streams}::bigint[], ${sequences}::integer[], ${fences}::bigint[])
      with ordinality as ours (endpoint_id, stream, sequence, fence, place)
    where (queued.endpoint_id, queued.stream, queued.sequence)
        between (ours.endpoint_id, ours.stream, ours.sequence) and (ours.endpoint_id, ours.stream, ours.sequence)
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
    where (queued.endpoint_id, queued.stream, queued.sequence)
        between (ours.endpoint_id, ours.stream, ours.sequence) and (ours.endpoint_id, ours.stream, ours.sequence)
      and queued.fence = ours.fence`
}
