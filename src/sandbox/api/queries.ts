import { type Db, one } from '../../platform/db/sql.ts'
import type { PayTo } from '../../rails/rail.ts'

/** Raises the stored offset of business time, never lowers it, and tells every process that it has changed. */
export const raiseOffset = async (db: Db, offsetMs: bigint): Promise<bigint> =>
  one(
    await db.sql<{ clock_offset_ms: bigint }>`
      update service_state set clock_offset_ms = greatest(clock_offset_ms, ${offsetMs}), version = version + 1
      returning clock_offset_ms`,
  ).clock_offset_ms

/** What a test customer needs to know of a transaction to pay for it; `reference` is null before the checkout is complete. */
export type Payable = {
  public_id: bigint
  checkout_token: string | null
  partner_id: bigint
  locale: string | null
  rail: string | null
  reference: string | null
  method: string | null
  pay_to: PayTo | null
  asset: string | null
  amount: bigint | null
  customer_id: bigint | null
  /** The person's key is gone. */
  is_erased: boolean
}

/** Reads what is to be paid for one of a partner's own transactions. */
export const payable = (db: Db, partnerId: bigint, publicId: bigint): Promise<Payable[]> =>
  db.sql`
    select public_id, checkout_token, partner_id, terms ->> 'locale' as locale, rail, reference, method, pay_to, asset, amount,
      wrapped is null as is_erased, customer_id
    from transactions
    join data_keys on data_keys.id = data_key_id
    left join deposit_instructions on transaction_id = transactions.id
    where public_id = ${publicId} and partner_id = ${partnerId}
    order by deposit_instructions.id desc nulls last limit 1`

/** The prepared payments of a partner's own transaction, the latest first. */
export const planned = (db: Db, partnerId: bigint, publicId: bigint): Promise<{ rail: string; plan_key: string }[]> =>
  db.sql`
    select plans.rail, plan_key from transactions
    join payouts on transaction_id = transactions.id join plans on plans.id = plan_id
    where public_id = ${publicId} and partner_id = ${partnerId}
    order by plans.id desc`

/** Which key encrypts what a transaction tells of its person. */
export const dataKeyOf = (db: Db, publicId: bigint): Promise<{ data_key_id: bigint }[]> =>
  db.sql`select data_key_id from transactions where public_id = ${publicId}`

/** A deposit without an owner, by the rail's id of its payment. */
export const strayDeposit = (db: Db, payment: string): Promise<{ id: bigint }[]> =>
  db.sql`select id from deposits where payment = ${payment} and transaction_id is null and state = 'final'`

/** The rail's id of the payment that came last for a transaction. */
export const lastDeposit = (db: Db, publicId: bigint): Promise<{ payment: string }[]> =>
  db.sql`
    select payment from deposits join transactions on transactions.id = transaction_id
    where public_id = ${publicId} and payment is not null order by deposits.id desc limit 1`

/** The payouts of a transaction that wait until there is enough to pay them out of. */
export const waitingPayouts = (db: Db, publicId: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    select payouts.id from payouts join transactions on transactions.id = transaction_id
    where public_id = ${publicId} and payouts.state = 'waiting'`
