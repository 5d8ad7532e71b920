import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayoutState } from './payout.ts'
import type { Status } from '../transactions/lifecycle.ts'

/** A payout or refund that has not come to its end, with who has approved it, oldest first. */
export type OpenPayoutRow = {
  id: bigint
  /** Its transaction; null where money from suspense goes back. */
  public_id: bigint | null
  purpose: 'payout' | 'refund'
  status: Status | null
  rail: string
  asset: string
  amount: bigint
  state: PayoutState
  ordered_at: Date
  approved_by: string[]
  /** It waits for an approval, and for nothing that came later. */
  waits: boolean
}

/** The oldest payouts and refunds that are not ended; `waiting`: only those that wait for an approval. */
export const openPayouts = (
  db: Db,
  { waiting, limit }: { waiting: boolean; limit: number },
): Promise<OpenPayoutRow[]> =>
  db.sql`
    select payouts.id, public_id, purpose, transactions.status, rail, payouts.asset, payouts.amount, payouts.state,
      payouts.ordered_at, payout_waits.waits,
      array(select email from payout_approvals join operators on operators.id = operator_id
        where payout_id = payouts.id order by approved_at) as approved_by
    from payouts
    join payout_waits using (id)
    left join transactions on transactions.id = payouts.transaction_id
    where payouts.state in ('waiting', 'reserved', 'planned') and (not ${waiting}::boolean or waits)
    order by payouts.id limit ${limit}`

/** A payout or refund that was found, and whether it waits for an approval. */
export type FoundRow = { id: bigint; transaction_id: bigint | null; refund_id: bigint | null; waits: boolean }

/** The payout or refund with this id, or those of the transaction with this public id, the newest first. */
export const payoutsFor = (db: Db, id: bigint): Promise<FoundRow[]> =>
  db.sql`
    select payouts.id, transaction_id, refund_id, waits
    from payouts join payout_waits using (id) left join transactions on transactions.id = transaction_id
    where payouts.id = ${id} or public_id = ${id} order by payouts.id desc`

/** Locks a payout, and tells whether it waits for an approval now. */
export async function lockPayout(db: Atomic, id: bigint): Promise<{ id: bigint; waits: boolean }[]> {
  db.send`select from payouts where id = ${id} for update`
  return db.sql`select id, waits from payout_waits where id = ${id}`
}

/** Writes down since when the payout of a refund waits for approvals. */
export const askApproval = (db: Atomic, payoutId: bigint, at: Date): void =>
  db.send`update payouts set approval_asked_at = ${at} where id = ${payoutId} and approval_asked_at is null`

/** Writes down that the payout of a refund waits no more. */
export const endAsking = (db: Atomic, payoutId: bigint): void =>
  db.send`update payouts set approval_asked_at = null where id = ${payoutId}`

/** Writes an approval down. Gives nothing if this operator has approved this payout before. */
export const insertApproval = (
  db: Atomic,
  { payoutId, operatorId, at }: { payoutId: bigint; operatorId: bigint; at: Date },
): Promise<unknown[]> =>
  db.sql`
    insert into payout_approvals (payout_id, operator_id, approved_at) values (${payoutId}, ${operatorId}, ${at})
    on conflict do nothing returning payout_id`

/** How many different operators have approved each of these payouts; none is left out. */
export const approvals = (db: Db, payoutIds: bigint[]): Promise<{ payout_id: bigint; count: bigint }[]> =>
  db.sql`
    select payout_id, count(*) from payout_approvals where payout_id = any(${payoutIds}) group by payout_id`
