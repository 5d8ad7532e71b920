import type { Db } from '../../platform/db/sql.ts'
import { decide, type Decision, type FundsPosition, type Limits } from '../settlement/decide.ts'
import { type Deposit, freeOf, lossOf } from '../settlement/deposit.ts'
import { depositsIfReversed } from '../settlement/exchange.ts'
import { isHeldForPayee } from '../settlement/hold-payees.ts'
import { isUnprepared, type TransactionPayout } from '../settlement/payout.ts'
import { type Funds, isOfExchange, positionOf, readFunds, refundIn } from '../settlement/position.ts'
import { reportedMoney } from '../settlement/rail-event.ts'
import { hasUnheldRefund, type Refund, refundCost } from '../settlement/refund.ts'
import { ended, open, type Status } from '../transactions/lifecycle.ts'
import { unsentOf } from '../settlement/send-refunds.ts'
import type { Transaction } from '../transactions/transaction.ts'

// What staff may do with a transaction now. The verbs ask it under the lock, and pages before they offer it.

/** Why a transaction cannot be held; undefined: it can. */
export async function whyNotHeld(db: Db, transaction: Transaction): Promise<string | undefined> {
  const { id, status, statusDetails } = transaction
  if (ended.has(status) || status === 'new' || status === 'sending')
    return `A transaction that is ${status} cannot be held.`
  if (status !== 'on_hold' || statusDetails !== 'review' || (await hasUnheldRefund(db, id))) return undefined
  return 'This transaction is already on hold for manual review.'
}

/** Why a transaction cannot be released; undefined: it can, if there is a price for what is exchanged then. */
export async function whyNotReleased(db: Db, transaction: Transaction): Promise<string | undefined> {
  const why = whyNotHeldNow(transaction)
  if (why !== undefined) return why
  const funds = await readFunds(db, transaction)
  // Where an address is needed, a registered one can be given.
  if (transaction.kind === 'b2b' && refundIn(funds, 'address_needed')) return undefined
  const position = positionOf(transaction, funds)
  const { payouts } = position
  if (payouts.open) return whyNotResumed(transaction, funds)
  if (payouts.returned || payouts.failed) return whyNotReordered(position, funds)
  if (isUnpaid(transaction, funds) || failedRefunds(funds).length > 0) return undefined
  return whyNothingFollows(transaction, position, decide(position, anyAmount, 'release'))
}

/** Why there is no hold to be ended; undefined: there is. */
export const whyNotHeldNow = ({ status }: Pick<Transaction, 'status'>): string | undefined =>
  status === 'on_hold' ? undefined : 'This transaction is not held.'

/** Payouts that are ordered and not with their rails. */
export const unprepared = ({ payouts }: Funds): TransactionPayout[] =>
  payouts.filter((payout) => isOfExchange(payout) && isUnprepared(payout))

/** Why an ordered payout cannot be looked at again; undefined: it can. */
export const whyNotResumed = (transaction: Transaction, funds: Funds): string | undefined =>
  unprepared(funds).length > 0 || isHeldForPayee(transaction)
    ? undefined
    : 'Its payout has already been handed to the rail.'

/** Why a payout that came back, or never left, is not ordered again; undefined: it is. */
export function whyNotReordered(
  { isLost }: Pick<FundsPosition, 'isLost'>,
  { payouts, owedForExchanges }: Funds,
): string | undefined {
  const last = payouts.findLast(isOfExchange)
  // Nothing of it is missing: what it paid for can be reversed.
  const isBackWhole = last !== undefined && owedForExchanges >= last.amount
  return isLost && isBackWhole
    ? 'The money that paid for it was taken back. Refund it: then nothing is owed.'
    : undefined
}

/** Whether nothing has come, and nothing was ordered. */
export const isUnpaid = ({ fromAmount }: Pick<Transaction, 'fromAmount'>, funds: Funds): boolean =>
  fromAmount === 0n &&
  funds.deposits.every((deposit) => freeOf(deposit) <= 0n) &&
  funds.refunds.length === 0 &&
  funds.payouts.length === 0

/** Refunds that a release sends once more: not what was reversed, and sent back before. */
export function failedRefunds({ deposits, refunds }: Funds): Refund[] {
  const lost = deposits.filter((deposit) => lossOf(deposit) > 0n).map(({ id }) => id)
  return refunds.filter(({ state, deposit_id: of }) => state === 'failed' && !lost.includes(of))
}

/** Why nothing follows from a release that leads to this decision; undefined: something does. */
export function whyNothingFollows(
  { statusDetails }: Pick<Transaction, 'statusDetails'>,
  { free }: Pick<FundsPosition, 'free'>,
  { to, refund, details }: Pick<Decision, 'to' | 'refund' | 'details'>,
): string | undefined {
  if (to !== 'on_hold' || refund.length > 0 || details === 'refund_pending') return undefined
  // What staff held that waits for its customer does so again.
  if (details === 'address_needed' && statusDetails === 'review') return undefined
  const why = free.length === 0 ? 'There is nothing to continue with' : 'It cannot be exchanged now'
  return `${why}: refund it, or cancel it.`
}

/** As if every amount had its price. */
const anyAmount: Limits = {
  tolerance: 0n,
  least: 0n,
  most: 0n,
  covered: 0n,
  priceOf: () => 'near',
  excessPriceOf: () => 'near',
  needsReview: false,
}

/** Why nothing can be refunded in this status; undefined: what is there can. */
export const whyNoRefundIn = (status: Status): string | undefined =>
  status === 'on_hold' || status === 'exchanging' ? undefined : `A transaction that is ${status} cannot be refunded.`

/** Why nothing goes back, once what can be reversed is. */
export function whyNothingGoesBack({ isPaying, isFree }: { isPaying: boolean; isFree: boolean }): string | undefined {
  if (isPaying) return 'A payout is on its way: what it pays cannot be refunded.'
  return isFree ? undefined : 'There is nothing to be refunded.'
}

/** Money of one deposit that a refund would send back, and what is kept for sending it. */
export type RefundablePart = { asset: string; amount: bigint; cost: bigint }

/** What a refund of everything would send back now, or why nothing. */
export async function refundableOf(
  db: Db,
  transaction: Transaction,
): Promise<{ why: string | undefined; parts: RefundablePart[] }> {
  const why = whyNoRefundIn(transaction.status)
  if (why !== undefined) return { why, parts: [] }
  const funds = await readFunds(db, transaction)
  const { deposits, isReversing } = await depositsIfReversed(db, transaction, funds)
  const isPaying = !isReversing && positionOf(transaction, funds).payouts.open
  const parts = partsOf(deposits)
  const none = whyNothingGoesBack({ isPaying, isFree: parts.length > 0 })
  return { why: none, parts: none === undefined ? parts : [] }
}

const partsOf = (deposits: readonly Deposit[]): RefundablePart[] =>
  deposits.flatMap((deposit) => {
    const { asset } = deposit
    const amount = freeOf(deposit)
    return amount === 0n ? [] : [{ asset, amount, cost: refundCost(asset) }]
  })

/** The refund that can be sent elsewhere: the first that came back, never left, or waits for an address. */
export const redirectable = (funds: Funds): Refund | undefined => refundIn(funds, 'failed', 'address_needed')
export const notRedirected = 'No refund of this transaction needs another way.'

/** Why no refund can be sent elsewhere; undefined: one can. */
export async function whyNotRedirected(db: Db, transaction: Transaction): Promise<string | undefined> {
  return redirectable(await readFunds(db, transaction)) ? undefined : notRedirected
}

/** The parts of that refund that are sent elsewhere. */
export async function redirectedOf(db: Db, transaction: Transaction): Promise<RefundablePart[]> {
  const refund = redirectable(await readFunds(db, transaction))
  return refund ? [await unsentOf(db, refund)] : []
}

/** Why a transaction cannot be cancelled; undefined: it can. */
export async function whyNotCancelled(db: Db, transaction: Transaction): Promise<string | undefined> {
  const { status, fromAmount, id } = transaction
  if (!open.has(status) && status !== 'on_hold') return `A transaction that is ${status} cannot be cancelled.`
  const [funds, reported] = await Promise.all([readFunds(db, transaction), reportedMoney(db, id)])
  const { free, isLost, refunds, payouts } = positionOf(transaction, funds)
  const isEmpty = fromAmount === 0n && free.length === 0 && !isLost && funds.owedForExchanges === 0n
  const isOpen = refunds.open || refunds.addressNeeded || refunds.failed || refunds.paid || payouts.open
  const isArriving = reported.arriving || (reported.final && funds.deposits.length === 0)
  return !isEmpty || isOpen || isArriving ? 'There is money in this transaction.' : undefined
}
