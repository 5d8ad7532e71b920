import type { Ctx } from '../context.ts'
import { reportedMoney } from '../settlement/rail-event.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { holdRefunds } from '../settlement/refund.ts'
import { advance } from '../transactions/advance.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import type { Standing } from '../settlement/decide.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { goOn } from '../settlement/go-on.ts'
import { ended, open } from '../transactions/lifecycle.ts'
import { moneyOf, standingOf } from '../settlement/money-of.ts'
import { emptyOutcome, writeOutcome } from '../settlement/outcome.ts'
import { refundElsewhere, refundWithoutWay, type WrittenWay } from '../settlement/refund-elsewhere.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { undoExchanges } from '../settlement/undo.ts'

export type { StaffOrder } from './by-staff.ts'
export { releaseTransaction } from './release.ts'

/**
 * Stops a transaction for a person: a payout or refund that is ordered and not planned waits, what arrives is booked and stays.
 * What staff gives back afterwards goes. 409 where it has ended, where nobody has come to the checkout yet, where its payout is with
 * the rail, and where a person stopped it before and no refund was ordered since.
 */
export function holdTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.held' }, async (db, transaction) => {
    const { status } = transaction
    if (ended.has(status) || status === 'new' || status === 'sending') {
      throw new Refusal('CONFLICT', `A transaction that is ${status} cannot be held.`)
    }
    const stopped = await holdRefunds(db, transaction.id, ctx.clock.now())
    if (status === 'on_hold' && transaction.statusDetails === 'review' && stopped.length === 0) {
      throw new Refusal('CONFLICT', 'This transaction is held for a person already.')
    }
    const change = { statusDetails: 'review' } as const
    const reason = 'A person must decide.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'held' }, to: 'on_hold', reason, change }]))
  })
}

/**
 * Gives back what is free, or `amount` of the expected asset of it, the way it came, less the cost of sending it. What was
 * exchanged and not paid out is exchanged back first, at the same price, unless the amount that is asked for is free anyway. 409
 * where a payout is with the rail, and where nothing can go back.
 */
export function refundTransaction(
  ctx: Ctx,
  publicId: bigint,
  { amount, ...order }: StaffOrder & { amount?: bigint },
): Promise<Transaction> {
  if (amount !== undefined && amount <= 0n) throw new Refusal('BAD_REQUEST', 'An amount must be more than zero.')
  return byStaff(ctx, publicId, { ...order, action: 'transaction.refunded' }, async (db, transaction) => {
    const { status } = transaction
    if (status !== 'on_hold' && status !== 'exchanging') {
      throw new Refusal('CONFLICT', `A transaction that is ${status} cannot be refunded.`)
    }
    const money = await moneyOf(db, transaction)
    const isFree = amount !== undefined && amount <= freeOfExpected(standingOf(transaction, money))
    const undone = isFree ? 0 : await undoExchanges(ctx, db, transaction, money)
    const standing = standingOf(transaction, await moneyOf(db, transaction))
    if (standing.payouts.open) throw new Refusal('CONFLICT', 'A payout is on its way: what it pays cannot be refunded.')
    if (standing.free.length === 0 && undone === 0) throw new Refusal('CONFLICT', 'There is nothing to be refunded.')
    if (amount !== undefined && amount > freeOfExpected(standing)) {
      throw new Refusal('CONFLICT', 'There is less than that to be refunded.')
    }
    const outcome = emptyOutcome()
    await goOn(ctx, db, outcome, {
      transaction,
      partner: await partnerOf(ctx, transaction),
      cause: { kind: 'refund_ordered' },
      reason: 'Our support gives it back.',
      wish: 'refund',
      ...(amount === undefined ? {} : { refundAtMost: amount }),
    })
    return last(await writeOutcome(ctx, db, outcome))
  })
}

/**
 * Sends what could not go back the way it came to another account or address of whoever paid: the first refund of a transaction
 * that came back, never left, or waits for an address. Who holds that account is staff's to know: payers are not kept. Refuses an
 * account that cannot be (BAD_REQUEST, with its field), and a transaction without such a refund (CONFLICT).
 */
export function redirectRefund(
  ctx: Ctx,
  publicId: bigint,
  { to, ...order }: StaffOrder & { to: WrittenWay },
): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.refund_redirected' }, async (db, transaction) => {
    const money = await moneyOf(db, transaction)
    const refund = refundWithoutWay(money)
    if (!refund) throw new Refusal('CONFLICT', 'No refund of this transaction needs another way.')
    // What nobody has decided about yet stays where it is.
    const wish = standingOf(transaction, money).free.length === 0 ? 'release' : 'none'
    return last(await refundElsewhere(ctx, db, { transaction, refund, wish }, to))
  })
}

const freeOfExpected = ({ free, expected }: Standing): bigint =>
  free.filter(({ asset }) => asset === expected).reduce((sum, { amount }) => sum + amount, 0n)

/** Ends a transaction in which no money is. 409 where money was seen and has not been taken back. */
export function cancelTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.cancelled' }, async (db, transaction) => {
    const { status, fromAmount, id } = transaction
    if (!open.has(status) && status !== 'on_hold') {
      throw new Refusal('CONFLICT', `A transaction that is ${status} cannot be cancelled.`)
    }
    const [money, told] = await Promise.all([moneyOf(db, transaction), reportedMoney(db, id)])
    const { free, isLost, refunds, payouts } = standingOf(transaction, money)
    const isEmpty = fromAmount === 0n && free.length === 0 && !isLost && money.owedForExchanges === 0n
    const isOpen = refunds.open || refunds.addressNeeded || refunds.failed || refunds.paid || payouts.open
    const isArriving = told.arriving || (told.final && money.deposits.length === 0)
    if (!isEmpty || isOpen || isArriving) throw new Refusal('CONFLICT', 'There is money in this transaction.')
    const reason = 'Our support cancelled it.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'cancelled' }, to: 'cancelled', reason }]))
  })
}

function last(moved: Transaction[]): Transaction {
  const transaction = moved.at(-1)
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
