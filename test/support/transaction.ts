import type { Ctx } from '../../src/exchange/context.ts'
import type { Partner } from '../../src/exchange/partners/partner.ts'
import { type CreateInput, nothingOptional } from '../../src/exchange/transactions/create-input.ts'
import { createTransaction } from '../../src/exchange/transactions/create.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import type { Transaction } from '../../src/exchange/transactions/transaction.ts'

/** A request for 100 EUR in bitcoin that says nothing of the customer. */
const plain: CreateInput = { ...nothingOptional, fromCurrency: 'EUR', toCurrency: 'BTC', fromAmount: '100' }

/** Creates a transaction of a partner, and reads it back whole. */
export async function makeTransaction(
  ctx: Ctx,
  partner: Partner,
  change: Partial<CreateInput> = {},
): Promise<Transaction> {
  const read = { input: { ...plain, ...change }, problems: [], warnings: [] }
  const { record } = await createTransaction(ctx, partner, read)
  const transaction = await readTransactionWhole(ctx, ctx.db, BigInt(record.id))
  if (!transaction) throw new Error('The transaction was not stored.')
  return transaction
}
