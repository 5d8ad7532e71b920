import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { orderPayouts } from './order.ts'
import { advance, type Change } from '../transactions/advance.ts'
import { payoutOrder } from './book.ts'
import type { MoneyOf } from './money-of.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Whose payout is ordered once more, where it goes now (`given`), and by which kind of fact. */
export type OrderedAgain = {
  transaction: Transaction
  given: Transaction
  money: MoneyOf
  by: 'payout_address_given' | 'payout_ordered_again'
  change?: Change
}

/** Orders what exchanges still owe once more: a payout that came back or never left, as the next number. */
export async function orderAgain(
  ctx: Ctx,
  db: Atomic,
  { transaction, given, money, by, change = {} }: OrderedAgain,
): Promise<Transaction[]> {
  const number = money.payouts.filter(({ purpose }) => purpose === 'payout').length + 1
  const [id] = await orderPayouts(ctx, db, [payoutOrder(ctx, given, { number, amount: money.owedForExchanges })])
  if (id === undefined) throw new Error('A payout was not ordered.')
  return advance(ctx, db, [{ transaction, cause: { kind: by, id }, to: 'exchanging', change }])
}
