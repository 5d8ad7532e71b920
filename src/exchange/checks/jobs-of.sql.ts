import type { Db } from '../../platform/db/sql.ts'

/** What is done for one transaction: rail events, payouts, plans, refunds and emails, by our ids of them. */
export const workFor = (
  db: Db,
  id: bigint,
): Promise<{ what: 'railEvent' | 'payout' | 'plan' | 'refund' | 'mail'; id: bigint }[]> =>
  db.sql`
    select 'railEvent' as what, rail_events.id from deposit_instructions join rail_events using (rail, reference) where transaction_id = ${id}
    union all select 'payout', id from payouts where transaction_id = ${id}
    union all select 'plan', plan_id from payouts where transaction_id = ${id} and plan_id is not null
    union all select 'refund', id from refunds where transaction_id = ${id}
    union all select 'mail', id from mails where transaction_id = ${id}`
