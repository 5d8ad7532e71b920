import type { Atomic, Db } from '../../platform/db/sql.ts'

/** Orders that wait for the identity of a partner's customer, or of the same person at another partner. */
export const waitingFor = (db: Db, partnerCustomerId: bigint): Promise<{ publicId: bigint }[]> =>
  db.sql`
    select transactions.public_id as "publicId"
    from partner_customers join transactions on transactions.customer_id = partner_customers.customer_id
    where partner_customers.id = ${partnerCustomerId} and status = 'waiting_for_customer'
      and status_details = 'kyc_required' order by transactions.id`

/** Locks a partner's customer until the block ends; no row if its status has changed since. */
export const lockStanding = (db: Atomic, partnerCustomerId: bigint, changes: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from partner_customers where id = ${partnerCustomerId} and events = ${changes} for no key update`
