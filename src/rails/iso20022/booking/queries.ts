import { rowWriter } from '../../../platform/db/rows.ts'
import type { Atomic, Db } from '../../../platform/db/sql.ts'

/** What a booking on our account is about. `unexplained`: money left and we know neither an order nor a deposit for it. */
export type BookingKind = 'deposit' | 'payout' | 'payout_returned' | 'deposit_reversed' | 'charge' | 'unexplained'

/** Why a new booking may be a known one: all but the bank's reference or a day agree, or all but the amount. */
export type Doubt = 'double' | 'other_amount'

/** It lies before its statement: what is `known` to, or one `lump` that stands for the rest. */
export type Gap = 'known' | 'lump'

/** A booking as it is stored. */
export type BookingRow = {
  id: bigint
  rail: string
  account: string
  asset: string
  direction: 'in' | 'out'
  amount: bigint
  state: 'pending' | 'booked'
  wasPending: boolean
  kind: BookingKind
  reference: string
  servicerReference: string | null
  entryReference: string | null
  /** What its whole entry moved, where the bank kept a charge of it; and for that charge the booking that it was kept of. */
  entryAmount: bigint | null
  chargeOf: bigint | null
  endToEnd: string | null
  payerHash: string | null
  nameHash: string | null
  statedReference: string
  /** It came with what the payer wrote. Rows of before may mean a text of the bank's own. */
  hasText: boolean
  paymentKey: string | null
  reversesId: bigint | null
  remainder: bigint
  bookedOn: string
  valueOn: string
  payer: Buffer | null
  doubt: Doubt | null
  /** The known booking that it may be. */
  doubtsId: bigint | null
  sightings: string
  statementId: bigint | null
  gap: Gap | null
  fileId: bigint
  reportedAt: Date
}

const rows = rowWriter<BookingRow>('iso20022_bookings', {
  id: 'bigint',
  rail: 'text',
  account: 'text',
  asset: 'text',
  direction: 'text',
  amount: 'numeric',
  state: 'text',
  wasPending: 'boolean',
  kind: 'text',
  reference: 'text',
  servicerReference: 'text',
  entryReference: 'text',
  entryAmount: 'numeric',
  chargeOf: 'bigint',
  endToEnd: 'text',
  payerHash: 'text',
  nameHash: 'text',
  statedReference: 'text',
  hasText: 'boolean',
  paymentKey: 'text',
  reversesId: 'bigint',
  remainder: 'numeric',
  bookedOn: 'text',
  valueOn: 'text',
  payer: 'bytea',
  doubt: 'text',
  doubtsId: 'bigint',
  sightings: 'text',
  statementId: 'bigint',
  gap: 'text',
  fileId: 'bigint',
  reportedAt: 'timestamptz',
})

/** Stores new bookings. */
export const insertBookings = (db: Atomic, bookings: readonly BookingRow[]): void => rows.insert(db, bookings)

/** Ids for new bookings. */
export const newIds = async (db: Db, count: number): Promise<bigint[]> =>
  (
    await db.sql<{ id: bigint }>`
      select nextval(pg_get_serial_sequence('iso20022_bookings', 'id'))::bigint as id from generate_series(1, ${count}::integer)`
  ).map(({ id }) => id)

/** A booking as it is read. */
export type StoredBooking = {
  id: bigint
  account: string
  asset: string
  direction: 'in' | 'out'
  amount: bigint
  /** `withdrawn`: two operators withdrew it, because its statement does not hold it. */
  state: 'pending' | 'booked' | 'withdrawn'
  was_pending: boolean
  kind: BookingKind
  reference: string
  servicer_reference: string | null
  entry_reference: string | null
  entry_amount: bigint | null
  charge_of: bigint | null
  end_to_end: string | null
  payer_hash: string | null
  name_hash: string | null
  stated_reference: string
  has_text: boolean
  payment_key: string | null
  reverses_id: bigint | null
  remainder: bigint
  booked_on: string
  value_on: string
  sightings: string
  doubt: Doubt | null
  statement_id: bigint | null
  gap: Gap | null
}

/** What one statement is compared with, and where it belongs. */
export type StatementScope = { rail: string; account: string; asset: string }

/** What bookings of a statement may have in common with known ones. Days as texts, from the earliest to the latest. */
export type Likeness = {
  statementId: bigint | null
  amounts: bigint[]
  references: string[]
  endToEnds: string[]
  from: string
  until: string
}

/** Known bookings that may be the same as some that a statement reports, and all of a statement that came before. */
export const similarBookings = (
  db: Db,
  { rail, account, asset }: StatementScope,
  { statementId, amounts, references, endToEnds, from, until }: Likeness,
): Promise<StoredBooking[]> =>
  db.sql`
    with near as (
      select id from iso20022_bookings where statement_id = ${statementId}
      union select id from iso20022_bookings where rail = ${rail} and account = ${account} and amount = any(${amounts}::numeric[])
        and (booked_on = '' or booked_on between ${from} and ${until})
      union select id from iso20022_bookings
        where rail = ${rail} and account = ${account} and entry_amount = any(${amounts}::numeric[])
          and (booked_on = '' or booked_on between ${from} and ${until})
      union select id from iso20022_bookings where rail = ${rail} and end_to_end = any(${endToEnds})
        and (booked_on = '' or booked_on between ${from} and ${until})
      union select id from iso20022_bookings
        where rail = ${rail} and account = ${account} and servicer_reference = any(${references})
          and (booked_on = '' or booked_on between ${from} and ${until})
      union select id from iso20022_bookings
        where rail = ${rail} and account = ${account} and entry_reference = any(${references})
          and (booked_on = '' or booked_on between ${from} and ${until}))
    select * from iso20022_bookings where rail = ${rail} and account = ${account} and asset = ${asset}
      and (id in (select id from near) or charge_of in (select id from near))
    order by id for update`

/** Deposits that were not wholly reversed, by our reference or by the payer's own, the latest first. */
export const reversibleDeposits = (
  db: Db,
  { rail, account, asset }: StatementScope,
  { references, endToEnds }: { references: string[]; endToEnds: string[] },
): Promise<StoredBooking[]> =>
  db.sql`
    select * from iso20022_bookings where rail = ${rail} and account = ${account} and asset = ${asset}
      and kind = 'deposit' and state = 'booked' and remainder > 0
      and (reference <> '' and reference = any(${references}) or end_to_end = any(${endToEnds}))
    order by id desc for update`

/** Books what was pending. */
export const bookPending = (
  db: Atomic,
  booked: readonly Pick<
    BookingRow,
    | 'id'
    | 'kind'
    | 'reference'
    | 'paymentKey'
    | 'reversesId'
    | 'remainder'
    | 'bookedOn'
    | 'payer'
    | 'doubt'
    | 'doubtsId'
  >[],
): void =>
  db.send`
    update iso20022_bookings as known set state = 'booked', kind = now.kind, reference = now.reference,
      payment_key = now.payment_key, payer = coalesce(now.payer, known.payer), reverses_id = now.reverses_id, remainder = now.remainder, booked_on = now.booked_on,
      doubt = coalesce(now.doubt, known.doubt), doubts_id = coalesce(now.doubts_id, known.doubts_id)
    from unnest(${booked.map(({ id }) => id)}::bigint[], ${booked.map(({ kind }) => kind)}::text[],
      ${booked.map(({ paymentKey }) => paymentKey)}::text[], ${booked.map(({ reversesId }) => reversesId)}::bigint[],
      ${booked.map(({ remainder }) => remainder)}::numeric[], ${booked.map(({ bookedOn }) => bookedOn)}::text[],
      ${booked.map(({ reference }) => reference)}::text[], ${booked.map(({ payer }) => payer)}::bytea[],
      ${booked.map(({ doubt }) => doubt)}::text[], ${booked.map(({ doubtsId }) => doubtsId)}::bigint[]
    ) as now (id, kind, payment_key, reverses_id, remainder, booked_on, reference, payer, doubt, doubts_id)
    where known.id = now.id`

/** Notes how much of deposits is left. */
export const setRemainders = (db: Atomic, deposits: readonly { id: bigint; remainder: bigint }[]): void =>
  db.send`
    update iso20022_bookings as known set remainder = now.remainder
    from unnest(${deposits.map(({ id }) => id)}::bigint[], ${deposits.map(({ remainder }) => remainder)}::numeric[])
      as now (id, remainder)
    where known.id = now.id`

/** What came under a reference of ours, with what was reversed of it, in the order in which it was reported. */
export const depositsUnder = (
  db: Db,
  rail: string,
  reference: string,
): Promise<(StoredBooking & { reversals: { id: string; amount: string }[] })[]> =>
  db.sql`
    select deposit.*, coalesce((
      select json_agg(json_build_object('id', back.id::text, 'amount', back.amount::text) order by back.id)
      from iso20022_bookings as back where back.reverses_id = deposit.id and back.state = 'booked'), '[]') as reversals
    from iso20022_bookings as deposit
    where rail = ${rail} and reference = ${reference} and kind = 'deposit' order by id limit 1000`

/** Debits without an order of ours, the oldest first. */
export const unexplainedBookings = (
  db: Db,
  rail: string,
  limit: number,
): Promise<(Pick<BookedLine, 'id' | 'asset' | 'amount' | 'payer' | 'at' | 'reference'> & { booked_on: string })[]> =>
  db.sql`
    select id, asset, amount, payer, booked_on, reported_at as at,
      coalesce(payment_key, nullif(stated_reference, ''), servicer_reference, '') as reference
    from iso20022_bookings
    where rail = ${rail} and kind = 'unexplained' and state = 'booked' and direction = 'out'
      and not exists (select from own_money where own_money.rail = ${rail} and payment = 'bk_' || iso20022_bookings.id)
    order by id limit ${limit}`

/** Who paid. */
export const payerOf = (
  db: Db,
  rail: string,
  id: bigint,
): Promise<{ payer: Buffer | null; booked_on: string; servicer_reference: string | null }[]> =>
  db.sql`
    select payer, booked_on, servicer_reference from iso20022_bookings
    where rail = ${rail} and id = ${id} and kind = 'deposit' and state = 'booked'`

/** What the last statements of an asset's accounts closed with, and what was booked since, as other messages say. */
export const balances = (db: Db, rail: string, asset: string): Promise<{ balance: bigint }[]> =>
  db.sql`
    select coalesce((
        select sum(closing) from (
          select distinct on (account) closing from iso20022_statements as last where rail = ${rail} and asset = ${asset}
            and not exists (select 1 from iso20022_statements as later where later.previous_id = last.id)
          order by account, closing_on desc, number desc nulls last, page desc, id desc) as latest), 0)
      + coalesce((
        select sum(case when direction = 'in' then amount else -amount end) from iso20022_bookings
        where rail = ${rail} and asset = ${asset} and state = 'booked' and statement_id is null), 0)
      -- What a statement opens differently by and is not booked is a finding, as a booking is that its statement lacks.
      + coalesce((
        select sum(lumps - moved) from iso20022_gaps where rail = ${rail} and asset = ${asset}), 0) as balance`

/** One line of what was booked. `is_lump_of_gap`: it stands for what nobody knows between two statements. `is_bare`: what the bank debited for no order, and names no payee of. */
export type BookedLine = Pick<BookingRow, 'id' | 'reference' | 'asset' | 'amount' | 'kind' | 'payer'> & {
  at: Date
  is_bare: boolean
  is_lump_of_gap: boolean
}

/**
 * What was reported as booked between two times, payment by payment; a reversal under the payment that it reverses. Charges are left
 * out: they are booked as costs, not as payments.
 */
export const bookedBetween = (
  db: Db,
  rail: string,
  { since, until }: { since: Date; until: Date },
): Promise<BookedLine[]> =>
  db.sql`
    select coalesce(reverses_id, booking.id) as id, coalesce(payment.key, payment_key, reference) as reference,
      booking.asset, (case direction when 'in' then 1 else -1 end) * coalesce(payment.amount, booking.amount) as amount,
      reported_at as at, kind, booking.payer,
      kind = 'unexplained' and payment_key is null and payer_hash is null and name_hash is null as is_bare,
      coalesce(gap = 'lump', false) as is_lump_of_gap
    from iso20022_bookings as booking
    left join iso20022_payments as payment on payment.debited_by = booking.id
    where booking.rail = ${rail} and booking.state = 'booked' and kind <> 'charge'
      and reported_at >= ${since} and reported_at < ${until}
    order by booking.id, payment.key`
