import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayablePayout, PayoutState } from './payout.ts'
import type { Status } from '../transactions/lifecycle.ts'

/** A payout with its destination, sealed with the key that `data_key_id` names. */
export type SealedPayout = Omit<PayablePayout, 'dataKey' | 'state' | 'fee_asset' | 'most_fee'> & { data_key_id: bigint }

/** A payout or refund that has not come to its end. */
export type OpenPayoutRow = SealedPayout & {
  /** Its transaction; null where money from suspense goes back. */
  public_id: bigint | null
  status: Status | null
  state: PayoutState
  ordered_at: Date
  /** Why it is ordered: a refund's reason. */
  reason: string | null
  /** Which operator has ordered it, as the audit names actors; null where the exchange itself or the customer has. */
  ordered_by: string | null
  /** Why that operator has. */
  ordered_because: string | null
  /** Its key is there: nobody erased its customer. */
  is_readable: boolean
  /** It waits for an approval, and for nothing that came later. */
  waits: boolean
}

/** The oldest payouts and refunds that are not ended; `waiting`: only those that wait for an approval. */
export const openPayouts = (
  db: Db,
  { waiting, limit }: { waiting: boolean; limit: number },
): Promise<OpenPayoutRow[]> =>
  db.sql`
    select payouts.id, payouts.transaction_id, transactions.public_id, purpose, number, transactions.status, rail, place, payouts.asset, payouts.amount,
      payouts.state, destination, payouts.data_key_id, wrapped is not null as is_readable, payouts.ordered_at, payout_waits.waits,
      refunds.reason, audited.actor as ordered_by, audited.after ->> 'reason' as ordered_because
    from payouts
    join payout_waits using (id)
    left join refunds on refunds.id = payouts.refund_id
    left join data_keys on data_keys.id = payouts.data_key_id
    left join transactions on transactions.id = payouts.transaction_id
    left join lateral (
      select actor, after from audit
      where (subject = 'transaction:' || transactions.public_id and after -> 'refunds' @> to_jsonb(refunds.public_id::text))
        or (subject = 'deposit:' || refunds.deposit_id and after ->> 'refund' = refunds.id::text)
      order by audit.id limit 1) as audited on true
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
export async function lockPayout(db: Atomic, id: bigint): Promise<(SealedPayout & { waits: boolean })[]> {
  db.send`select from payouts where id = ${id} for update`
  return db.sql`
    select id, transaction_id, purpose, number, rail, place, asset, amount, destination, data_key_id, waits
    from payouts join payout_waits using (id) where id = ${id}`
}

/** Writes down since when the payout of a refund waits for approvals. */
export const askApproval = (db: Atomic, payoutId: bigint, at: Date): void =>
  db.send`update payouts set approval_asked_at = ${at} where id = ${payoutId} and approval_asked_at is null`

/** Whether the payout of a refund has waited since an earlier look. */
export const wasAsked = async (db: Db, payoutId: bigint): Promise<boolean> =>
  (
    await db.sql`
      select from payouts where id = ${payoutId} and (approval_asked_at is not null or exists (
        select from status_history as told
        where told.transaction_id = payouts.transaction_id and kind = 'refund_needs_approval' and subject_id = payouts.id))`
  ).length > 0 || isAskNoted(db, payoutId)

/** Whether it is in the audit that a payout without a transaction waits for approvals: there alone nobody can take it back. */
export const isAskNoted = async (db: Db, payoutId: bigint): Promise<boolean> =>
  (await db.sql`select from audit where subject = ${`payout:${payoutId}`} and action = ${askedInAudit} limit 1`)
    .length > 0

export const askedInAudit = 'payout.approval_asked'

/** The stamps of transactions' quotes, and how much of what they pay out has a payment that is not known to be never made. */
export const worthFacts = (
  db: Db,
  transactionIds: readonly bigint[],
): Promise<{ id: bigint; stamp: Buffer | null; carried_over: boolean; left: bigint }[]> =>
  db.sql`
    select transactions.id, stamp, carried_over, (
      select coalesce(sum(amount), 0)::numeric(38, 0) from payouts join plans on plans.id = plan_id
      where payouts.transaction_id = transactions.id and purpose = 'payout' and plans.state <> 'never'
        and not exists (
          select from entries
          where entries.transaction_id = transactions.id and kind = 'payout_returned' and ref = payouts.id)) as left
    from transactions join quotes on quotes.transaction_id = transactions.id and number = quote_number
    where transactions.id = any(${transactionIds})`

/** The refunds of a transaction that have gone back or are about to, all but one. */
export const goneRefunds = (
  db: Db,
  transactionId: bigint,
  exceptId: bigint,
): Promise<{ asset: string; amount: bigint }[]> =>
  db.sql`
    select asset, amount from refunds
    where transaction_id = ${transactionId} and id <> ${exceptId} and (state in ('sent', 'paid') or exists (
      select from payouts join plans on plans.id = plan_id
      where refund_id = refunds.id and plans.state <> 'never' and not exists (
        select from entries
        where entries.transaction_id = refunds.transaction_id and kind = 'payout_returned' and ref = payouts.id)))`

/** Writes down that the payout of a refund waits no more. */
export const endAsking = (db: Atomic, payoutId: bigint): void =>
  db.send`update payouts set approval_asked_at = null where id = ${payoutId}`
