import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type BookedDeposit, type DepositUse, lockDeposit, lossOf, useDeposits } from './deposit.ts'
import { customer, suspense } from '../ledger/account.ts'
import { releaseReserves } from '../ledger/balance.ts'
import { exchangesOf, sentBy } from '../ledger/transaction-entries.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { lockRefundPayouts, markRefunds, readRefunds, type Refund } from './refund.ts'
import { cancelPayouts, type StandingPayout } from './returned.ts'
import type { Quote } from '../pricing/quote.ts'
import { mirrorEntry, recoveryEntry, refundCostMirror } from './book.ts'
import { isOpen, isUnplanned, type MoneyOf } from './money-of.ts'
import * as queries from '../transactions/transactions.sql.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What of a payout has to be known to take it back. */
type Cancellable = Pick<StandingPayout, 'id' | 'state' | 'place' | 'asset' | 'amount' | 'fee_asset' | 'most_fee'>

/** Refunds, and the payouts that pay them. */
type Refunds = { refunds: Refund[]; payouts: (Cancellable & Pick<StandingPayout, 'refund_id'>)[] }

/** Takes back payouts that nobody has planned: nothing of them will leave, and nothing is promised for them any more. */
export function cancelUnplanned(db: Atomic, payouts: Cancellable[]): void {
  const unplanned = payouts.filter(isUnplanned)
  if (unplanned.length === 0) return
  releaseReserves(
    db,
    unplanned.filter(({ state }) => state === 'reserved'),
  )
  cancelPayouts(
    db,
    unplanned.map(({ id }) => id),
  )
}

/**
 * Takes back the refunds of a deposit of which nothing has left, or all has come back: their money is free again, and nothing is
 * kept for having tried. Gives how much.
 */
export async function cancelRefunds(
  ctx: Ctx,
  db: Atomic,
  { depositId, owner }: { depositId: bigint; owner: string },
  { refunds, payouts }: Refunds,
): Promise<bigint> {
  let amount = 0n
  for (const refund of refunds) {
    if (refund.deposit_id !== depositId || !undoable.has(refund.state)) continue
    const own = payouts.filter(({ refund_id: paid }) => paid === refund.id)
    const planned = own.filter((one) => !isUnplanned(one) && one.state !== 'cancelled')
    if (await isOut(db, refund, planned)) continue

    cancelUnplanned(db, own)
    markRefunds(db, [refund.id], 'cancelled')
    const { id, transaction_id: transactionId, asset, cost } = refund
    const wasKept = planned.length > 0 && cost > 0n
    if (wasKept) await post(db, ctx, [refundCostMirror(owner, { id, transactionId, asset, cost }, ctx.clock.now())])
    amount += refund.amount
  }
  if (amount > 0n) useDeposits(db, [{ id: depositId, exchanged: 0n, refunded: -amount }])
  return amount
}

/** Where a refund stands of which nothing need be out. */
const undoable: ReadonlySet<Refund['state']> = new Set<Refund['state']>(['ordered', 'address_needed', 'failed'])

/** Whether something of a refund has left and has not come back. */
async function isOut(db: Atomic, { transaction_id: id }: Refund, planned: { id: bigint }[]): Promise<boolean> {
  if (planned.length === 0) return false
  const payoutIds = planned.map((payout) => payout.id)
  const [sent] = await sentBy(db, id, payoutIds)
  return sent?.amount !== 0n
}

/**
 * Owes a refund no more that came back, or that the rail will never carry out, where its payment was taken back before: what
 * counted as our loss is none. `transaction`: whose it is, locked; undefined for nobody's.
 */
export async function forgetRefund(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction | undefined,
  refundId: bigint,
): Promise<void> {
  const [refund] = await readRefunds(db, [refundId])
  const [deposit] = refund ? await lockDeposit(db, refund.deposit_id) : []
  if (!refund || !deposit || lossOf(deposit) === 0n) return
  const owner = transaction ? customer(transaction.publicId) : suspense
  const payouts = await lockRefundPayouts(db, [refund.id])
  const back = await cancelRefunds(ctx, db, { depositId: deposit.id, owner }, { refunds: [refund], payouts })
  const recovered = lossOf(deposit) - lossOf({ ...deposit, refunded: deposit.refunded - back })
  if (recovered === 0n) return
  const what = { transactionId: refund.transaction_id, ref: refundId, asset: refund.asset, amount: recovered }
  await post(db, ctx, [recoveryEntry(owner, what, ctx.clock.now())])
}

/**
 * Undoes the exchanges of which nothing was paid out, the newest first: their payouts are taken back if nobody has planned them,
 * and what was exchanged is free again, at the same price. What counted as lost of it is not. Tells how many were undone; none
 * where a payout is under way.
 */
export async function undoExchanges(ctx: Ctx, db: Atomic, transaction: Transaction, money: MoneyOf): Promise<number> {
  const payouts = money.payouts.filter(({ purpose }) => purpose === 'payout')
  if (payouts.some((payout) => isOpen(payout) && !isUnplanned(payout))) return 0
  const undone = await unpaidExchanges(db, transaction, money)
  if (undone.length === 0) return 0

  cancelUnplanned(db, payouts)
  const at = ctx.clock.now()
  const entries: Entry[] = []
  const uses: DepositUse[] = []
  let deposits = money.deposits
  for (const one of undone) {
    entries.push(mirrorEntry(one, at))
    const amount = parseAmount(one.quote.fromAmount, transaction.from.asset)
    const given = giveBack(deposits, transaction.from.asset.id, amount)
    const recovered = lossesOf(deposits) - lossesOf(given.deposits)
    const ref = BigInt(one.quoteNumber)
    if (recovered > 0n) {
      const what = { transactionId: transaction.id, ref, asset: transaction.from.asset.id, amount: recovered }
      entries.push(recoveryEntry(customer(transaction.publicId), what, at))
    }
    uses.push(...given.uses)
    deposits = given.deposits
  }
  useDeposits(db, uses)
  await post(db, ctx, entries)
  return undone.length
}

const lossesOf = (deposits: BookedDeposit[]): bigint => deposits.reduce((sum, deposit) => sum + lossOf(deposit), 0n)

/** The exchanges whose payouts were not made, or came back whole, the newest first: together they owe no more than is owed. */
async function unpaidExchanges(
  db: Atomic,
  transaction: Transaction,
  { owedForExchanges: owed, payouts }: MoneyOf,
): Promise<Transaction[]> {
  const [numbers, quotes] = await Promise.all([
    exchangesOf(db, transaction.id),
    queries.quotesOf(db, transaction.publicId),
  ])
  const paid = payouts.filter(({ purpose, state }) => purpose === 'payout' && state === 'paid').map((one) => one.amount)
  const unpaid: Transaction[] = []
  let left = owed
  for (const { number } of numbers) {
    const quote = quotes.find((one) => BigInt(one.number) === number)?.quote as Quote | undefined
    if (!quote) throw new Error(`The quote ${number} of an exchange is missing.`)
    const promised = parseAmount(quote.toAmount, transaction.to.asset)
    const payout = paid.indexOf(promised)
    if (payout >= 0) paid.splice(payout, 1)
    else if (promised <= left) {
      left -= promised
      unpaid.push({ ...transaction, quote, quoteNumber: Number.parseInt(String(number), 10) })
    }
  }
  return unpaid
}

/**
 * Takes an exchanged amount off deposits again: off the one of which just that was exchanged, else the newest first, as they were
 * used oldest first.
 */
function giveBack(
  deposits: BookedDeposit[],
  asset: string,
  amount: bigint,
): { uses: DepositUse[]; deposits: BookedDeposit[] } {
  const uses: DepositUse[] = []
  let left = amount
  const own = deposits.findLast((deposit) => deposit.asset === asset && deposit.exchanged === amount)
  const changed = deposits.toReversed().map((deposit) => {
    if (deposit.asset !== asset || (own && deposit !== own)) return deposit
    const given = deposit.exchanged < left ? deposit.exchanged : left
    if (given === 0n) return deposit
    left -= given
    uses.push({ id: deposit.id, exchanged: -given, refunded: 0n })
    return { ...deposit, exchanged: deposit.exchanged - given }
  })
  if (left > 0n) throw new Error('More was exchanged than deposits say.')
  return { uses, deposits: changed.toReversed() }
}
