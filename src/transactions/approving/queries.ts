import type { Atomic, Db } from '../../db/sql.ts'
import type { PayoutState } from '../../payouts/plan.ts'
import type { Status } from '../lifecycle.ts'

/** A payout that has not come to its end, with who has approved it, oldest first. */
export type OpenPayoutRow = {
  id: bigint
  public_id: bigint
  status: Status
  /** The name of the fact that moved its transaction last. */
  fact: string | null
  rail: string
  asset: string
  amount: bigint
  state: PayoutState
  ordered_at: Date
  approved_by: string[]
}

/** The oldest payouts that are not ended; `waiting`: only those that wait for an approval. */
export const openPayouts = (
  db: Db,
  { waiting, limit }: { waiting: boolean; limit: number },
): Promise<OpenPayoutRow[]> =>
  db.sql`
    select payouts.id, public_id, transactions.status, last.fact, rail, asset, amount, state, ordered_at,
      array(select email from payout_approvals join operators on operators.id = operator_id
        where payout_id = payouts.id order by approved_at) as approved_by
    from payouts
    join transactions on transactions.id = transaction_id
    left join lateral (
      select fact from moves where moves.transaction_id = transactions.id order by number desc limit 1) as last on true
    where purpose = 'payout' and state in ('waiting', 'reserved', 'planned', 'unknown')
      and (not ${waiting}::boolean or (transactions.status = 'on_hold' and last.fact like 'payout\\_held:%'))
    order by payouts.id limit ${limit}`

/** The payout with this id, or the last one of the transaction with this public id. */
export const payoutFor = (db: Db, id: bigint): Promise<{ id: bigint; transaction_id: bigint }[]> =>
  db.sql`
    select payouts.id, transaction_id from payouts left join transactions on transactions.id = transaction_id
    where purpose = 'payout' and (payouts.id = ${id} or public_id = ${id})
    order by payouts.id desc limit 1`

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
