import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { CheckedStatement } from '../reading/interpret.ts'
import type { StatementScope } from './queries.ts'

/** A statement that came, with its neighbors: the one that it continues, and the one that continues it. */
export type ChainedStatement = {
  id: bigint
  number: bigint | null
  page: number
  is_last: boolean
  period: string
  closing_on: string
  opening: bigint
  closing: bigint
  previous_id: bigint | null
  /** What the one before it closed with, and what the one after it opens with. */
  closed_before: bigint | null
  closed_before_on: string | null
  next_id: bigint | null
  opens_next: bigint | null
  closes_next_on: string | null
  is_in_opening: boolean
  /** It has bookings that other ones have, too. */
  overlaps: boolean
}

type StatementWithBalance = CheckedStatement & { balance: NonNullable<CheckedStatement['balance']> }

/** Statements with the same number or the same last day, the last one of an earlier day, and those at the ends and gaps of the chain. */
export const nearStatements = (
  db: Db,
  { rail, account, asset }: StatementScope,
  { number, balance }: StatementWithBalance,
): Promise<ChainedStatement[]> =>
  db.sql`
    with own as (
      select one.id, one.number, one.page, one.is_last, one.period, one.closing_on::text, one.opening, one.closing, one.previous_id,
        before.closing as closed_before, before.closing_on::text as closed_before_on, later.id as next_id, later.opening as opens_next, later.closing_on::text as closes_next_on,
        one.is_in_opening, one.overlap <> 0 or one.overlap_after <> 0 as overlaps
      from iso20022_statements as one
      left join iso20022_statements as before on before.id = one.previous_id
      left join iso20022_statements as later on later.previous_id = one.id
      where one.rail = ${rail} and one.account = ${account} and one.asset = ${asset})
    select * from own where number = ${number ?? null} or closing_on = ${balance.on}::text
      or previous_id is null or next_id is null or opens_next <> closing or closed_before <> opening
      or id = (
        select id from iso20022_statements
        where rail = ${rail} and account = ${account} and asset = ${asset} and closing_on < ${balance.on}::date
        order by iso20022_statements.closing_on desc, number desc nulls last, page desc, id desc limit 1)
    order by closing_on, number, page, id`

/** Stores a page of a statement of a day, between those before and after it. Gives its id. */
export async function insertStatement(
  db: Atomic,
  { rail, account, asset }: StatementScope,
  { id, number, page, isLastPage, period, balance }: StatementWithBalance,
  {
    fileId,
    previousId,
    nextId,
    isInOpening,
    isDecided = false,
  }: { fileId: bigint; previousId: bigint | null; nextId: bigint | null; isInOpening: boolean; isDecided?: boolean },
): Promise<bigint> {
  const [inserted] = await db.sql<{ id: bigint }>`
    insert into iso20022_statements
      (rail, account, asset, identification, number, page, is_last, period, closing_on, opening, closing, previous_id, file_id, is_in_opening, is_decided)
    values (${rail}, ${account}, ${asset}, ${id}, ${number ?? null}, ${page}, ${isLastPage}, ${period}, ${balance.on}::date, ${balance.opening},
      ${balance.closing}, ${previousId}, ${fileId}, ${isInOpening}, ${isDecided})
    returning id`
  if (!inserted) throw new Error('A statement was not stored.')
  db.send`update iso20022_statements set previous_id = ${inserted.id} where id = ${nextId}`
  return inserted.id
}

/** A page that did not say so is the last one of its statement after all. */
export const markLast = (db: Atomic, id: bigint): void =>
  db.send`update iso20022_statements set is_last = true where id = ${id}`

/** Notes which bookings of a statement other ones have, too, and how much that is: of those that it continues, and of those after it. */
export function noteOverlaps(
  db: Atomic,
  id: bigint,
  shared: readonly { id: bigint; statement_id: bigint | null; moved: bigint }[],
): void {
  db.send`delete from iso20022_shared_bookings where statement_id = ${id}`
  db.send`
    insert into iso20022_shared_bookings (statement_id, booking_id)
    select ${id}, one from unnest(${shared.map((one) => one.id)}::bigint[]) as one`
  const statements = shared.map((one) => one.statement_id)
  db.send`
    with recursive earlier as (
      select previous_id as id from iso20022_statements where id = ${id}
      union select one.previous_id from iso20022_statements as one join earlier on earlier.id = one.id),
    shared as (
      select moved, statement_id in (select earlier.id from earlier where earlier.id is not null) as is_earlier
      from unnest(${statements}::bigint[], ${shared.map(({ moved }) => moved)}::numeric[]) as one (statement_id, moved))
    update iso20022_statements set
      overlap = coalesce((select sum(moved) from shared where is_earlier), 0),
      overlap_after = coalesce((select sum(moved) from shared where not is_earlier), 0)
    where id = ${id}`
}

/** Replaces the balances of a statement by those of a corrected one, which came in another file. */
export const correctStatement = (db: Atomic, id: bigint, { balance }: StatementWithBalance, fileId: bigint): void =>
  db.send`
    update iso20022_statements set opening = ${balance.opening}, closing = ${balance.closing}, closing_on = ${balance.on}::date,
      file_id = ${fileId}
    where id = ${id}`
