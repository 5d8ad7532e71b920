import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { type EventContext, reportedMoney } from './rail-event.ts'
import { stateMachine } from './transition.ts'

/** The state of a deposit. `reversed`: its rail took something of it back, all of it free. `lost`: something that was used. */
export type DepositState = 'final' | 'reversed' | 'lost'

/** The lifecycle of deposits. What was reversed is final again when its rail gives it back. */
export const deposits = stateMachine<DepositState>('deposits', {
  final: ['reversed', 'lost'],
  reversed: ['lost', 'final'],
  lost: ['reversed', 'final'],
})

/** Money that arrived, as it is booked: of a transaction, or of none; then it lies in suspense. */
export type NewDeposit = {
  id: bigint
  transactionId: bigint | null
  eventId: bigint
  rail: string
  payment: string
  asset: string
  amount: bigint
  /** How much of it is exchanged in the same block. */
  exchanged: bigint
  at: Date
}

const depositRows = rowWriter<NewDeposit & { state: DepositState }>('deposits', {
  id: 'bigint',
  transactionId: 'bigint',
  eventId: 'bigint',
  rail: 'text',
  payment: 'text',
  asset: 'text',
  amount: 'numeric',
  exchanged: 'numeric',
  state: 'text',
  at: 'timestamptz',
})

/** Inserts final deposits. A rail event or a payment that made a deposit before fails the block. */
export function insertDeposits(db: Atomic, rows: NewDeposit[]): void {
  if (rows.length === 0) return
  depositRows.insert(
    db,
    rows.map((row) => ({ ...row, state: 'final' })),
  )
}

/** A deposit, and what became of it. */
export type Deposit = {
  id: bigint
  transaction_id: bigint | null
  rail: string
  asset: string
  /** All of it that is, or was, its transaction's. */
  amount: bigint
  /** What else came of its payment, and had ended before the rest was given to the transaction. */
  ended_before: bigint
  /** How much of it is exchanged, refunded (costs included), and reversed by its rail. */
  exchanged: bigint
  refunded: bigint
  taken_back: bigint
  state: DepositState
  /** When an operator found its transaction; null where the rail named it. */
  matched_at: Date | null
  at: Date
}

/** A deposit that was just inserted, as it would be read. */
export const depositOf = ({ id, transactionId, rail, asset, amount, exchanged, at }: NewDeposit): Deposit => ({
  id,
  transaction_id: transactionId,
  rail,
  asset,
  amount,
  ended_before: 0n,
  exchanged,
  refunded: 0n,
  taken_back: 0n,
  state: 'final',
  matched_at: null,
  at,
})

/** What has come of the payment of a deposit. */
export const cameOf = ({ amount, ended_before: before }: Pick<Deposit, 'amount' | 'ended_before'>): bigint =>
  amount + before

/** The part of a deposit that waits to be exchanged or refunded: neither used nor reversed. */
export function freeOf({ amount, exchanged, refunded, taken_back: reversed }: Deposit): bigint {
  const free = amount - exchanged - refunded - reversed
  return free > 0n ? free : 0n
}

/** The part of a deposit that was reversed when it was no longer free: our loss. */
export function lossOf({ amount, exchanged, refunded, taken_back: reversed }: Deposit): bigint {
  const loss = reversed - (amount - exchanged - refunded)
  return loss > 0n ? loss : 0n
}

/** The transaction of a deposit that an event is about; what came for an erased customer lies in suspense. */
export function ownerOf(deposit: Deposit, { event, transaction }: EventContext): Transaction | undefined {
  if (event.transaction_id === null && deposit.transaction_id !== null && deposit.matched_at !== null) {
    throw new Error(`Deposit ${deposit.id} was matched while an event about it was read: it is read again.`)
  }
  return transaction?.isErased && deposit.transaction_id === null ? undefined : transaction
}

/** Whether a deposit is of this transaction, or of none. */
export const isOf = (deposit: Deposit, transaction: Transaction | undefined): boolean =>
  deposit.transaction_id === (transaction?.id ?? null)

export async function lockDepositOfPayment(db: Db, rail: string, payment: string): Promise<Deposit | undefined> {
  const [deposit] = await db.sql<Deposit>`
    select id, transaction_id, rail, asset, amount - ended_before as amount, ended_before, exchanged,
      refunded - ended_before as refunded, taken_back, state, matched_at, at from deposits
    where rail = ${rail} and payment = ${payment} for update`
  return deposit
}

export async function lockDeposit(db: Db, id: bigint): Promise<Deposit | undefined> {
  const [deposit] = await db.sql<Deposit>`
    select id, transaction_id, rail, asset, amount - ended_before as amount, ended_before, exchanged,
      refunded - ended_before as refunded, taken_back, state, matched_at, at from deposits
    where id = ${id} for update`
  return deposit
}

/** The deposits of a transaction, oldest first. */
export const depositsOf = (db: Db, transactionId: bigint): Promise<Deposit[]> =>
  db.sql`
    select id, transaction_id, rail, asset, amount - ended_before as amount, ended_before, exchanged,
      refunded - ended_before as refunded, taken_back, state, matched_at, at from deposits
    where transaction_id = ${transactionId} order by id`

/** How much more, or less, of a deposit is used for what. */
export type DepositUse = { id: bigint; exchanged: bigint; refunded: bigint }

/** Writes down what deposits are used for. More than the deposit fails the block. */
export function useDeposits(db: Atomic, uses: DepositUse[]): void {
  if (uses.length === 0) return
  db.send`
    update deposits set exchanged = deposits.exchanged + used.exchanged, refunded = deposits.refunded + used.refunded
    from (
      select id, sum(exchanged) as exchanged, sum(refunded) as refunded
      from unnest(${uses.map(({ id }) => id)}::bigint[], ${uses.map(({ exchanged }) => exchanged)}::numeric[],
        ${uses.map(({ refunded }) => refunded)}::numeric[]) as one (id, exchanged, refunded) group by id) as used
    where deposits.id = used.id`
}

/** Money in suspense, without the part that was reversed, and the reference that came with it. */
export type SuspenseDeposit = {
  id: bigint
  rail: string
  payment: string | null
  reference: string
  asset: string
  amount: bigint
  at: Date
  /** The order that the rest of its payment belongs to. */
  transaction_id: bigint | null
  taken_back: bigint
}

/**
 * Deposits that lie in suspense, as far as they are not on their way back or have ended, oldest first; `id`: only this one;
 * `isUnseen`: only what no payment to us brought. A return that failed lies there again, even if the rest of its payment was given to
 * a transaction.
 */
export const suspenseDeposits = (
  db: Db,
  limit: number,
  { id = null, isUnseen = false }: { id?: bigint | null; isUnseen?: boolean } = {},
): Promise<SuspenseDeposit[]> =>
  db.sql`
    select deposits.id, deposits.rail, deposits.payment, reference, deposits.asset, waiting.amount, at,
      deposits.transaction_id, taken_back
    from deposits join rail_events on rail_events.id = event_id
    cross join lateral (
      select (case when deposits.transaction_id is null then deposits.amount - taken_back - refunded else 0 end
        + coalesce(sum(back.amount), 0))::numeric(38, 0) as amount
      from refunds as back where back.deposit_id = deposits.id and back.transaction_id is null and back.state = 'failed') as waiting
    where waiting.amount > 0 and (deposits.transaction_id is null or ended_before > 0)
      and (${id}::bigint is null or deposits.id = ${id}::bigint)
      and (not ${isUnseen} or body ->> 'arrived_by' is not null)
    order by deposits.id limit ${limit}`

/** Gives what is in suspense of a deposit to a transaction. */
export const matchDeposit = (db: Atomic, id: bigint, transactionId: bigint, at: Date): void =>
  db.send`
    update deposits set transaction_id = ${transactionId}, matched_at = ${at}, ended_before = refunded
    where id = ${id} and transaction_id is null and state = 'final'`

/** The rail of a deposit, and the rail's id of its payment. */
export const paymentOf = (db: Db, id: bigint): Promise<{ rail: string; payment: string | null }[]> =>
  db.sql`select rail, payment from deposits where id = ${id}`

/** Whether money of a transaction has been seen: a deposit, or a rail event about one that is not settled yet. */
export async function moneySeen(db: Db, transactionId: bigint): Promise<boolean> {
  const { arriving, final } = await reportedMoney(db, transactionId)
  if (arriving || final) return true
  const booked = await db.sql`
    select 1 from deposits where transaction_id = ${transactionId} and state in ('final', 'lost') limit 1`
  return booked.length > 0
}
