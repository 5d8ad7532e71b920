import type { Atomic } from '../../../platform/db/sql.ts'

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
      statement_id = coalesce(known.statement_id, link.statement_id),
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

/** Notes that no statement has bookings any more. */
export const unlinkBookings = (db: Atomic, bookings: readonly { id: bigint }[]): void =>
  db.send`update iso20022_bookings set statement_id = null where id = any(${bookings.map(({ id }) => id)}::bigint[])`
