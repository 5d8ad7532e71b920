import type { Atomic, Db } from '../../../platform/db/sql.ts'
import { apart } from './agree.ts'
import type { StatementScope } from './queries.ts'

/** What lies before a statement that came. */
export type GapRow = StatementScope & {
  statement_id: bigint
  number: bigint | null
  /** The last days of the statements before and after it, and what they close and open with. */
  after_on: string
  before_on: string
  closed: bigint
  opening: bigint
  moved: bigint
  lump_id: bigint | null
  lumps: bigint
  file_id: bigint
  file: string
}

/** The gap before a statement; without its id, before the first statement of a day or later that has another number than the one named, or a page of that after one that lacks. */
export const gapBefore = async (
  db: Db,
  rail: string,
  wanted: { statementId: bigint } | { account: string; asset: string; last: bigint; on: string },
): Promise<GapRow | undefined> => {
  const none = { statementId: null, account: null, asset: null, last: null, on: null }
  const { statementId, account, asset, last, on } = { ...none, ...wanted }
  const [gap] = await db.sql<GapRow>`
    select gap.rail, gap.account, gap.asset, statement_id, one.number, after_on::text, before_on::text, before.closing as closed, one.opening,
      moved, lump_id, lumps, file.id as file_id, file.name as file
    from iso20022_gaps as gap
    join iso20022_statements as one on one.id = statement_id
    join iso20022_statements as before on before.id = one.previous_id
    join iso20022_files as file on file.id = one.file_id
    where gap.rail = ${rail} and after_on is not null and (statement_id = ${statementId} or gap.account = ${account} and gap.asset = ${asset}
      and before_on >= ${on}::date
      and (one.number <> ${last} or one.page > 1 and (before.number, before.page) is distinct from (one.number, one.page - 1)))
    order by before_on, one.number, one.page, statement_id limit 1`
  return gap
}

/**
 * What was notified and is in no statement, and may be in a gap: messages date a booking differently, and one after the bank's cut-off is in the
 * next statement. Without a day it was booked when it was reported, or before. `is_explained`: a person has resolved its break. `has_later`: so late
 * a statement has come that no later one has it.
 */
export const unstatedWithin = (
  db: Db,
  { rail, account, asset, after_on: after, before_on: before }: GapRow,
): Promise<{ id: bigint; moved: bigint; is_explained: boolean; has_later: boolean }[]> =>
  db.sql`
    select id, case direction when 'in' then amount else -amount end as moved, exists (
        select from breaks where breaks.account = ${rail} and key = 'booking bk_' || booking.id and breaks.state = 'resolved') as is_explained,
      exists (
        select from iso20022_statements as later where later.rail = ${rail} and later.account = ${account} and later.asset = booking.asset
          and is_last and (closing_on - ${apart.booked}::integer)::text > latest) as has_later
    from iso20022_bookings as booking
    cross join lateral (
      select coalesce(nullif(booked_on, ''), (reported_at at time zone 'UTC')::date::text) as latest,
        coalesce(nullif(booked_on, ''), ((reported_at at time zone 'UTC')::date - ${apart.pending}::integer)::text) as earliest) as days
    where rail = ${rail} and account = ${account} and asset = ${asset} and statement_id is null and state = 'booked'
      and latest >= (${after}::date - ${apart.booked}::integer)::text and earliest <= ${before}
    order by id`

/**
 * Payments of ours without a debit that may be debited between two days: their file was written before the later one, and left in time.
 * `has_later`: a statement of a later day than its file has come, and may have had the debit.
 */
export const undebitedWithin = (
  db: Db,
  { rail, account, asset, after, before }: StatementScope & { after: string; before: string },
): Promise<{ key: string; amount: bigint; state: 'sent' | 'done'; has_later: boolean }[]> =>
  db.sql`
    select key, amount, payment.state, exists (
        select from iso20022_statements as later where later.rail = ${rail} and later.account = ${account} and later.asset = payment.asset
          and is_last and closing_on > (coalesce(sent_at, batch.created_at) at time zone 'UTC')::date) as has_later
    from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    where payment.rail = ${rail} and payment.asset = ${asset} and payment.state in ('sent', 'done') and debited_by is null
      and (account is null or account = ${account}) and (batch.created_at at time zone 'UTC')::date <= ${before}::date
      and coalesce((sent_at at time zone 'UTC')::date, ${before}::date) >= ${after}::date - ${apart.pending}::integer
    order by key`

/** What was booked of a gap that it still fits, of money that left. `of`: the amount of the payment that it may have. */
export type LumpRow = StatementScope & {
  id: bigint
  statement_id: bigint
  amount: bigint
  after_on: string
  before_on: string
  of: bigint
}

/** What was booked of gaps by whose last day a payment's file had left, and is at least its amount: what is booked as our own comes last, and else the least amount first. */
export const lumpsOfAtLeast = (db: Db, rail: string, key: string): Promise<LumpRow[]> =>
  db.sql`
    select lump.id, lump.rail, lump.account, lump.asset, gap.statement_id, lump.amount, after_on::text, before_on::text, payment.amount as of
    from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    join iso20022_gaps as gap on gap.rail = payment.rail and gap.asset = payment.asset and moved = lumps and after_on is not null
      and (sent_at at time zone 'UTC')::date <= before_on
    join iso20022_bookings as lump on lump.id = lump_id and direction = 'out' and lump.amount >= payment.amount
    where payment.rail = ${rail} and key = ${key}
    order by exists (select from own_money where own_money.rail = lump.rail and own_money.payment = 'bk_' || lump.id),
      lump.amount, before_on, lump.id`

/** Says of bookings that they are in the gap before a statement. */
export const placeInGap = (db: Atomic, ids: readonly bigint[], statementId: bigint): void =>
  db.send`update iso20022_bookings set statement_id = ${statementId}, gap = 'known' where id = any(${[...ids]}::bigint[])`

/** A booking that operators have placed in the gap before a statement: as the rest, or as what was known; undefined for another one. */
export async function bookingInGap(
  db: Db,
  rail: string,
  id: bigint,
): Promise<{ statement_id: bigint; gap: 'known' | 'lump' } | undefined> {
  const [booking] = await db.sql<{ statement_id: bigint; gap: 'known' | 'lump' }>`
    select statement_id, gap from iso20022_bookings where rail = ${rail} and id = ${id} and gap is not null`
  return booking
}

/** Of gaps that persons have decided about, before some statements or with some days, the lump, if there is one. */
export const decidedGaps = (
  db: Db,
  { rail, account, asset }: StatementScope,
  of: { before: readonly (bigint | null)[] } | { from: string; until: string },
): Promise<{ lump_id: bigint | null }[]> => {
  const { before, from, until } = { before: [], from: null, until: null, ...of }
  return db.sql`
    select lump_id from iso20022_gaps
    where rail = ${rail} and account = ${account} and asset = ${asset} and is_decided and (statement_id = any(${[...before]}::bigint[])
      or ${until}::text >= (after_on - ${apart.booked}::integer)::text and ${from}::text <= before_on::text)
    order by lump_id nulls last`
}
