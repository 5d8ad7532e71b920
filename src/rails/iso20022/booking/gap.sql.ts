import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { StatedBooking } from '../reading/interpret.ts'
import type { StatementScope, StoredBooking } from './queries.ts'

/** What is before a statement that opens differently from the one that it continues, where that is not settled. */
export type UnsettledGap = {
  statement_id: bigint
  number: bigint | null
  closing_on: string
  opening: bigint
  closed: bigint
  moved: bigint
  /** Nothing overlaps, and statements have all that was booked about those days. */
  is_clear: boolean
  /** Something that was reported of about those days may still be booked. */
  is_pending: boolean
  file_id: bigint
  file: string
}

export const unsettledGaps = (db: Db, { rail, account, asset }: StatementScope): Promise<UnsettledGap[]> =>
  db.sql`
    select statement_id, one.number, one.closing_on::text, one.opening, before.closing as closed, gap.moved, is_clear, is_pending,
      file.id as file_id, file.name as file
    from iso20022_unsettled_gaps as gap
    join iso20022_statements as one on one.id = statement_id
    join iso20022_statements as before on before.id = one.previous_id
    join iso20022_files as file on file.id = one.file_id
    where gap.rail = ${rail} and gap.account = ${account} and gap.asset = ${asset}
    order by one.closing_on, one.id`

/** The amounts that stand for what nobody knows before a statement, locked. */
export const lumpsBefore = (db: Atomic, rail: string, statementId: bigint): Promise<StoredBooking[]> =>
  db.sql`
    select * from iso20022_bookings where rail = ${rail} and statement_id = ${statementId} and gap = 'lump' and state = 'booked'
    order by id for update`

/** The same, of all statements whose gap may have a booking of some days. */
export const lumpsAbout = (
  db: Atomic,
  { rail, account, asset }: StatementScope,
  { from, until }: { from: string; until: string },
): Promise<StoredBooking[]> =>
  db.sql`
    select lump.* from iso20022_bookings as lump
    join iso20022_statements as one on one.id = lump.statement_id
    join iso20022_statements as before on before.id = one.previous_id
    where lump.rail = ${rail} and lump.account = ${account} and lump.asset = ${asset} and gap = 'lump' and lump.state = 'booked'
      and ${until} >= (before.closing_on - 7)::text and ${from} <= one.closing_on::text
    order by lump.id for update of lump`

/** A statement between two others, if there are some. */
type Between = { previousId: bigint | null; laterId: bigint | null; opening: bigint; closing: bigint }

/** What would be left before a statement between two others, and after it. */
export const restsAround = async (
  db: Db,
  rail: string,
  { previousId, laterId, opening, closing }: Between,
): Promise<{ earlier: bigint; later: bigint }> => {
  const [rests] = await db.sql<{ earlier: bigint; later: bigint }>`
    select coalesce(${opening}::numeric - before.closing + before.overlap_after, 0)::numeric(38, 0) as earlier,
      coalesce(next.opening - ${closing}::numeric + next.overlap, 0)::numeric(38, 0) as later
    from (select) as here
    left join iso20022_statements as before on before.rail = ${rail} and before.id = ${previousId} and not before.is_in_opening
    left join iso20022_statements as next on next.rail = ${rail} and next.id = ${laterId}`
  return rests ?? { earlier: 0n, later: 0n }
}

/** Lumps lie before another statement: it has come between, and does not open differently. */
export const moveLumps = (db: Atomic, ids: readonly bigint[], statementId: bigint): void =>
  db.send`update iso20022_bookings set statement_id = ${statementId} where id = any(${[...ids]}::bigint[])`

/** Makes of a lump the one booking that it stood for. It is under our reference from then on: what is recalled may name that. */
export const adoptLump = (
  db: Atomic,
  id: bigint,
  { bookedOn, valueOn, reference, entryReference }: StatedBooking,
): void =>
  db.send`
    update iso20022_bookings set statement_id = null, gap = null, booked_on = ${bookedOn}, value_on = ${valueOn},
      reference = ${reference}, stated_reference = ${reference}, entry_reference = ${entryReference || null}, sightings = ''
    where id = ${id}`
