import type { Db } from '../../db/sql.ts'
import type { Status } from '../lifecycle.ts'
import type { StatusDetails } from '../transaction.ts'

/** What is done for one transaction: facts, payouts, plans and letters, by our ids of them. */
export const workFor = (db: Db, id: bigint): Promise<{ what: 'fact' | 'payout' | 'plan' | 'mail'; id: bigint }[]> =>
  db.sql`
    select 'fact' as what, facts.id from deposit_instructions join facts using (rail, reference) where transaction_id = ${id}
    union all select 'payout', id from payouts where transaction_id = ${id}
    union all select 'plan', plan_id from payouts where transaction_id = ${id} and plan_id is not null
    union all select 'mail', id from mails where transaction_id = ${id}`

/** The public ids of transactions. */
export const publicIds = (db: Db, ids: bigint[]): Promise<{ id: bigint; public_id: bigint }[]> =>
  db.sql`select id, public_id from transactions where id = any(${ids})`

/** A transaction that should have moved on, with the payout that it waits for, if any. */
export type RestingRow = {
  public_id: bigint
  status: Status
  status_details: StatusDetails | null
  since: Date
  expires_at: Date
  rail: string | null
  plan_state: string | null
}

/**
 * Transactions that have been in a status since before the time that goes with it, and those whose deadline lies before
 * `lateBefore` and which it should have ended; the longest first. Of ended transactions only the status is looked at.
 */
export const resting = (
  db: Db,
  { before, open, lateBefore, limit }: { before: [Status, Date][]; open: Status[]; lateBefore: Date; limit: number },
): Promise<RestingRow[]> =>
  db.sql`
    select public_id, transactions.status, status_details, since, expires_at, payout.rail, payout.plan_state
    from transactions
    cross join lateral (
      select at as since from moves where transaction_id = transactions.id order by number desc limit 1) as entered
    left join unnest(${before.map(([status]) => status)}::text[], ${before.map(([, at]) => at.toISOString())}::timestamptz[])
      as allowed (status, before) on allowed.status = transactions.status
    left join lateral (
      select payouts.rail, plans.state as plan_state from payouts left join plans on plans.id = plan_id
      where transaction_id = transactions.id order by payouts.id desc limit 1) as payout on true
    where transactions.status = any(${[...open, ...before.map(([status]) => status)]})
      and (since < allowed.before or (transactions.status = any(${open}) and expires_at < ${lateBefore}))
    order by since, transactions.id limit ${limit}`
