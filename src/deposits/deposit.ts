import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../db/sql.ts'
import { randomToken } from '../lib/ids.ts'
import * as queries from './queries.ts'

export { insertDeposits as keepDeposits, moneySeen } from './queries.ts'

/** Money that arrived: what a fact told, matched to a transaction (or to none: then it lies in suspense). */
export type Deposit = queries.DepositRow

/** What a customer is asked to pay, and the reference of ours under which the rail will speak of it. */
export type Instruction = { rail: string; reference: string; asset: string; amount: bigint }

/** Fixes how a transaction is to be paid. The reference is random: nobody can pay for another's by guessing. */
export function instruct(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  what: Omit<Instruction, 'reference'> & { transactionId: bigint },
): Instruction {
  const instruction = { ...what, reference: randomToken(18) }
  queries.insertInstructions(db, [{ ...instruction, at: clock.now() }])
  return instruction
}

/** The instruction that a transaction's customer was given last. */
export const instructionOf = async (db: Db, transactionId: bigint): Promise<Instruction | undefined> =>
  (await queries.instructionOf(db, transactionId))[0]
