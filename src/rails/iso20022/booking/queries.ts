import { rowWriter } from '../../../platform/db/rows.ts'
import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { CheckedStatement } from '../reading/interpret.ts'

/** What a booking on our account is about. `unexplained`: money left and we know neither an order nor a deposit for it. */
export type BookingKind = 'deposit' | 'payout' | 'payout_returned' | 'deposit_reversed' | 'charge' | 'unexplained'

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
  content: string
  endToEnd: string | null
  paymentKey: string | null
  reversesId: bigint | null
  remainder: bigint
  bookedOn: string
  payer: Buffer | null
  statementId: bigint | null
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
  content: 'text',
  endToEnd: 'text',
  paymentKey: 'text',
  reversesId: 'bigint',
  remainder: 'numeric',
  bookedOn: 'text',
  payer: 'bytea',
  statementId: 'bigint',
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
  state: 'pending' | 'booked'
  was_pending: boolean
  kind: BookingKind
  reference: string
  servicer_reference: string | null
  entry_reference: string | null
  content: string
  end_to_end: string | null
  payment_key: string | null
  remainder: bigint
  booked_on: string
  statement_id: bigint | null
}

/** What one statement is compared with, and where it belongs. */
export type StatementScope = { rail: string; account: string; asset: string }

/** Known bookings that may be the same as some that a statement reports. */
export const similarBookings = (
  db: Db,
  { rail, account, asset }: StatementScope,
  { contents, references }: { contents: string[]; references: string[] },
): Promise<StoredBooking[]> =>
  db.sql`
    select * from iso20022_bookings where rail = ${rail} and account = ${account} and asset = ${asset} and id in (
      select id from iso20022_bookings where rail = ${rail} and account = ${account} and content = any(${contents})
      union select id from iso20022_bookings
        where rail = ${rail} and account = ${account} and servicer_reference = any(${references})
      union select id from iso20022_bookings
        where rail = ${rail} and account = ${account} and entry_reference = any(${references}))
    order by id for update`

/** Deposits that were not wholly taken back, by our reference or by the payer's own, the latest first. */
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

/** What a statement adds to bookings that are known: the bank's reference, and the statement of the day that has them. */
export const linkBookings = (
  db: Atomic,
  links: readonly { id: bigint; servicerReference: string | null; statementId: bigint | null }[],
): void =>
  db.send`
    update iso20022_bookings as known set
      servicer_reference = coalesce(known.servicer_reference, link.servicer_reference),
      statement_id = coalesce(link.statement_id, known.statement_id)
    from unnest(${links.map(({ id }) => id)}::bigint[], ${links.map((one) => one.servicerReference)}::text[],
      ${links.map(({ statementId }) => statementId)}::bigint[]) as link (id, servicer_reference, statement_id)
    where known.id = link.id`

/** Books what was pending. */
export const bookPending = (
  db: Atomic,
  booked: readonly Pick<
    BookingRow,
    'id' | 'kind' | 'reference' | 'paymentKey' | 'reversesId' | 'remainder' | 'bookedOn' | 'payer'
  >[],
): void =>
  db.send`
    update iso20022_bookings as known set state = 'booked', kind = now.kind, reference = now.reference,
      payment_key = now.payment_key, payer = coalesce(now.payer, known.payer), reverses_id = now.reverses_id, remainder = now.remainder, booked_on = now.booked_on
    from unnest(${booked.map(({ id }) => id)}::bigint[], ${booked.map(({ kind }) => kind)}::text[],
      ${booked.map(({ paymentKey }) => paymentKey)}::text[], ${booked.map(({ reversesId }) => reversesId)}::bigint[],
      ${booked.map(({ remainder }) => remainder)}::numeric[], ${booked.map(({ bookedOn }) => bookedOn)}::text[]
, ${booked.map(({ reference }) => reference)}::text[], ${booked.map(({ payer }) => payer)}::bytea[]
    ) as now (id, kind, payment_key, reverses_id, remainder, booked_on, reference, payer)
    where known.id = now.id`

/** Notes how much of deposits is left. */
export const setRemainders = (db: Atomic, deposits: readonly { id: bigint; remainder: bigint }[]): void =>
  db.send`
    update iso20022_bookings as known set remainder = now.remainder
    from unnest(${deposits.map(({ id }) => id)}::bigint[], ${deposits.map(({ remainder }) => remainder)}::numeric[])
      as now (id, remainder)
    where known.id = now.id`

/** Stores a page of a statement of a day; one that is sent again replaces what it said. Gives its id. */
export const keepStatement = (
  db: Atomic,
  { rail, account, asset }: StatementScope,
  { id, number, page, balance }: CheckedStatement & { balance: NonNullable<CheckedStatement['balance']> },
  fileId: bigint,
): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into iso20022_statements (rail, account, asset, identification, number, page, closing_on, opening, closing, file_id)
    values (${rail}, ${account}, ${asset}, ${id}, ${number ?? null}, ${page}, ${balance.on}::date, ${balance.opening},
      ${balance.closing}, ${fileId})
    on conflict (rail, account, asset, identification, number, page) do update
      set closing_on = excluded.closing_on, opening = excluded.opening, closing = excluded.closing
    returning id`

/** What came under a reference of ours, with what was taken back of it, in the order in which it was reported. */
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

/** Who paid. */
export const payerOf = (db: Db, rail: string, id: bigint): Promise<{ payer: Buffer | null }[]> =>
  db.sql`select payer from iso20022_bookings where rail = ${rail} and id = ${id} and kind = 'deposit' and state = 'booked'`

/** The closing balances of the latest statements of an asset's accounts, and what was booked since, as other messages say. */
export const balances = (db: Db, rail: string, asset: string): Promise<{ balance: bigint }[]> =>
  db.sql`
    select coalesce((
        select sum(closing) from (
          select distinct on (account) closing from iso20022_statements where rail = ${rail} and asset = ${asset}
          order by account, closing_on desc, number desc nulls last, page desc, id desc) as latest), 0)
      + coalesce((
        select sum(case when direction = 'in' then amount else -amount end) from iso20022_bookings
        where rail = ${rail} and asset = ${asset} and state = 'booked' and statement_id is null), 0) as balance`

/**
 * What was reported as booked between two times, payment by payment; a reversal under the payment that it reverses. Charges are left
 * out: they are booked as costs, not as payments.
 */
export const bookedBetween = (
  db: Db,
  rail: string,
  { since, until }: { since: Date; until: Date },
): Promise<{ id: bigint; reference: string; asset: string; amount: bigint; at: Date }[]> =>
  db.sql`
    select coalesce(reverses_id, booking.id) as id, coalesce(payment.key, payment_key, reference) as reference,
      booking.asset, (case direction when 'in' then 1 else -1 end) * coalesce(payment.amount, booking.amount) as amount,
      reported_at as at
    from iso20022_bookings as booking
    left join iso20022_payments as payment on payment.debited_by = booking.id
    where booking.rail = ${rail} and booking.state = 'booked' and kind <> 'charge'
      and reported_at >= ${since} and reported_at < ${until}
    order by booking.id, payment.key`
