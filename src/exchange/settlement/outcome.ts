import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Deposit, keepDeposits } from './deposit.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { orderPayouts, type PayoutOrder } from './order.ts'
import { advance, type Step } from '../transactions/advance.ts'
import { quoteRow } from '../transactions/create.ts'
import * as queries from '../transactions/transactions.sql.ts'
import { type Question, tellOfQuestion } from './question.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What a batch of facts adds up to: all of it is written together. */
export type Outcome = {
  deposits: Deposit[]
  entries: Entry[]
  steps: Step[]
  /** Transactions at a price that is new. */
  quotes: Transaction[]
  payouts: PayoutOrder[]
  /** Whose customers are asked something that they were not asked before. */
  questions: { transactionId: bigint; question: Question }[]
}

/** An outcome of nothing yet. */
export const emptyOutcome = (): Outcome => ({
  deposits: [],
  entries: [],
  steps: [],
  quotes: [],
  payouts: [],
  questions: [],
})

/**
 * Writes an outcome in the caller's block: deposits, prices, status and events, the books, the orders of payouts, letters
 * to whoever is asked. Gives the transactions that have moved.
 */
export async function writeOutcome(ctx: Ctx, db: Atomic, outcome: Outcome): Promise<Transaction[]> {
  if (outcome.deposits.length > 0) keepDeposits(db, outcome.deposits)
  if (outcome.quotes.length > 0) queries.insertQuotes(db, outcome.quotes.map(quoteRow))
  const moved = await advance(ctx, db, outcome.steps)
  await post(db, ctx, outcome.entries)
  lowerAvailable(db, outcome.entries)
  await orderPayouts(ctx, db, outcome.payouts)
  for (const { transactionId, question } of outcome.questions) {
    const transaction = moved.find(({ id }) => id === transactionId)
    if (transaction) await tellOfQuestion(ctx, db, transaction, question)
  }
  return moved
}
