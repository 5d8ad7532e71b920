import type { Ctx } from '../context.ts'
import { rowWriter } from '../../platform/db/rows.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { DepositRail, PayTo } from '../../rails/rail.ts'

/** What a customer is asked to pay, with its method, and the reference of ours that the rail will repeat. */
export type Instruction = {
  rail: string
  reference: string
  method: string
  asset: string
  amount: bigint
  payTo: PayTo
}

/** What an instruction is for. */
export type InstructionRequest = {
  transactionId: bigint
  rail: DepositRail
  method: { type: string; category: string }
  asset: string
  amount: bigint
}

const instructions = rowWriter('deposit_instructions', {
  transactionId: 'bigint',
  rail: 'text',
  reference: 'text',
  method: 'text',
  asset: 'text',
  amount: 'numeric',
  payTo: 'json',
  createdAt: 'timestamptz',
})

/** Decides how a transaction is to be paid, and keeps it in the caller's block. The rail makes the reference. */
export async function instruct(
  { clock, rowIds }: Pick<Ctx, 'clock' | 'rowIds'>,
  db: Atomic,
  { transactionId, rail, method, asset, amount }: InstructionRequest,
): Promise<Instruction> {
  const made = await rail.deposit.instruct({ id: await rowIds.next(), category: method.category, asset, amount })
  const instruction = { rail: rail.name, method: method.type, asset, amount, ...made }
  const payTo = JSON.stringify(instruction.payTo)
  instructions.insert(db, [{ ...instruction, transactionId, payTo, createdAt: clock.now() }])
  return instruction
}

/** The instruction that a transaction's customer was given last. */
export async function instructionOf(db: Db, transactionId: bigint): Promise<Instruction | undefined> {
  const [row] = await db.sql<Instruction>`
    select rail, reference, method, asset, amount, pay_to as "payTo" from deposit_instructions
    where transaction_id = ${transactionId} order by id desc limit 1`
  return row
}

/** Every reference that a transaction's customer was given, on whatever rail. */
export const referencesOf = (db: Db, transactionId: bigint): Promise<{ rail: string; reference: string }[]> =>
  db.sql`select rail, reference from deposit_instructions where transaction_id = ${transactionId} order by id`

/** The methods that a transaction's customer was given to pay with, and when, in their order. */
export const instructedMethods = (db: Db, transactionId: bigint): Promise<{ method: string; created_at: Date }[]> =>
  db.sql`select method, created_at from deposit_instructions where transaction_id = ${transactionId} order by id`
