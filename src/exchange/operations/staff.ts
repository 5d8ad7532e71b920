import type { Ctx } from '../context.ts'
import { badField, fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { freeExpected } from '../settlement/decide.ts'
import { reverseExchanges } from '../settlement/exchange.ts'
import { positionOf, readFunds } from '../settlement/position.ts'
import { redirectRefund as redirect, type RefundDestination } from '../settlement/redirect-refund.ts'
import { holdRefunds } from '../settlement/refund.ts'
import { settleNow } from '../settlement/settle.ts'
import { advance } from '../transactions/advance.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import { refuseAboveLimit } from './refund-limit.ts'
import {
  notRedirected,
  redirectable,
  whyNoRefundIn,
  whyNotCancelled,
  whyNotHeld,
  whyNothingGoesBack,
} from './staff-rules.ts'

export type { StaffOrder } from './by-staff.ts'
export { releaseTransaction } from './release.ts'

/**
 * Puts a transaction on hold for review: a payout or refund that is ordered waits if no payment is prepared, what arrives is booked
 * and stays. What staff give back afterwards is sent. 409 where it has ended, where nobody has come to the checkout yet, where its
 * payout is with the rail, and where it is held for review already and no refund was ordered since.
 */
export function holdTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.held' }, async (db, transaction) => {
    refuseNow(await whyNotHeld(db, transaction))
    await holdRefunds(db, transaction.id, ctx.clock.now())
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
  if (amount !== undefined && amount <= 0n) throw badField('amount', 'An amount must be more than zero.')
  return byStaff(ctx, publicId, { ...order, action: 'transaction.refunded' }, async (db, transaction) => {
    refuseNow(whyNoRefundIn(transaction.status))
    const funds = await readFunds(db, transaction)
    const isFree = amount !== undefined && amount <= freeExpected(positionOf(transaction, funds))
    const reversed = isFree ? 0 : await reverseExchanges(ctx, db, transaction, funds)
    const position = positionOf(transaction, await readFunds(db, transaction))
    refuseNow(whyNothingGoesBack({ isPaying: position.payouts.open, isFree: position.free.length > 0 || reversed > 0 }))
    if (amount !== undefined && amount > freeExpected(position)) {
      throw fieldRefusal('CONFLICT', 'amount', 'There is less than that to be refunded.')
    }
    const subject = { transaction, partner: await partnerOf(ctx, transaction) }
    const settled = await settleNow(ctx, db, subject, { kind: 'refund_ordered', atMost: amount })
    await refuseAboveLimit(ctx, db, settled.transaction, order.actor)
    return settled.transaction
  })
}

/**
 * Sends what could not go back the way it came to another account or address of its sender: the first refund of a transaction that
 * came back, never left, or waits for an address. Staff must know that it is theirs: only those who paid by bank are known. Refuses
 * an impossible account (BAD_REQUEST, with its field), a transaction without such a refund (CONFLICT), and more than the role may refund
 * (FORBIDDEN).
 */
export function redirectRefund(
  ctx: Ctx,
  publicId: bigint,
  { to, ...order }: StaffOrder & { to: RefundDestination },
): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.refund_redirected' }, async (db, transaction) => {
    const funds = await readFunds(db, transaction)
    const refund = redirectable(funds)
    if (!refund) throw new Refusal('CONFLICT', notRedirected)
    // What is free, and nobody has decided about yet, stays where it is.
    const request = positionOf(transaction, funds).free.length === 0 ? 'release' : 'none'
    const redirected = await redirect(ctx, db, { transaction, refund, request }, to)
    await refuseAboveLimit(ctx, db, redirected, order.actor)
    return redirected
  })
}

/** Cancels a transaction that has not been paid. 409 where money was seen and has not been reversed. */
export function cancelTransaction(ctx: Ctx, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.cancelled' }, async (db, transaction) => {
    refuseNow(await whyNotCancelled(db, transaction))
    const reason = 'Our support cancelled it.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'cancelled' }, to: 'cancelled', reason }]))
  })
}

function last(changed: Transaction[]): Transaction {
  const transaction = changed.at(-1)
  if (!transaction) throw new Error('The transaction did not change.')
  return transaction
}
