import type { Ctx } from '../context.ts'
import {
  capital,
  expenses,
  held,
  interest,
  losses,
  methodCosts,
  ownTransfers,
  suspense,
  taxes,
} from '../ledger/account.ts'
import { entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Deposit, freeOf, lockDepositOfPayment, useDeposits } from './deposit.ts'

/** What a rule may book, and a person. `loss`: what was paid out twice and does not come back, or money that covers it. */
export const ruledCategories = ['capital', 'expense', 'fee', 'interest', 'tax', 'transfer'] as const
export const ownCategories = [...ruledCategories, 'loss'] as const
export type OwnCategory = (typeof ownCategories)[number]

/** Where each category of the house's own money is booked. */
export const ownAccountOf: Readonly<Record<OwnCategory, string>> = {
  capital,
  expense: expenses,
  fee: methodCosts,
  interest,
  tax: taxes,
  transfer: ownTransfers,
  loss: losses('chargebacks'),
}

/**
 * Books back what an operator had booked as the house's own money of a deposit that is reversed, the latest first, as far as an amount
 * needs it: it lies in suspense again. A processor's payout that did not arrive after all is on its way. Gives how much.
 */
export async function reverseOwnMoney(
  ctx: Ctx,
  db: Atomic,
  { id: depositId, asset }: Pick<Deposit, 'id' | 'asset'>,
  most: bigint,
): Promise<bigint> {
  const booked = await db.sql<{ id: bigint; category: OwnCategory; amount: bigint }>`
    select own.id, category, (amount - coalesce((
      select sum(back.amount) from own_money_reversals as back where own_money_id = own.id), 0))::numeric(38, 0) as amount
    from own_money as own where deposit_id = ${depositId} order by own.id desc`
  let reversed = 0n
  for (const own of booked) {
    const left = most - reversed
    const amount = own.amount < left ? own.amount : left
    if (amount <= 0n) continue
    await bookBack(ctx, db, own, { asset, amount, account: suspense })
    reversed += amount
  }
  if (reversed > 0n) useDeposits(db, [{ id: depositId, exchanged: 0n, refunded: -reversed }])
  return reversed
}

/** Money without an order, as its rail knows it. */
export type OwnPayment = { rail: string; payment: string }

/** Locks a payment of a rail until the block ends, so that it is booked once, and booked back if it was. */
export const lockOwnPayment = (db: Atomic, { rail, payment }: OwnPayment): void =>
  db.send`select pg_advisory_xact_lock(hashtextextended(${`own money ${rail} ${payment}`}, 0))`

/** Whether a person, or a rule, has decided about money without an order: matched it, sent it back, or booked it. Locks it. */
export async function isDecided(db: Atomic, { rail, payment }: OwnPayment): Promise<boolean> {
  lockOwnPayment(db, { rail, payment })
  const deposit = await lockDepositOfPayment(db, rail, payment)
  if (deposit) return deposit.transaction_id !== null || freeOf(deposit) !== deposit.amount
  return (await db.sql`select id from own_money where rail = ${rail} and payment = ${payment}`).length > 0
}

/** Books back a debit that was booked as the house's own: its bank has not taken it after all. */
export async function reverseOwnDebit(ctx: Ctx, db: Atomic, { rail, payment }: OwnPayment): Promise<void> {
  lockOwnPayment(db, { rail, payment })
  const [own] = await db.sql<{ id: bigint; category: OwnCategory; asset: string; amount: bigint }>`
    select id, category, asset, amount from own_money
    where rail = ${rail} and payment = ${payment} and deposit_id is null
      and not exists (select from own_money_reversals where own_money_id = own_money.id)`
  if (own) await bookBack(ctx, db, own, { ...own, account: held(rail) })
}

/** Books an amount of the house's own money back to where it was. */
async function bookBack(
  ctx: Ctx,
  db: Atomic,
  { id, category }: { id: bigint; category: OwnCategory },
  { asset, amount, account }: { asset: string; amount: bigint; account: string },
): Promise<void> {
  const [ref, at] = [await ctx.rowIds.next(), ctx.clock.now()]
  db.send`insert into own_money_reversals (id, own_money_id, amount, at) values (${ref}, ${id}, ${amount}, ${at})`
  const own = ownAccountOf[category]
  const [debit, credit] = account === suspense ? [own, account] : [account, own]
  await post(db, ctx, [entry({ transactionId: null, kind: 'own_money', ref, at }, [{ debit, credit, asset, amount }])])
}
