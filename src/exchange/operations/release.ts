import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { lossOf } from '../settlement/deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { PayoutAddressDetails } from '../partners/payout-address.ts'
import { lockPayoutAddress } from '../partners/payout-addresses.ts'
import { payoutDue } from '../settlement/order.ts'
import { markRefunds, refundDue, releaseRefunds } from '../settlement/refund.ts'
import { advance, type Change } from '../transactions/advance.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import type { Standing } from '../settlement/decide.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { deadlineDue, deadlineKey } from '../transactions/deadline.ts'
import { goOn } from '../settlement/go-on.ts'
import { payoutMethodOf } from '../transactions/method.ts'
import { isUnplanned, type MoneyOf, moneyOf, standingOf } from '../settlement/money-of.ts'
import { orderAgain } from '../settlement/order-again.ts'
import { emptyOutcome, writeOutcome } from '../settlement/outcome.ts'
import { addressAsked } from '../settlement/question.ts'
import { refundElsewhere } from '../settlement/refund-elsewhere.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelUnplanned } from '../settlement/undo.ts'

/** A held transaction with its money, and what a release changes of where it pays to. */
type Held = { transaction: Transaction; money: MoneyOf; standing: Standing; change: Change }

/**
 * Lets a held transaction go on, whatever the rules about amount, price and customer say: a payout that waits is looked at again,
 * one that came back or never left is ordered again, a refund that failed is tried again, what is free is exchanged at a price of
 * this moment if the agreed one is over, and one in which no money is waits for it. `payTo`: another registered address of the
 * partner, for B2B: of what is paid out, or of a refund that waits for an address. 409 where nothing could go on.
 */
export function releaseTransaction(
  ctx: Ctx,
  publicId: bigint,
  { payTo, ...order }: StaffOrder & { payTo?: bigint },
): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.released' }, async (db, transaction) => {
    if (transaction.status !== 'on_hold') throw new Refusal('CONFLICT', 'This transaction is not held.')
    const runAt = ctx.clock.now()
    const ordered = await releaseRefunds(db, transaction.id)
    ctx.queue.enqueue(
      db,
      ordered.map(({ id }) => ({ kind: refundDue, key: String(id), runAt })),
    )
    const money = await moneyOf(db, transaction)
    const refund = payTo === undefined ? undefined : addressAsked(money)
    if (payTo !== undefined && refund) {
      const { address, extraId } = await addressFor(ctx, db, transaction, { id: payTo, asset: refund.asset })
      return single(refundElsewhere(ctx, db, { transaction, refund }, { address, extraId }))
    }
    const change = payTo === undefined ? {} : await paidElsewhere(ctx, db, transaction, payTo)
    const standing = standingOf(transaction, money)
    return release(ctx, db, { transaction, money, standing, change })
  })
}

function release(ctx: Ctx, db: Atomic, held: Held): Promise<Transaction> {
  const { transaction, money, standing, change } = held
  const { payouts } = standing
  if (payouts.open) return resume(ctx, db, held)
  if (payouts.bounced || payouts.never) {
    if (standing.isLost && isBackWhole(money)) throw new Refusal('CONFLICT', takenBack)
    const given = { ...transaction, ...change }
    return single(orderAgain(ctx, db, { transaction, given, money, by: 'payout_ordered_again', change }))
  }
  const isEmpty = transaction.fromAmount === 0n && standing.free.length === 0 && money.refunds.length === 0
  if (isEmpty && money.payouts.length === 0) return waitAgain(ctx, db, held)
  return decideAgain(ctx, db, held)
}

const takenBack = 'The money that paid for it was taken back: refund it, by which nothing is owed.'

/** Nothing of the last payout is missing: what it paid for can be undone. */
const isBackWhole = ({ payouts, owedForExchanges }: MoneyOf): boolean => {
  const last = payouts.findLast(({ purpose }) => purpose === 'payout')
  return last !== undefined && owedForExchanges >= last.amount
}

/** What is ordered is looked at again; to another address it is ordered anew. */
async function resume(ctx: Ctx, db: Atomic, { transaction, money, change }: Held): Promise<Transaction> {
  const open = money.payouts.filter((payout) => payout.purpose === 'payout' && isUnplanned(payout))
  if (open.length === 0) throw new Refusal('CONFLICT', 'Its payout is with the rail.')
  if (change.payoutAddressId !== undefined) {
    cancelUnplanned(db, open)
    const given = { ...transaction, ...change }
    const left = await moneyOf(db, transaction)
    return single(orderAgain(ctx, db, { transaction, given, money: left, by: 'payout_ordered_again', change }))
  }
  const runAt = ctx.clock.now()
  ctx.queue.enqueue(
    db,
    open.map(({ id }) => ({ kind: payoutDue, key: String(id), runAt })),
  )
  return single(advance(ctx, db, [{ transaction, cause: { kind: 'resumed' }, to: 'exchanging' }]))
}

/** Nothing has come yet: it waits where it was stopped, for as long as it still has. */
async function waitAgain(ctx: Ctx, db: Atomic, { transaction, change }: Held): Promise<Transaction> {
  const isComplete = hasHappened(transaction.history, 'completed')
  const to = isComplete ? 'waiting_for_deposit' : 'waiting_for_customer'
  const key = deadlineKey(transaction.id, transaction.quoteNumber)
  ctx.queue.enqueue(db, [{ kind: deadlineDue, key, runAt: transaction.expiresAt }])
  return single(advance(ctx, db, [{ transaction, cause: { kind: 'resumed' }, to, change }]))
}

async function decideAgain(ctx: Ctx, db: Atomic, { transaction, money, standing, change }: Held): Promise<Transaction> {
  const lost = money.deposits.filter((deposit) => lossOf(deposit) > 0n).map(({ id }) => id)
  // What was taken back, and sent back before, is not sent once more.
  const again = money.refunds.filter(({ state, deposit_id: of }) => state === 'failed' && !lost.includes(of))
  const failed = again.map(({ id }) => id)
  if (failed.length > 0) {
    markRefunds(db, failed, 'ordered')
    const runAt = ctx.clock.now()
    ctx.queue.enqueue(
      db,
      failed.map((id) => ({ kind: refundDue, key: String(id), runAt })),
    )
  }
  const outcome = emptyOutcome()
  const decision = await goOn(ctx, db, outcome, {
    transaction: { ...transaction, ...change },
    partner: await partnerOf(ctx, transaction),
    cause: { kind: 'released' },
    wish: 'release',
  })
  const isStuck = decision.to === 'on_hold' && decision.refund.length === 0 && failed.length === 0
  // What a person stopped that waits for its customer does so again.
  const waits = decision.details === 'address_needed' && transaction.statusDetails === 'review'
  if (isStuck && decision.details !== 'refund_pending' && !waits) {
    const why = standing.free.length === 0 ? 'There is nothing to go on with' : 'It cannot be exchanged now'
    throw new Refusal('CONFLICT', `${why}: refund it, or cancel it.`)
  }
  return single(writeOutcome(ctx, db, outcome))
}

/** Another address that the partner has registered, active, to be paid instead. */
async function paidElsewhere(ctx: Ctx, db: Atomic, transaction: Transaction, id: bigint): Promise<Change> {
  const asset = transaction.to.asset.id
  const details = await addressFor(ctx, db, transaction, { id, asset, category: payoutMethodOf(transaction).category })
  const { payoutIntermediary: _, ...personal } = transaction.personal
  return {
    payoutAddressId: id,
    personal: {
      ...personal,
      payoutAddress: details.address,
      payoutExtraId: details.extraId,
      payoutHolder: transaction.to.network.chain ? null : details.holder,
      ...(details.intermediary ? { payoutIntermediary: details.intermediary.bic } : {}),
    },
  }
}

type Wanted = { id: bigint; asset: string; category?: string }

/** What is kept of a registered address, if it is active and takes what is to be paid. */
async function addressFor(
  ctx: Ctx,
  db: Atomic,
  { kind, partnerId }: Transaction,
  { id, asset, category = 'CRYPTO' }: Wanted,
): Promise<PayoutAddressDetails> {
  if (kind !== 'b2b') throw new Refusal('CONFLICT', 'Only B2B pays to registered addresses.')
  const address = await lockPayoutAddress(ctx, db, partnerId, id)
  const isFor = address?.category === category && (address.asset === asset || address.asset === null)
  if (!isFor) throw new Refusal('CONFLICT', 'This is no registered payout address for what is to be paid.')
  if (address.status !== 'active') throw new Refusal('CONFLICT', `This payout address is ${address.status}.`)
  return address.details
}

async function single(moved: Transaction[] | Promise<Transaction | Transaction[]>): Promise<Transaction> {
  const given = await moved
  const transaction = Array.isArray(given) ? given.at(-1) : given
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
