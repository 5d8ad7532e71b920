import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { SeenOfPayment } from '../../statement.ts'
import { apart } from '../booking/agree.ts'

/** The state of a payment. `queued`: in no file yet. `sent`: in a file. `done` and `rejected`: the bank's clear answers. */
export type PaymentState = 'queued' | 'sent' | 'done' | 'rejected'

/** A payment that the bank was or will be asked to make. */
export type PaymentRow = {
  key: string
  asset: string
  amount: bigint
  state: PaymentState
  code: string | null
  reason: string | null
  debited_by: bigint | null
  batch_id: bigint | null
  /** The account that pays it; null where it left before that was kept. */
  account: string | null
  /** When the database was found restored, before which it may have left. */
  unsure_since: Date | null
  payee_match: PayeeMatch | null
  payee_names: Buffer | null
}

/** A payment that a message names, and where it is in its file. `has_returned`: a booking has said that it came back. */
export type NamedPayment = PaymentRow & { message_id: string | null; part: string | null; has_returned: boolean }

/** Whether the payee's bank has the name that we gave; `unknown`: it does not say. */
export type PayeeMatch = 'match' | 'close' | 'none' | 'unknown'

/** Queues a payment for the next file; one that is known stays as it is. */
export const queuePayment = (
  db: Db,
  row: { rail: string; key: string; asset: string; amount: bigint; body: Buffer; at: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into iso20022_payments (rail, key, asset, amount, body, submitted_at)
    values (${row.rail}, ${row.key}, ${row.asset}, ${row.amount}, ${row.body}, ${row.at})
    on conflict (rail, key) do nothing`

/** Payments by their keys. */
export const paymentsByKey = (db: Db, rail: string, keys: string[]): Promise<PaymentRow[]> =>
  db.sql`
    select key, asset, amount, state, code, reason, debited_by, batch_id, account, unsure_since, payee_match, payee_names from iso20022_payments
    where rail = ${rail} and key = any(${keys}) order by key`

/** Locks the payments that a message from the bank names: by key, by file, or by the part of a file. */
export const lockPayments = (
  db: Atomic,
  rail: string,
  { keys, messages, parts }: { keys: string[]; messages: string[]; parts: string[] },
): Promise<NamedPayment[]> =>
  db.sql`
    select key, asset, amount, state, code, reason, debited_by, batch_id, account, unsure_since, payee_match, payee_names, part,
      (select message_id from iso20022_batches where iso20022_batches.id = batch_id) as message_id,
      exists (select from iso20022_bookings as back where back.rail = ${rail} and back.payment_key = key and back.kind = 'payout_returned') as has_returned
    from iso20022_payments
    where rail = ${rail} and (key = any(${keys}) or part = any(${parts}) or batch_id in (
      select id from iso20022_batches where rail = ${rail} and message_id = any(${messages})))
    order by key for update`

/** A payment that may be ended. `announcedSince`: what was announced before, and was not booked since, will not be. */
type Unanswered = { rail: string; account: string; key: string; announcedSince: Date }

/**
 * What there is of a payment once a statement of a day after its payment file has come to its last page: a gap of the days in which it may have left
 * that no person has decided about (`has_gap`); and what may have its debit although a person has decided about it (`is_decided`): a gap, an opening
 * balance, a debit that names it.
 */
export const laterStatement = (
  db: Db,
  { rail, account, key }: Omit<Unanswered, 'announcedSince'>,
): Promise<
  {
    sent_on: string
    left_by: string
    has_gap: boolean
    is_decided: boolean
  }[]
> =>
  db.sql`
    select sent_on::text, left_by::text, has_gap, is_decided or exists (
        select from iso20022_bookings where rail = ${rail} and payment_key = ${key} and direction = 'out' and state <> 'withdrawn') as is_decided
    from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    cross join lateral (
      select (created_at at time zone 'UTC')::date as sent_on, (sent_at at time zone 'UTC')::date as left_on) as sent
    cross join lateral (select left_on + ${apart.pending}::integer as left_by) as until
    cross join lateral (
      select coalesce(bool_or(after_on <= left_by and (moved <> lumps or lump_id is not null
            and not exists (select from own_money where own_money.rail = ${rail} and own_money.payment = 'bk_' || lump_id)
            and not exists (select from deposits where deposits.rail = ${rail} and deposits.payment = 'bk_' || lump_id
              and (transaction_id is not null or exchanged + refunded + taken_back > 0)))), false) as has_gap,
        coalesce(bool_or(is_in_opening or case when after_on is null then before_on > sent_on else after_on <= left_by and gap.is_decided end), false) as is_decided
      from iso20022_gaps as gap join iso20022_statements as one on one.id = statement_id
      where gap.rail = ${rail} and gap.account = ${account} and gap.asset = payment.asset and before_on >= sent_on) as gaps
    where payment.rail = ${rail} and key = ${key} and exists (
      select from iso20022_statements as later where later.rail = ${rail} and later.account = ${account}
        and later.asset = payment.asset and later.is_last and later.closing_on > left_on)`

/** A debit that names a payment, or may have its amount and names nothing, and is not booked as something else. */
export type LikeDebit = { id: bigint; amount: bigint; state: 'booked' | 'pending'; is_named: boolean }

export const debitsLike = (db: Db, { rail, account, key, announcedSince }: Unanswered): Promise<LikeDebit[]> =>
  db.sql`
    select debit.id, debit.amount, debit.state, payment_key is not null as is_named
    from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    join iso20022_bookings as debit on debit.rail = payment.rail and debit.account = ${account} and debit.asset = payment.asset
      and direction = 'out' and kind = 'unexplained' and gap is null
      and (payment_key is null and debit.amount >= payment.amount or payment_key = payment.key)
      and (debit.state = 'booked' or debit.state = 'pending' and reported_at > ${announcedSince})
      and (booked_on = '' or booked_on >= (created_at at time zone 'UTC')::date::text)
    where payment.rail = ${rail} and key = ${key} and not exists (
      select from own_money where own_money.rail = ${rail} and own_money.payment = 'bk_' || debit.id)
    order by debit.state, debit.id`

/** What has come of the account of a payment, and the gaps since its file that were decided about, with what was booked of each. */
export const seenOf = (
  db: Db,
  { rail, account, key }: Pick<Unanswered, 'rail' | 'account' | 'key'>,
): Promise<SeenOfPayment[]> =>
  db.sql`
    select (select max(id)::text from iso20022_files where rail = ${rail}) as file, (
        select max(id)::text from iso20022_statements as one
        where one.rail = ${rail} and one.account = ${account} and one.asset = payment.asset) as statement,
      array(
        select concat_ws(' ', statement_id, moved, lumps, 'bk_' || lump_id) from iso20022_gaps as gap
        where gap.rail = ${rail} and gap.account = ${account} and gap.asset = payment.asset and is_decided
          and before_on >= (created_at at time zone 'UTC')::date order by statement_id) as gaps
    from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    where payment.rail = ${rail} and key = ${key}`

/** A file that came since a payment's, waits for a person, and may have its debit. */
export const waitingFile = (
  db: Db,
  { rail, account, key }: Pick<Unanswered, 'rail' | 'account' | 'key'>,
): Promise<{ name: string }[]> =>
  db.sql`
    select file.name from iso20022_payments as payment join iso20022_batches as batch on batch.id = batch_id
    join iso20022_files as file on file.rail = payment.rail and cleared_at is null and received_at >= batch.created_at
    left join iso20022_parts as part on part.file_id = file.id and part.state = 'refused'
    where payment.rail = ${rail} and key = ${key} and coalesce(part.account, ${account}) = ${account}
      and (file.state = 'refused' or part.file_id is not null)
    order by file.id limit 1`

/** Writes down what the bank says of payments. */
export const updatePayments = (
  db: Atomic,
  rail: string,
  payments: readonly Pick<PaymentRow, 'key' | 'state' | 'code' | 'reason' | 'debited_by'>[],
  at: Date,
): void =>
  db.send`
    update iso20022_payments as known set state = now.state, code = now.code, reason = now.reason,
      debited_by = coalesce(known.debited_by, now.debited_by),
      ended_at = case when now.state in ('done', 'rejected') then coalesce(known.ended_at, ${at}) end
    from unnest(${payments.map(({ key }) => key)}::text[], ${payments.map(({ state }) => state)}::text[],
      ${payments.map(({ code }) => code)}::text[], ${payments.map(({ reason }) => reason)}::text[],
      ${payments.map((one) => one.debited_by)}::bigint[]) as now (key, state, code, reason, debited_by)
    where known.rail = ${rail} and known.key = now.key`

/** Writes down what the banks of payees say of their names. */
export const keepPayees = (
  db: Atomic,
  rail: string,
  payees: readonly { key: string; match: PayeeMatch; names: Buffer | null }[],
): void =>
  db.send`
    update iso20022_payments as known set payee_match = said.match, payee_names = coalesce(said.names, payee_names)
    from unnest(${payees.map(({ key }) => key)}::text[], ${payees.map(({ match }) => match)}::text[],
      ${payees.map(({ names }) => names)}::bytea[]) as said (key, match, names)
    where known.rail = ${rail} and known.key = said.key`

/** A payment that waits for a file. */
export type QueuedRow = { key: string; asset: string; amount: bigint; body: Buffer }

/** Payments that wait for a file since before a time, except those of some assets and those that were passed over, the oldest first. */
export const queuedPayments = (
  db: Db,
  rail: string,
  { before, except, passed, limit }: { before: Date; except: string[]; passed: string[]; limit: number },
): Promise<QueuedRow[]> =>
  db.sql`
    select key, asset, amount, body from iso20022_payments
    where rail = ${rail} and state = 'queued' and submitted_at <= ${before} and asset <> all(${except})
      and key <> all(${passed})
    order by submitted_at, key limit ${limit}`

/** A payment file that is about to leave. */
export type BatchRow = {
  rail: string
  messageId: string
  name: string
  checksum: string
  bytes: Buffer
  at: Date
}

/** Stores a payment file with its payments, each with the part of the file that holds it and the account that pays it. Gives how many it took. */
export const insertBatch = (
  db: Atomic,
  { rail, messageId, name, checksum, bytes, at }: BatchRow,
  payments: readonly { key: string; part: string; account: string }[],
): Promise<{ count: number }[]> =>
  db.sql`
    with batch as (
      insert into iso20022_batches (rail, message_id, name, checksum, bytes, created_at)
      values (${rail}, ${messageId}, ${name}, ${checksum}, ${bytes}, ${at}) returning id),
    taken as (
      update iso20022_payments as known set state = 'sent', batch_id = batch.id, part = chosen.part, account = chosen.account
      from batch, unnest(${payments.map(({ key }) => key)}::text[], ${payments.map(({ part }) => part)}::text[],
        ${payments.map(({ account }) => account)}::text[]) as chosen (key, part, account)
      where known.rail = ${rail} and known.key = chosen.key and known.state = 'queued' returning known.key)
    select count(*)::integer as count from taken`

/** A payment file that has not appeared in the bank's folder, as far as we know. */
export type UnsentBatch = {
  id: bigint
  name: string
  message_id: string
  bytes: Buffer
  staged_as: string | null
  assets: string[]
}

/** Payment files that have not left, the oldest first. */
export const unsentBatches = (db: Db, rail: string): Promise<UnsentBatch[]> =>
  db.sql`
    select id, name, message_id, bytes, staged_as,
      array(select distinct asset from iso20022_payments where batch_id = iso20022_batches.id) as assets
    from iso20022_batches where rail = ${rail} and sent_at is null order by id`

/** Fixes which temporary file becomes the payment file. Gives nothing where another one has been fixed. */
export const stageBatch = (db: Db, id: bigint, stagedAs: string): Promise<unknown[]> =>
  db.sql`
    update iso20022_batches set staged_as = ${stagedAs} where id = ${id} and staged_as is null and sent_at is null returning id`

/** Notes that a payment file has left. */
export const markSent = (db: Db, id: bigint, at: Date): Promise<unknown[]> =>
  db.sql`update iso20022_batches set sent_at = ${at} where id = ${id} and sent_at is null`
