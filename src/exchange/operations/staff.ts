import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { freeExpected } from '../settlement/decide.ts'
import { reverseExchanges } from '../settlement/exchange.ts'
import { positionOf, readFunds, refundIn } from '../settlement/position.ts'
import { reportedMoney } from '../settlement/rail-event.ts'
import { redirectRefund as redirect, type RefundDestination } from '../settlement/redirect-refund.ts'
import { holdRefunds } from '../settlement/refund.ts'
import { settleNow } from '../settlement/settle.ts'
import { advance } from '../transactions/advance.ts'
import { ended, open } from '../transactions/lifecycle.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'

export type { StaffOrder } from './by-staff.ts'
export { releaseTransaction } from './release.ts'

/**
 * Puts a transaction on hold for review: a payout or refund that is ordered waits if no payment is prepared, what arrives is booked
 * and stays. What staff give back afterwards is sent. 409 where it has ended, where nobody has come to the checkout yet, where its
 * payout is with the rail, and where it is held for review already and no refund was ordered since.
 */
export function holdTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.held' }, async (db, transaction) => {
    const { status } = transaction
    if (ended.has(status) || status === 'new' || status === 'sending') {
      throw new Refusal('CONFLICT', `A transaction that is ${status} cannot be held.`)
    }
    const stopped = await holdRefunds(db, transaction.id, ctx.clock.now())
    if (status === 'on_hold' && transaction.statusDetails === 'review' && stopped.length === 0) {
      throw new Refusal('CONFLICT', 'This transaction is already on hold for manual review.')
    }
    const change = { statusDetails: 'review' } as const
    const reason = 'A person must decide.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'held' }, to: 'on_hold', reason, change }]))
  })
}

/**
 * Gives back what is free, or `amount` of the expected asset of it, the way it came, less the cost of sending it. What was exchanged
 * and not paid out is exchanged back first, at the same price, unless the amount that is asked for is free anyway. 409 where a
 * payout is with the rail, and where nothing can go back.
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
    const funds = await readFunds(db, transaction)
    const isFree = amount !== undefined && amount <= freeExpected(positionOf(transaction, funds))
    const reversed = isFree ? 0 : await reverseExchanges(ctx, db, transaction, funds)
    const position = positionOf(transaction, await readFunds(db, transaction))
    if (position.payouts.open) throw new Refusal('CONFLICT', 'A payout is on its way: what it pays cannot be refunded.')
    if (position.free.length === 0 && reversed === 0) throw new Refusal('CONFLICT', 'There is nothing to be refunded.')
    if (amount !== undefined && amount > freeExpected(position)) {
      throw new Refusal('CONFLICT', 'There is less than that to be refunded.')
    }
    const subject = { transaction, partner: await partnerOf(ctx, transaction) }
    return (await settleNow(ctx, db, subject, { kind: 'refund_ordered', atMost: amount })).transaction
  })
}

/**
 * Sends what could not go back the way it came to another account or address of its sender: the first refund of a transaction that
 * came back, never left, or waits for an address. Staff must know that it is theirs: payers are not stored. Refuses an impossible
 * account (BAD_REQUEST, with its field), and a transaction without such a refund (CONFLICT).
 */
export function redirectRefund(
  ctx: Ctx,
  publicId: bigint,
  { to, ...order }: StaffOrder & { to: RefundDestination },
): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.refund_redirected' }, async (db, transaction) => {
    const funds = await readFunds(db, transaction)
    const refund = refundIn(funds, 'failed', 'address_needed')
    if (!refund) throw new Refusal('CONFLICT', 'No refund of this transaction needs another way.')
    // What is free, and nobody has decided about yet, stays where it is.
    const request = positionOf(transaction, funds).free.length === 0 ? 'release' : 'none'
    return redirect(ctx, db, { transaction, refund, request }, to)
  })
}

/** Cancels a transaction that has not been paid. 409 where money was seen and has not been reversed. */
export function cancelTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.cancelled' }, async (db, transaction) => {
    const { status, fromAmount, id } = transaction
    if (!open.has(status) && status !== 'on_hold') {
      throw new Refusal('CONFLICT', `A transaction that is ${status} cannot be cancelled.`)
    }
    const [funds, reported] = await Promise.all([readFunds(db, transaction), reportedMoney(db, id)])
    const { free, isLost, refunds, payouts } = positionOf(transaction, funds)
    const isEmpty = fromAmount === 0n && free.length === 0 && !isLost && funds.owedForExchanges === 0n
    const isOpen = refunds.open || refunds.addressNeeded || refunds.failed || refunds.paid || payouts.open
    const isArriving = reported.arriving || (reported.final && funds.deposits.length === 0)
    if (!isEmpty || isOpen || isArriving) throw new Refusal('CONFLICT', 'There is money in this transaction.')
    const reason = 'Our support cancelled it.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'cancelled' }, to: 'cancelled', reason }]))
  })
}

function last(changed: Transaction[]): Transaction {
  const transaction = changed.at(-1)
  if (!transaction) throw new Error('The transaction did not change.')
  return transaction
}
