import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Status } from './lifecycle.ts'
import type { StatusChange, Subject } from './status-history.ts'
import type { RefundState, StatusDetails } from './transaction.ts'

/** A transaction as the database keeps it, with its quote, its history and its wrapped data key. */
export type TransactionRow = {
  id: bigint
  public_id: bigint
  checkout_token: string | null
  partner_id: bigint
  kind: 'retail' | 'b2b'
  payout_address_id: bigint | null
  side: 'buy' | 'sell' | 'swap'
  status: Status
  status_details: StatusDetails | null
  from_asset: string
  to_asset: string
  expected_from: bigint
  expected_to: bigint
  initial_expected_from: bigint | null
  from_amount: bigint
  from_amount_in_eur: bigint | null
  to_amount: bigint | null
  deposit_method: string
  payout_method: string
  country: string | null
  quote_number: number
  quote: unknown
  status_changes: number
  events: number
  history: StatusChangeJson[] | null
  refunds: RefundJson[] | null
  errors: unknown
  terms: unknown
  external_partner_link_id: string | null
  output_hash: string | null
  partner_customer_id: bigint | null
  customer_id: bigint | null
  data_key_id: bigint
  wrapped_key: Buffer | null
  personal: Buffer
  quote_expires_at: Date
  expires_at: Date
  created_at: Date
  updated_at: Date
}

/** A status change as a transaction is read with it. */
export type StatusChangeJson = Omit<StatusChange, 'subjectId' | 'at'> & { subjectId: string | null; at: string }

/** A refund as a transaction is read with it. Amounts are decimal text of smallest units. */
export type RefundJson = {
  id: string
  asset: string
  amount: string
  cost: string
  reason: string
  state: RefundState
  plan: string | null
  hash: string | null
}

/**
 * Locks transactions until the block ends, in the order of their ids, so that two blocks cannot wait for each other. A
 * separate statement after it reads the latest state.
 */
export const lock = (db: Atomic, ids: bigint[]): void =>
  db.send`select id from transactions where id = any(${ids}) order by id for update`

/** The same by public id. */
export const lockPublic = (db: Atomic, publicIds: bigint[]): void =>
  db.send`select id from transactions where public_id = any(${publicIds}) order by id for update`

/** Reads transactions whole. */
export const read = (db: Db, ids: bigint[]): Promise<TransactionRow[]> =>
  db.sql`
    select transactions.*, quote, wrapped as wrapped_key,
      (select history from transaction_histories where transaction_id = transactions.id) as history,
      (select refunds from transaction_refunds where transaction_id = transactions.id) as refunds
    from transactions
    join quotes on quotes.transaction_id = transactions.id and quotes.number = quote_number
    join data_keys on data_keys.id = data_key_id
    where transactions.id = any(${ids}) order by transactions.id`

/** The same by public id. */
export const readPublic = (db: Db, publicIds: bigint[]): Promise<TransactionRow[]> =>
  db.sql`
    select transactions.*, quote, wrapped as wrapped_key,
      (select history from transaction_histories where transaction_id = transactions.id) as history,
      (select refunds from transaction_refunds where transaction_id = transactions.id) as refunds
    from transactions
    join quotes on quotes.transaction_id = transactions.id and quotes.number = quote_number
    join data_keys on data_keys.id = data_key_id
    where public_id = any(${publicIds}) order by transactions.id`

/** The columns of a transaction that may change after its creation. */
export type Changed = {
  id: bigint
  status: Status
  statusDetails: StatusDetails | null
  expectedFrom: bigint
  expectedTo: bigint
  initialExpectedFrom: bigint | null
  payoutAddressId: bigint | null
  fromAmountInEur: bigint | null
  fromAmount: bigint
  toAmount: bigint | null
  country: string | null
  depositMethod: string
  quoteNumber: number
  statusChanges: number
  events: number
  errors: string
  outputHash: string | null
  partnerCustomerId: bigint | null
  customerId: bigint | null
  personal: Buffer
  quoteExpiresAt: Date
  expiresAt: Date
  updatedAt: Date
}

/** Writes changed transactions: the one statement that updates their status. */
export const save = (db: Atomic, changed: Changed[]): void =>
  db.send`
    update transactions set
      status = new.status, status_details = new.status_details, expected_from = new.expected_from,
      expected_to = new.expected_to, from_amount = new.from_amount, to_amount = new.to_amount, country = new.country,
      deposit_method = new.deposit_method,
      initial_expected_from = new.initial_expected_from, payout_address_id = new.payout_address_id,
      from_amount_in_eur = new.from_amount_in_eur,
      quote_number = new.quote_number, status_changes = new.status_changes, events = new.events, errors = new.errors,
      output_hash = new.output_hash, partner_customer_id = new.partner_customer_id, customer_id = new.customer_id,
      personal = new.personal, quote_expires_at = new.quote_expires_at, expires_at = new.expires_at,
      updated_at = new.updated_at
    from unnest(
      ${changed.map((row) => row.id)}::bigint[], ${changed.map((row) => row.status)}::text[],
      ${changed.map((row) => row.statusDetails)}::text[], ${changed.map((row) => row.expectedFrom)}::numeric[],
      ${changed.map((row) => row.expectedTo)}::numeric[], ${changed.map((row) => row.fromAmount)}::numeric[],
      ${changed.map((row) => row.toAmount)}::numeric[], ${changed.map((row) => row.country)}::text[],
      ${changed.map((row) => row.depositMethod)}::text[],
      ${changed.map((row) => row.initialExpectedFrom)}::numeric[], ${changed.map((row) => row.payoutAddressId)}::bigint[],
      ${changed.map((row) => row.fromAmountInEur)}::numeric[],
      ${changed.map((row) => row.quoteNumber)}::integer[], ${changed.map((row) => row.statusChanges)}::integer[],
      ${changed.map((row) => row.events)}::integer[], ${changed.map((row) => row.errors)}::jsonb[],
      ${changed.map((row) => row.outputHash)}::text[], ${changed.map((row) => row.partnerCustomerId)}::bigint[],
      ${changed.map((row) => row.customerId)}::bigint[], ${changed.map((row) => row.personal)}::bytea[],
      ${changed.map((row) => row.quoteExpiresAt.toISOString())}::timestamptz[],
      ${changed.map((row) => row.expiresAt.toISOString())}::timestamptz[],
      ${changed.map((row) => row.updatedAt.toISOString())}::timestamptz[]
    ) as new (id, status, status_details, expected_from, expected_to, from_amount, to_amount, country, deposit_method,
      initial_expected_from, payout_address_id, from_amount_in_eur, quote_number, status_changes, events, errors, output_hash,
      partner_customer_id, customer_id, personal, quote_expires_at, expires_at, updated_at)
    where transactions.id = new.id`

/** A new transaction; what `Changed` has not. */
export type Created = Changed & {
  publicId: bigint
  checkoutToken: string | null
  partnerId: bigint
  kind: string
  side: string
  fromAsset: string
  toAsset: string
  payoutMethod: string
  terms: string
  externalPartnerLinkId: string | null
  dataKeyId: bigint
  createdAt: Date
}

/** Writes new transactions. */
export const insert = (db: Atomic, rows: Created[]): void =>
  db.send`
    insert into transactions (id, public_id, checkout_token, partner_id, kind, payout_address_id, side, status, from_asset, to_asset, expected_from, expected_to,
      from_amount_in_eur, deposit_method, payout_method, country, status_changes, events, terms, external_partner_link_id,
      partner_customer_id, data_key_id, personal, quote_expires_at, expires_at, created_at, updated_at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.publicId)}::bigint[],
      ${rows.map((row) => row.checkoutToken)}::text[],
      ${rows.map((row) => row.partnerId)}::bigint[], ${rows.map((row) => row.kind)}::text[],
      ${rows.map((row) => row.payoutAddressId)}::bigint[], ${rows.map((row) => row.side)}::text[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.fromAsset)}::text[],
      ${rows.map((row) => row.toAsset)}::text[], ${rows.map((row) => row.expectedFrom)}::numeric[],
      ${rows.map((row) => row.expectedTo)}::numeric[], ${rows.map((row) => row.fromAmountInEur)}::numeric[],
      ${rows.map((row) => row.depositMethod)}::text[], ${rows.map((row) => row.payoutMethod)}::text[],
      ${rows.map((row) => row.country)}::text[], ${rows.map((row) => row.statusChanges)}::integer[],
      ${rows.map((row) => row.events)}::integer[], ${rows.map((row) => row.terms)}::jsonb[],
      ${rows.map((row) => row.externalPartnerLinkId)}::text[], ${rows.map((row) => row.partnerCustomerId)}::bigint[],
      ${rows.map((row) => row.dataKeyId)}::bigint[], ${rows.map((row) => row.personal)}::bytea[],
      ${rows.map((row) => row.quoteExpiresAt.toISOString())}::timestamptz[],
      ${rows.map((row) => row.expiresAt.toISOString())}::timestamptz[],
      ${rows.map((row) => row.createdAt.toISOString())}::timestamptz[],
      ${rows.map((row) => row.updatedAt.toISOString())}::timestamptz[])`

/** One quote of a transaction, as text, whole, with the stamp of the service. */
export type QuoteRow = { transactionId: bigint; number: number; validUntil: Date; quote: string; stamp: Buffer }

/** Keeps quotes, for ever. */
export const insertQuotes = (db: Atomic, rows: QuoteRow[]): void =>
  db.send`
    insert into quotes (transaction_id, number, valid_until, quote, stamp)
    select * from unnest(
      ${rows.map((row) => row.transactionId)}::bigint[], ${rows.map((row) => row.number)}::integer[],
      ${rows.map((row) => row.validUntil.toISOString())}::timestamptz[], ${rows.map((row) => row.quote)}::json[],
      ${rows.map((row) => row.stamp)}::bytea[])`

/** One entry of a transaction's status history. */
export type StatusChangeRow = StatusChange & { transactionId: bigint; number: number; subject: Subject | null }

/** Adds to the status history. What happens once, and has happened, fails the block. */
export const insertStatusChanges = (db: Atomic, rows: StatusChangeRow[]): void =>
  db.send`
    insert into status_history (transaction_id, number, kind, subject, subject_id, occurrence, status, reason, at)
    select * from unnest(
      ${rows.map((row) => row.transactionId)}::bigint[], ${rows.map((row) => row.number)}::integer[],
      ${rows.map((row) => row.kind)}::text[], ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.subjectId)}::bigint[], ${rows.map((row) => row.occurrence)}::integer[],
      ${rows.map((row) => row.status)}::text[], ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.at.toISOString())}::timestamptz[])`

/** The public id behind a checkout link: by its token, or by the id where the transaction was created without a token. */
export async function publicIdByLink(db: Db, link: { token: string; id: bigint | null }): Promise<bigint | undefined> {
  const rows = await db.sql<{ public_id: bigint }>`
    select public_id from transactions where checkout_token = ${link.token}
    union all
    select public_id from transactions where public_id = ${link.id}::bigint and checkout_token is null`
  return rows[0]?.public_id
}

/** A partner's transaction, whole; nothing for another partner's. */
export const readOwn = (db: Db, partnerId: bigint, publicId: bigint): Promise<TransactionRow[]> =>
  db.sql`
    select transactions.*, quote, wrapped as wrapped_key,
      (select history from transaction_histories where transaction_id = transactions.id) as history,
      (select refunds from transaction_refunds where transaction_id = transactions.id) as refunds
    from transactions
    join quotes on quotes.transaction_id = transactions.id and quotes.number = quote_number
    join data_keys on data_keys.id = data_key_id
    where public_id = ${publicId} and partner_id = ${partnerId}`

/** What is personal of a customer's latest transactions, one left out. */
export const personalOfCustomer = (
  db: Db,
  customerId: bigint,
  exceptId: bigint,
  limit: number,
): Promise<{ public_id: bigint; data_key_id: bigint; wrapped_key: Buffer | null; personal: Buffer }[]> =>
  db.sql`
    select public_id, data_key_id, wrapped as wrapped_key, personal
    from transactions join data_keys on data_keys.id = data_key_id
    where customer_id = ${customerId} and transactions.id <> ${exceptId}
    order by transactions.id desc limit ${limit}`

/** The latest finished orders of a customer that paid the same asset out by the same method. */
export const paidOutTo = (
  db: Db,
  { customerId, toAsset, payoutMethod }: { customerId: bigint; toAsset: string; payoutMethod: string },
  limit: number,
): Promise<{ public_id: bigint; data_key_id: bigint; wrapped_key: Buffer | null; personal: Buffer }[]> =>
  db.sql`
    select public_id, data_key_id, wrapped as wrapped_key, personal
    from transactions join data_keys on data_keys.id = data_key_id
    where customer_id = ${customerId} and status = 'finished' and to_asset = ${toAsset} and payout_method = ${payoutMethod}
    order by transactions.id desc limit ${limit}`

/** Every quote of a transaction, in order. */
export const quotesOf = (db: Db, publicId: bigint): Promise<{ number: number; quote: unknown }[]> =>
  db.sql`
    select number, quote from quotes join transactions on transactions.id = transaction_id
    where public_id = ${publicId} order by number`
