import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { advance, type Change } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { orderPayouts, payoutOrder } from './payout.ts'
import { type Funds, nextPayoutNumber } from './position.ts'

/** Orders what exchanges still owe once more, to where `change` says: a payout that came back or never left, as the next number. */
export async function reorderPayout(
  ctx: Ctx,
  db: Atomic,
  { transaction, funds, change }: { transaction: Transaction; funds: Funds; change: Change },
  kind: 'payout_address_given' | 'payout_ordered_again',
): Promise<Transaction> {
  const order = { number: nextPayoutNumber(funds), amount: funds.owedForExchanges }
  const [id] = await orderPayouts(ctx, db, [payoutOrder(ctx, { ...transaction, ...change }, order)])
  if (id === undefined) throw new Error('A payout was not ordered.')
  const [reordered] = await advance(ctx, db, [{ transaction, cause: { kind, id }, to: 'exchanging', change }])
  if (!reordered) throw new Error('The transaction did not change.')
  return reordered
}
