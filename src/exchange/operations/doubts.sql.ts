import type { Db } from '../../platform/db/sql.ts'

/** Breaks about bookings that their statements lack: the open ones, and those that a person has explained. */
export const breaksOfBookings = (
  db: Db,
  rail: string,
  payments: readonly string[],
): Promise<{ id: bigint; payment: string; state: 'open' | 'resolved' }[]> =>
  db.sql`
    select id, substr(key, 9) as payment, state from breaks
    where account = ${rail} and kind = 'statement' and state in ('open', 'resolved')
      and key = any(${payments.map((payment) => `booking ${payment}`)}::text[]) order by id`

/** The orders that payments belong to. */
export const ordersOfPayments = (
  db: Db,
  rail: string,
  payments: readonly string[],
): Promise<{ payment: string; transaction_id: bigint }[]> =>
  db.sql`
    select payment, public_id as transaction_id from deposits join transactions on transactions.id = transaction_id
    where deposits.rail = ${rail} and payment = any(${[...payments]}::text[])`
