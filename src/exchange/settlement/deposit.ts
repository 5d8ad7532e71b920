import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { DepositRail, PayTo } from '../../rails/rail.ts'
import * as queries from './deposits.sql.ts'
import { reportedMoney } from './rail-event.ts'

export {
  inSuspense as suspenseDeposits,
  insertDeposits as keepDeposits,
  instructedMethods,
  lockBooked as lockBookedDeposit,
  lockDeposit,
  match as matchDeposit,
  ofTransaction as depositsOf,
  paymentOf,
  referencesOf,
  takeBack,
  use as useDeposits,
} from './deposits.sql.ts'

/** A deposit that was booked, and what became of it. */
export type BookedDeposit = queries.BookedRow

/** More, or less, of a deposit that is used. */
export type DepositUse = queries.UseRow

/** What of a deposit waits to be exchanged or refunded: neither used nor taken back. */
export function freeOf({ amount, exchanged, refunded, taken_back: taken }: queries.BookedRow): bigint {
  const free = amount - exchanged - refunded - taken
  return free > 0n ? free : 0n
}

/** What of a deposit was taken back when it was no longer free: our loss. */
export function lossOf({ amount, exchanged, refunded, taken_back: taken }: queries.BookedRow): bigint {
  const loss = taken - (amount - exchanged - refunded)
  return loss > 0n ? loss : 0n
}

/** Money that arrived: what a fact told, matched to a transaction (or to none: then it lies in suspense). */
export type Deposit = queries.DepositRow

/** What a customer is asked to pay, by which method, and the reference of ours under which the rail will speak of it. */
export type Instruction = {
  rail: string
  reference: string
  method: string
  asset: string
  amount: bigint
  payTo: PayTo
}

/** What an instruction is for. */
export type Instructed = {
  transactionId: bigint
  rail: DepositRail
  method: { type: string; category: string }
  asset: string
  amount: bigint
}

/** Fixes how a transaction is to be paid, and keeps it in the caller's block. The rail makes the reference. */
export async function instruct(
  { clock, rowIds }: Pick<Ctx, 'clock' | 'rowIds'>,
  db: Atomic,
  { transactionId, rail, method, asset, amount }: Instructed,
): Promise<Instruction> {
  const made = await rail.deposit.instruct({ id: await rowIds.next(), category: method.category, asset, amount })
  const instruction = { rail: rail.name, method: method.type, asset, amount, ...made }
  const { payTo, ...row } = instruction
  queries.insertInstructions(db, [{ ...row, transactionId, payTo: JSON.stringify(payTo), at: clock.now() }])
  return instruction
}

/** The instruction that a transaction's customer was given last. */
export async function instructionOf(db: Db, transactionId: bigint): Promise<Instruction | undefined> {
  const [row] = await queries.instructionOf(db, transactionId)
  if (!row) return undefined
  const { pay_to: payTo, ...rest } = row
  return { ...rest, payTo }
}

/** Whether money of a transaction has been seen: a deposit, or a fact about one that is not settled yet. */
export async function moneySeen(db: Db, transactionId: bigint): Promise<boolean> {
  const { arriving, final } = await reportedMoney(db, transactionId)
  return arriving || final || (await queries.isBooked(db, transactionId))
}
