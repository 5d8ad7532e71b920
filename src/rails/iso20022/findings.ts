import type { Db } from '../../platform/db/sql.ts'
import type { StatementFinding } from '../statement.ts'
import type { Bank } from './bank.ts'
import { farFuture, type MissingNumbers, missingNumbers } from './troubles.ts'

/** What is wrong with a bank's statements by themselves. Each has its own key, and ends when it is no longer found. */
export async function findingsOf(
  { name: rail, accounts, ...bank }: Bank,
  db: Db = bank.db,
): Promise<StatementFinding[]> {
  const [own] = accounts
  const otherwise = await foundOtherwise(db, rail)
  const isFound = (one: MissingNumbers): boolean =>
    otherwise.some(
      ({ account, asset, first, last }) =>
        account === one.account && asset === one.asset && first <= one.first && last === one.last,
    )
  const lost = (await missingNumbers(db, farFuture))
    .filter((one) => one.rail === rail && !isFound(one))
    .map((one): StatementFinding => ({
      key: `statement ${one.account} ${one.first}-${one.last}`,
      asset: one.asset,
      amount: 0n,
      cause: 'lost_statement',
    }))
  const found = await db.sql<StatementFinding & { asset: string | null }>`
    select coalesce('booking bk_' || lump_id, 'statement ' || account || ' opens ' || statement_id) as key, asset,
      moved - lumps as amount, case when lump_id is null then 'opening_differs' else 'double' end as cause
    from iso20022_gaps where rail = ${rail} and moved <> lumps
    union all
    select 'file ' || case when exists (
        select from iso20022_files as first where first.rail = file.rail and first.name = file.name and first.id < file.id
          and first.cleared_at is null) then left(file.checksum, 12) || '-' else '' end || file.name || ' ' || position, part.asset, coalesce(difference, 0), coalesce(cause, 'lost_statement')
    from iso20022_parts as part join iso20022_files as file on file.id = file_id
    where file.rail = ${rail} and part.state = 'refused' and cleared_at is null
    union all
    select 'statement ' || account || ' holds ' || statement.id, asset, closing - opening - overlap - overlap_after - held, 'swallowed'
    from iso20022_statements as statement
    where rail = ${rail} and not is_in_opening and closing - opening - overlap - overlap_after <> held
    union all
    -- The bank has refused since what it or operators have said is paid, unless a statement has its debit.
    select coalesce('booking bk_' || debit.id, 'payment ' || payment.key), payment.asset, payment.amount, 'missing'
    from iso20022_payments as payment left join iso20022_bookings as debit on debit.id = debited_by
    where payment.rail = ${rail} and payment.state = 'done' and code in ('RJCT', 'CANC')
      and (debit.id is null or debit.state = 'booked' and gap = 'known')
    union all
    -- The bank has carried out since what it has refused, or operators have ended.
    select 'payment ' || key, asset, -amount, 'swallowed' from iso20022_payments
    where rail = ${rail} and state = 'rejected' and code in ('ACSC', 'ACCC')
    union all
    select 'booking bk_' || booking.id, asset, case direction when 'in' then -amount else amount end, coalesce((
        select doubt from iso20022_bookings as second
        where second.doubts_id = booking.id and second.state = 'booked' and second.statement_id is not null limit 1), 'missing')
    from iso20022_bookings as booking
    where rail = ${rail} and statement_id is null and state = 'booked' and exists (
      select 1 from iso20022_statements as later
      where later.rail = booking.rail and later.account = booking.account and later.asset = booking.asset
        -- What one page of its day lacks may be on another one. A booking without a day was booked when it was reported, or before.
        and (later.closing_on::text > coalesce(nullif(booking.booked_on, ''), (booking.reported_at at time zone 'UTC')::date::text)
          or later.closing_on::text = booking.booked_on and later.is_last))`
  const asset = own?.asset.id ?? ''
  return [...lost, ...found.map((one) => ({ ...one, asset: one.asset ?? asset }))]
}

/** Numbers that are missing where something else is the break: their file, which was refused. */
const foundOtherwise = (
  db: Db,
  rail: string,
): Promise<{ account: string; asset: string; first: bigint; last: bigint }[]> =>
  db.sql`
    select account, asset, number, number from iso20022_parts as part join iso20022_files as file on file.id = file_id
    where rail = ${rail} and part.state = 'refused' and cleared_at is null and asset is not null and number is not null`
