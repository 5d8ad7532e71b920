import type { Atomic } from '../../../platform/db/sql.ts'
import { noteOverlaps } from './chain.sql.ts'

/** What a message adds to bookings that are known: references that were not said, the statement that has them, and where it was seen. */
export const linkBookings = (
  db: Atomic,
  links: readonly {
    id: bigint
    servicerReference: string | null
    endToEnd: string | null
    statedReference: string | null
    entryAmount: bigint | null
    statementId: bigint | null
    sighting: string | null
  }[],
): void =>
  db.send`
    update iso20022_bookings as known set
      servicer_reference = coalesce(known.servicer_reference, link.servicer_reference),
      end_to_end = coalesce(known.end_to_end, link.end_to_end),
      stated_reference = coalesce(nullif(known.stated_reference, ''), link.stated_reference, ''),
      entry_amount = coalesce(known.entry_amount, link.entry_amount),
      statement_id = case when gap is null then coalesce(known.statement_id, link.statement_id) else coalesce(link.statement_id, known.statement_id) end,
      gap = case when link.statement_id is null then gap end,
      sightings = case when strpos(sightings, link.sighting) > 0 then sightings else sightings || link.sighting end
    from (
      select id, max(servicer_reference) as servicer_reference, max(end_to_end) as end_to_end,
        max(stated_reference) as stated_reference, max(entry_amount) as entry_amount, max(statement_id) as statement_id, max(sighting) as sighting
      from unnest(${links.map(({ id }) => id)}::bigint[], ${links.map((one) => one.servicerReference)}::text[],
        ${links.map(({ endToEnd }) => endToEnd)}::text[], ${links.map((one) => one.statedReference)}::text[],
        ${links.map((one) => one.entryAmount)}::numeric[], ${links.map(({ statementId }) => statementId)}::bigint[],
        ${links.map(({ sighting }) => sighting)}::text[])
        as one (id, servicer_reference, end_to_end, stated_reference, entry_amount, statement_id, sighting)
      group by id) as link
    where known.id = link.id`

/** Notes that a statement does not have bookings any more: the next one that shared them has them by itself, or none has. */
export async function unlinkBookings(db: Atomic, bookings: readonly { id: bigint }[]): Promise<void> {
  const ids = bookings.map(({ id }) => id)
  const sharing = await db.sql<{ id: bigint }>`
    select distinct statement_id as id from iso20022_shared_bookings where booking_id = any(${ids}::bigint[]) order by id`
  db.send`
    with next as (
      delete from iso20022_shared_bookings as shared using (
        select booking_id, min(statement_id) as statement_id from iso20022_shared_bookings where booking_id = any(${ids}::bigint[])
        group by booking_id) as first
      where shared.booking_id = first.booking_id and shared.statement_id = first.statement_id
      returning shared.booking_id, shared.statement_id)
    update iso20022_bookings as booking set statement_id = (select statement_id from next where booking_id = booking.id)
    where id = any(${ids}::bigint[])`
  for (const { id } of sharing)
    noteOverlaps(
      db,
      id,
      await db.sql`
        select booking.id, booking.statement_id, case direction when 'in' then amount else -amount end as moved
        from iso20022_shared_bookings as shared join iso20022_bookings as booking on booking.id = booking_id
        where shared.statement_id = ${id}`,
    )
}
