import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { type BookedDeposit, type DepositUse, lossOf, useDeposits } from '../deposits/deposit.ts'
import { exchangesOf, releaseReserves } from '../ledger/balance.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { parseAmount } from '../money/amount.ts'
import { markRefunds, type Refund } from '../payouts/refund.ts'
import { cancelPayouts, type StandingPayout } from '../payouts/returned.ts'
import type { Quote } from '../pricing/quote.ts'
import { mirrorEntry, recoveryEntry } from './book.ts'
import { isOpen, isUnplanned, type MoneyOf, moneyOf } from './money-of.ts'
import * as queries from './queries.ts'
import type { Transaction } from './transaction.ts'

/** What of a payout has to be known to take it back. */
type Cancellable = Pick<StandingPayout, 'id' | 'state' | 'place' | 'asset' | 'amount'>

/** Refunds, and the payouts that pay them. */
type Refunds = { refunds: Refund[]; payouts: (Cancellable & Pick<StandingPayout, 'refund_id' | 'reason'>)[] }

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
 * Takes back the refunds of a deposit of which nothing has left or ever will: their money is free again. Gives how much.
 */
export function cancelRefunds(db: Atomic, depositId: bigint, { refunds, payouts }: Refunds): bigint {
  const unsent = refunds.filter(
    (refund) =>
      refund.deposit_id === depositId &&
      isUnsent(
        refund,
        payouts.filter(({ refund_id: paid }) => paid === refund.id),
      ),
  )
  if (unsent.length === 0) return 0n
  const ids = unsent.map(({ id }) => id)
  cancelUnplanned(
    db,
    payouts.filter(({ refund_id: paid }) => paid !== null && ids.includes(paid)),
  )
  markRefunds(db, ids, 'cancelled')
  const amount = unsent.reduce((sum, refund) => sum + refund.amount, 0n)
  useDeposits(db, [{ id: depositId, exchanged: 0n, refunded: -amount }])
  return amount
}

/** Of one that the rail refused for good everything is there still, if nothing was kept for sending it. */
function isUnsent({ state, cost }: Refund, payouts: Refunds['payouts']): boolean {
  const isThere = payouts.every((one) => isUnplanned(one) || one.state === 'cancelled')
  if (state === 'ordered' || state === 'address_needed') return isThere
  return state === 'failed' && cost === 0n && payouts.every(({ reason }) => reason === 'never')
}

/**
 * Owes a refund no more that the rail will never carry out, because its payment was taken back before: what counted as our loss is
 * none.
 */
export async function forgetRefused(ctx: Ctx, db: Atomic, transaction: Transaction, refundId: bigint): Promise<void> {
  const money = await moneyOf(db, transaction)
  const refund = money.refunds.find(({ id }) => id === refundId)
  const deposit = money.deposits.find(({ id }) => id === refund?.deposit_id)
  if (!refund || !deposit || lossOf(deposit) === 0n) return
  const amount = lossOf(deposit)
  const back = cancelRefunds(db, deposit.id, { refunds: [refund], payouts: money.payouts })
  const recovered = amount - lossOf({ ...deposit, refunded: deposit.refunded - back })
  if (recovered === 0n) return
  const what = { ref: refundId, asset: refund.asset, amount: recovered }
  await post(db, ctx, [recoveryEntry(transaction, what, ctx.clock.now())])
}

/**
 * Undoes the exchanges of which nothing was paid out, the newest first: their payouts are taken back if nobody has planned them,
 * and what was exchanged is free again, at the same price. What counted as lost of it is not. Tells how many were undone; none
 * where a payout is under way.
 */
export async function undoExchanges(ctx: Ctx, db: Atomic, transaction: Transaction, money: MoneyOf): Promise<number> {
  const payouts = money.payouts.filter(({ purpose }) => purpose === 'payout')
  if (payouts.some((payout) => isOpen(payout) && !isUnplanned(payout))) return 0
  const undone = await unpaidExchanges(db, transaction, money.owedForExchanges)
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
      entries.push(recoveryEntry(transaction, { ref, asset: transaction.from.asset.id, amount: recovered }, at))
    }
    uses.push(...given.uses)
    deposits = given.deposits
  }
  useDeposits(db, uses)
  await post(db, ctx, entries)
  return undone.length
}

const lossesOf = (deposits: BookedDeposit[]): bigint => deposits.reduce((sum, deposit) => sum + lossOf(deposit), 0n)

/** The newest exchanges that together owe no more than is still owed: what they promised has not been paid. */
async function unpaidExchanges(db: Atomic, transaction: Transaction, owed: bigint): Promise<Transaction[]> {
  const [numbers, quotes] = await Promise.all([
    exchangesOf(db, transaction.id),
    queries.quotesOf(db, transaction.publicId),
  ])
  const unpaid: Transaction[] = []
  let left = owed
  for (const { number } of numbers) {
    const quote = quotes.find((one) => BigInt(one.number) === number)?.quote as Quote | undefined
    if (!quote) throw new Error(`The quote ${number} of an exchange is missing.`)
    left -= parseAmount(quote.toAmount, transaction.to.asset)
    if (left < 0n) break
    unpaid.push({ ...transaction, quote, quoteNumber: Number.parseInt(String(number), 10) })
  }
  return unpaid
}

/** Takes an exchanged amount off deposits again, the newest first: they were used oldest first. */
function giveBack(
  deposits: BookedDeposit[],
  asset: string,
  amount: bigint,
): { uses: DepositUse[]; deposits: BookedDeposit[] } {
  const uses: DepositUse[] = []
  let left = amount
  const changed = deposits.toReversed().map((deposit) => {
    if (deposit.asset !== asset) return deposit
    const given = deposit.exchanged < left ? deposit.exchanged : left
    if (given === 0n) return deposit
    left -= given
    uses.push({ id: deposit.id, exchanged: -given, refunded: 0n })
    return { ...deposit, exchanged: deposit.exchanged - given }
  })
  if (left > 0n) throw new Error('More was exchanged than deposits say.')
  return { uses, deposits: changed.toReversed() }
}
