import type { Atomic, Db } from '../../platform/db/sql.ts'

/** Who a customer is: everything that partners know of one e-mail address whose owner has proven it, or what one partner knows. */
export type SamePerson = { ids: bigint[]; customerId: bigint | null }

/** The person behind a customer's id, as the rows of the person are. */
export async function samePerson(db: Db, id: bigint): Promise<SamePerson | undefined> {
  const rows = await db.sql<{ id: bigint; customerId: bigint | null }>`
    select same.id, same.customer_id as "customerId" from partner_customers as own
    join partner_customers as same on same.id = own.id or same.customer_id = own.customer_id
    where own.id = ${id} order by same.id`
  return rows[0] && { ids: rows.map((row) => row.id), customerId: rows[0].customerId }
}

/** Keeps others from changing what is kept of a person, until the block ends. */
export const lockPerson = (db: Atomic, { ids, customerId }: SamePerson): void => {
  db.send`select id from partner_customers where id = any(${ids}) order by id for update`
  db.send`select id from customers where id = ${customerId} for update`
}

/** A person's orders with whether something of each is still to come, the newest first. */
export const ordersOfPerson = (
  db: Db,
  { ids, customerId }: SamePerson,
): Promise<{ id: bigint; publicId: bigint; isOpen: boolean }[]> =>
  db.sql`
    select id, public_id as "publicId",
      status not in ('finished', 'refunded', 'expired', 'cancelled', 'failed')
      or exists (select from payouts where transaction_id = own.id and state in ('waiting', 'reserved', 'planned'))
      or exists (select from refunds where transaction_id = own.id and state in ('ordered', 'address_needed', 'sent'))
      or exists (
        select from deposits join disputes on deposit_id = deposits.id
        where deposits.transaction_id = own.id and disputes.state = 'opened') as "isOpen"
    from transactions as own
    where customer_id = ${customerId} or (customer_id is null and partner_customer_id = any(${ids}))
    order by id desc`

/** Erases the keys of everything personal of a person. Gives how many there were. */
export async function eraseKeys(db: Atomic, { ids, customerId }: SamePerson, at: Date): Promise<number> {
  const erased = await db.sql`
    with known as (
      select id from data_keys where owner = ${customerId}
      union select data_key_id from customers where id = ${customerId}
      union select data_key_id from partner_customers where id = any(${ids})
      union select data_key_id from identity_imports where partner_customer_id = any(${ids})
      union select data_key_id from customer_blocks where partner_customer_id = any(${ids})
      union select data_key_id from transactions
        where customer_id = ${customerId} or (customer_id is null and partner_customer_id = any(${ids})))
    update data_keys set wrapped = null, erased_at = ${at} from known
    where data_keys.id = known.id and wrapped is not null returning 1`
  return erased.length
}

/**
 * Removes what a person is found by: the hashes of the e-mail address, and the browsers and codes that prove it. A person who returns
 * with the same address is new. What limits and blocks are counted by stays.
 */
export function forgetPerson(db: Atomic, { ids, customerId }: SamePerson): void {
  db.send`
    delete from one_time_codes where email_hash in (
      select email_hash from customers where id = ${customerId}
      union select email_hash from partner_customers where id = any(${ids}))`
  db.send`delete from checkout_sessions where customer_id = ${customerId}`
  db.send`
    update partner_customers set email_hash = sha256(gen_random_uuid()::text::bytea), trigrams = '{}'
    where id = any(${ids})`
  db.send`update customers set email_hash = sha256(gen_random_uuid()::text::bytea) where id = ${customerId}`
}

/** The terms that a person has accepted, the newest first. */
export const consentsOf = (
  db: Db,
  { customerId }: SamePerson,
): Promise<{ publicId: bigint; terms: string; privacy: string; at: Date }[]> =>
  db.sql`
    select public_id as "publicId", terms_version as terms, privacy_version as privacy, at
    from accepted_terms join transactions on transactions.id = transaction_id
    where accepted_terms.customer_id = ${customerId} order by accepted_terms.id desc`
