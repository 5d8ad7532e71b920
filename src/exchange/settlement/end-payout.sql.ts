import type { Db } from '../../platform/db/sql.ts'
import type { PayoutState } from './payout.ts'
import type { PreparedState } from './prepared-payment.ts'

/** A payout, and its prepared payment where there is one. */
export type PayoutRow = {
  id: bigint
  public_id: bigint | null
  rail: string
  asset: string
  amount: bigint
  state: PayoutState
  plan_id: bigint | null
  plan_key: string | null
  plan_state: PreparedState | null
  data_key_id: bigint | null
  wrapped_key: Buffer | null
  body: Buffer | null
}

export const payoutsById = (db: Db, ids: readonly bigint[]): Promise<PayoutRow[]> =>
  db.sql`
    select payouts.id, public_id, payouts.rail, payouts.asset, payouts.amount, payouts.state, plan_id, plan_key,
      plans.state as plan_state, plans.data_key_id, wrapped as wrapped_key, body
    from payouts
    left join transactions on transactions.id = transaction_id
    left join plans on plans.id = plan_id
    left join data_keys on data_keys.id = plans.data_key_id
    where payouts.id = any(${ids}) order by payouts.id`

/** Prepared payments whose end somebody has asked for. */
export const wantedToEnd = (db: Db): Promise<{ id: bigint }[]> =>
  db.sql`
    select distinct payouts.id from approvals join payouts on payouts.id::text = subject
    where kind = 'payout_end' and payouts.state = 'planned'`

/** Prepared payments of an order: its payout and its refunds. */
export const plannedOf = (db: Db, order: bigint): Promise<{ id: bigint }[]> =>
  db.sql`
    with owner as (select id from transactions where public_id = ${order})
    select payouts.id from owner join payouts on transaction_id = owner.id where payouts.state = 'planned'
    union
    select payouts.id from owner join refunds on refunds.transaction_id = owner.id join payouts on refund_id = refunds.id
    where payouts.state = 'planned'`

/** The payouts of an order that were ever prepared, by its id. */
export const preparedOf = (db: Db, id: bigint): Promise<{ id: bigint }[]> =>
  db.sql`select id from payouts where transaction_id = ${id} and plan_id is not null order by id`
