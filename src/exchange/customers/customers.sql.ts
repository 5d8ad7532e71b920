import type { Atomic, Db } from '../../platform/db/sql.ts'

/** A partner customer with what it is found by. */
export type PartnerCustomerRow = {
  partnerId: bigint
  emailHash: Buffer
  id: bigint
  dataKeyId: bigint
  customerId: bigint | null
}

/** The partner customers of some (partner, e-mail) pairs; unknown ones are missing. */
export const findPartnerCustomers = (
  db: Db,
  wanted: { partnerId: bigint; hash: Buffer }[],
): Promise<PartnerCustomerRow[]> =>
  db.sql`
    select partner_id as "partnerId", email_hash as "emailHash", id, data_key_id as "dataKeyId", customer_id as "customerId"
    from partner_customers
    join unnest(${wanted.map((one) => one.partnerId)}::bigint[], ${wanted.map((one) => one.hash)}::bytea[])
      as wanted (partner, hash) on partner_id = partner and email_hash = hash`

/** A partner customer to be written; `personal` is sealed with the data key. */
export type NewPartnerCustomer = {
  id: bigint
  partnerId: bigint
  emailHash: Buffer
  dataKeyId: bigint
  personal: Buffer
  createdAt: Date
}

/** Writes partner customers and gives those that were not there yet. Waits for a block that is writing the same one. */
export const insertPartnerCustomers = (db: Atomic, rows: NewPartnerCustomer[]): Promise<PartnerCustomerRow[]> =>
  db.sql`
    insert into partner_customers (id, partner_id, email_hash, data_key_id, personal, created_at)
    select * from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.partnerId)}::bigint[],
      ${rows.map((row) => row.emailHash)}::bytea[], ${rows.map((row) => row.dataKeyId)}::bigint[],
      ${rows.map((row) => row.personal)}::bytea[], ${rows.map((row) => row.createdAt.toISOString())}::timestamptz[])
    on conflict (partner_id, email_hash) do nothing
    returning partner_id as "partnerId", email_hash as "emailHash", id, data_key_id as "dataKeyId",
      customer_id as "customerId"`

/** Ties what a partner knows of an e-mail address to the customer who proved it. */
export const linkPartnerCustomer = (db: Atomic, id: bigint, customerId: bigint): void =>
  db.send`
    update partner_customers set customer_id = ${customerId}
    where id = ${id} and customer_id is distinct from ${customerId}`

/** A customer and the key of their data. */
export type CustomerRow = { id: bigint; dataKeyId: bigint }

/** The customer with this e-mail address. */
export const findCustomer = (db: Db, hash: Buffer): Promise<CustomerRow[]> =>
  db.sql`select id, data_key_id as "dataKeyId" from customers where email_hash = ${hash}`

/** A customer to be written; `personal` is sealed with the data key. */
export type NewCustomer = { id: bigint; emailHash: Buffer; dataKeyId: bigint; personal: Buffer; createdAt: Date }

/** Writes a customer, unless there is one with this e-mail address. Waits for a block that is writing the same one. */
export const insertCustomer = (db: Atomic, row: NewCustomer): Promise<CustomerRow[]> =>
  db.sql`
    insert into customers (id, email_hash, data_key_id, personal, created_at)
    values (${row.id}, ${row.emailHash}, ${row.dataKeyId}, ${row.personal}, ${row.createdAt})
    on conflict (email_hash) do nothing
    returning id, data_key_id as "dataKeyId"`

/**
 * Waits until nobody else sends or checks codes for this transaction or this e-mail address, and keeps others out until
 * the block ends. Always in this order, so that two blocks cannot wait for each other.
 */
export const lockCodes = (db: Atomic, { transactionId, emailHash }: CodeKey): void =>
  db.send`select pg_advisory_xact_lock(${transactionId}), pg_advisory_xact_lock(${emailHash.readBigInt64BE()})`

/** What a code is for; `toHash` is the address as e-mails and bounces know it. */
export type CodeKey = { transactionId: bigint; emailHash: Buffer; toHash: Buffer }

/** A stored code. `hash` is null once it is used; `sent` counts today's e-mails. */
export type CodeRow = { hash: Buffer | null; expiresAt: Date; tries: number; sent: number; sentAt: Date }

/** The code for an e-mail address of a transaction, if one was ever sent. */
export const findCode = (db: Db, { transactionId, emailHash }: CodeKey): Promise<CodeRow[]> =>
  db.sql`
    select code_hash as hash, expires_at as "expiresAt", tries, sent, sent_at as "sentAt"
    from one_time_codes where transaction_id = ${transactionId} and email_hash = ${emailHash}`

/** How many codes were sent for a transaction since a time. */
export const countSent = (db: Db, transactionId: bigint, since: Date): Promise<{ sent: bigint }[]> =>
  db.sql`
    select coalesce(sum(sent), 0)::bigint as sent from one_time_codes
    where transaction_id = ${transactionId} and counted_since > ${since}`

/** A code to be stored. `sentAt` and `countSince` are real time, `expiresAt` business time. */
export type NewCode = CodeKey & { hash: Buffer; expiresAt: Date; sentAt: Date; countSince: Date }

/** Replaces the code. Counts from before `countSince` are reset. */
export const replaceCode = (db: Atomic, code: NewCode): void =>
  db.send`
    insert into one_time_codes as known
      (transaction_id, email_hash, code_hash, expires_at, sent_at, counted_since)
    values (${code.transactionId}, ${code.emailHash}, ${code.hash}, ${code.expiresAt}, ${code.sentAt}, ${code.sentAt})
    on conflict (transaction_id, email_hash) do update set
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0, sent_at = excluded.sent_at,
      sent = case when known.counted_since > ${code.countSince} then known.sent + 1 else 1 end,
      counted_since = case when known.counted_since > ${code.countSince} then known.counted_since
        else excluded.counted_since end`

/** Counts a wrong guess at a code. */
export const countTry = (db: Atomic, { transactionId, emailHash }: CodeKey): void =>
  db.send`
    update one_time_codes set tries = tries + 1
    where transaction_id = ${transactionId} and email_hash = ${emailHash}`

/** Uses a code up: a right guess counts once. */
export const useUp = (db: Atomic, { transactionId, emailHash }: CodeKey): void =>
  db.send`
    update one_time_codes set code_hash = null
    where transaction_id = ${transactionId} and email_hash = ${emailHash}`

/** A browser in which an e-mail address was proven. `createdAt` is real time. */
export type NewSession = { tokenHash: Buffer; transactionId: bigint; customerId: bigint; createdAt: Date }

/** Writes a session and forgets those that ended before `endedBefore`. */
export const insertSession = (db: Atomic, session: NewSession, endedBefore: Date): void => {
  db.send`delete from checkout_sessions where created_at < ${endedBefore}`
  db.send`
    insert into checkout_sessions (token_hash, transaction_id, customer_id, created_at)
    values (${session.tokenHash}, ${session.transactionId}, ${session.customerId}, ${session.createdAt})`
}

/** Whether a customer has proven the address of a transaction in some browser since. */
export async function hasSession(
  db: Db,
  { transactionId, customerId, since }: { transactionId: bigint; customerId: bigint; since: Date },
): Promise<boolean> {
  const rows = await db.sql`
    select from checkout_sessions
    where transaction_id = ${transactionId} and customer_id = ${customerId} and created_at > ${since} limit 1`
  return rows.length > 0
}

/** The customer who proved an address in the browser that holds this token, and the address's hash. */
export const findSession = (
  db: Db,
  { tokenHash, transactionId, since }: { tokenHash: Buffer; transactionId: bigint; since: Date },
): Promise<{ customerId: bigint; emailHash: Buffer }[]> =>
  db.sql`
    select customers.id as "customerId", customers.email_hash as "emailHash"
    from checkout_sessions join customers on customers.id = customer_id
    where token_hash = ${tokenHash} and transaction_id = ${transactionId} and checkout_sessions.created_at > ${since}`

/** Marks a customer whose payment was taken back after we had exchanged it. */
export const markChargeback = (db: Atomic, customerId: bigint): void =>
  db.send`update customers set chargebacks = chargebacks + 1 where id = ${customerId}`

/** Takes one such mark off a customer: it was not theirs. */
export const unmarkChargeback = (db: Atomic, customerId: bigint): void =>
  db.send`update customers set chargebacks = greatest(chargebacks - 1, 0) where id = ${customerId}`

/** What is kept of a person, sealed, and the wrapped key to it (null once erased). */
export type PersonRow = { id: bigint; personal: Buffer; dataKeyId: bigint; wrapped: Buffer | null }

/** Keeps others from changing what is kept, until the block ends. In one order, so that two blocks cannot wait for each other. */
export const lockPartnerCustomers = (db: Atomic, ids: bigint[]): void =>
  db.send`select id from partner_customers where id = any(${ids}) order by id for no key update`

/** The same for a customer. */
export const lockCustomer = (db: Atomic, id: bigint): void =>
  db.send`select id from customers where id = ${id} for no key update`

/** What partners passed, with the customer who has proven the address. */
export const readPartnerCustomers = (db: Db, ids: bigint[]): Promise<(PersonRow & { customerId: bigint | null })[]> =>
  db.sql`
    select partner_customers.id, personal, data_key_id as "dataKeyId", wrapped, customer_id as "customerId"
    from partner_customers join data_keys on data_keys.id = data_key_id
    where partner_customers.id = any(${ids})`

/** What a customer has proved or typed. */
export const readCustomer = (db: Db, id: bigint): Promise<PersonRow[]> =>
  db.sql`
    select customers.id, personal, data_key_id as "dataKeyId", wrapped
    from customers join data_keys on data_keys.id = data_key_id
    where customers.id = ${id}`

/** Both, in one look: what one partner passed, and the customer's own. */
export const readPersons = (
  db: Db,
  partnerCustomerId: bigint | null,
  customerId: bigint,
): Promise<(PersonRow & { isOwn: boolean })[]> =>
  db.sql`
    select partner_customers.id, personal, data_key_id as "dataKeyId", wrapped, false as "isOwn"
    from partner_customers join data_keys on data_keys.id = data_key_id
    where partner_customers.id = ${partnerCustomerId}
    union all
    select customers.id, personal, data_key_id, wrapped, true
    from customers join data_keys on data_keys.id = data_key_id
    where customers.id = ${customerId}`

/** What is to be kept, sealed with the key that is named. */
export type StoredPerson = { id: bigint; personal: Buffer; dataKeyId: bigint }

/** Keeps what partners passed. */
export const keepPartnerCustomers = (db: Atomic, rows: StoredPerson[]): void =>
  db.send`
    update partner_customers set personal = new.personal, data_key_id = new.data_key_id
    from unnest(
      ${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.personal)}::bytea[],
      ${rows.map((row) => row.dataKeyId)}::bigint[]) as new (id, personal, data_key_id)
    where partner_customers.id = new.id`

/** Keeps what a customer has typed. */
export const keepCustomer = (db: Atomic, { id, personal, dataKeyId }: StoredPerson): void =>
  db.send`update customers set personal = ${personal}, data_key_id = ${dataKeyId} where id = ${id}`
