import type { Ctx } from '../context.ts'
import type { PayoutAddressDetails } from '../partners/payout-address.ts'
import { lockPayoutAddress } from '../partners/payout-addresses.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import type { FundsPosition } from '../settlement/decide.ts'
import { acceptPayees } from '../settlement/hold-payees.ts'
import { cancelUnprepared, payoutDue } from '../settlement/payout.ts'
import { type Funds, positionOf, readFunds, refundIn } from '../settlement/position.ts'
import { redirectRefund } from '../settlement/redirect-refund.ts'
import { enqueueRefunds, refunds, releaseRefunds } from '../settlement/refund.ts'
import { reorderPayout } from '../settlement/reorder-payout.ts'
import { settleNow } from '../settlement/settle.ts'
import { transition } from '../settlement/transition.ts'
import { advance, type Change, type Step } from '../transactions/advance.ts'
import { deadlineDue, deadlineKey } from '../transactions/deadline.ts'
import { payoutMethodOf } from '../transactions/method.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import { refuseAboveLimit } from './refund-limit.ts'
import {
  failedRefunds,
  isUnpaid,
  unprepared,
  whyNotHeldNow,
  whyNothingFollows,
  whyNotReordered,
  whyNotResumed,
} from './staff-rules.ts'

/** A held transaction with its money, and what a release changes of where it pays to. */
/** `actor`: who releases it, as the audit names them. */
type HeldTransaction = {
  transaction: Transaction
  funds: Funds
  position: FundsPosition
  change: Change
  actor: string
}

/**
 * Releases a held transaction, whatever the rules about amount, price and customer say: a payout that waits is looked at again, one
 * that came back or never left is ordered again, a refund that failed is tried again, what is free is exchanged at a price of this
 * moment if the agreed one is over, and one that has no money waits for it. `payTo`: another registered address of the partner, for
 * B2B: of what is paid out, or of a refund that waits for an address. 409 where nothing could follow.
 */
export function releaseTransaction(
  ctx: Ctx,
  publicId: bigint,
  { payTo, ...order }: StaffOrder & { payTo?: bigint },
): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'transaction.released' }, async (db, transaction) => {
    refuseNow(whyNotHeldNow(transaction))
    if (payTo === undefined) await acceptPayees(ctx, db, transaction)
    enqueueRefunds(ctx, db, await releaseRefunds(db, transaction.id))
    const funds = await readFunds(db, transaction)
    const refund = payTo === undefined ? undefined : refundIn(funds, 'address_needed')
    if (payTo !== undefined && refund) {
      const { address, extraId } = await addressFor(ctx, db, transaction, { id: payTo, asset: refund.asset })
      const redirected = await redirectRefund(ctx, db, { transaction, refund }, { address, extraId })
      await refuseAboveLimit(ctx, db, redirected, order.actor)
      return redirected
    }
    const change = payTo === undefined ? {} : await paidElsewhere(ctx, db, transaction, payTo)
    const { actor } = order
    return release(ctx, db, { transaction, funds, position: positionOf(transaction, funds), change, actor })
  })
}

function release(ctx: Ctx, db: Atomic, held: HeldTransaction): Promise<Transaction> {
  const { transaction, funds, position } = held
  const { payouts } = position
  if (payouts.open) return resume(ctx, db, held)
  if (payouts.returned || payouts.failed) {
    refuseNow(whyNotReordered(position, funds))
    return reorderPayout(ctx, db, held, 'payout_ordered_again')
  }
  return isUnpaid(transaction, funds) ? waitAgain(ctx, db, held) : settleReleased(ctx, db, held)
}

/** Checks the ordered payouts again; for a different address, orders them again. */
async function resume(ctx: Ctx, db: Atomic, held: HeldTransaction): Promise<Transaction> {
  const { transaction, funds, change } = held
  refuseNow(whyNotResumed(transaction, funds))
  const open = unprepared(funds)
  if (open.length === 0) {
    if (change.payoutAddressId !== undefined)
      throw new Refusal('CONFLICT', 'Its payout has already been handed to the rail.')
    return one(ctx, db, { transaction, cause: { kind: 'resumed' }, to: 'sending' })
  }
  if (change.payoutAddressId !== undefined) {
    cancelUnprepared(db, open)
    return reorderPayout(ctx, db, { ...held, funds: await readFunds(db, transaction) }, 'payout_ordered_again')
  }
  const runAt = ctx.clock.now()
  ctx.queue.enqueue(
    db,
    open.map(({ id }) => ({ kind: payoutDue, key: String(id), runAt })),
  )
  return one(ctx, db, { transaction, cause: { kind: 'resumed' }, to: 'exchanging' })
}

/** Nothing has come yet: it waits where it was stopped, for as long as it still has. */
async function waitAgain(ctx: Ctx, db: Atomic, { transaction, change }: HeldTransaction): Promise<Transaction> {
  const to = hasHappened(transaction.history, 'completed') ? 'waiting_for_deposit' : 'waiting_for_customer'
  const key = deadlineKey(transaction.id, transaction.quoteNumber)
  ctx.queue.enqueue(db, [{ kind: deadlineDue, key, runAt: transaction.expiresAt }])
  return one(ctx, db, { transaction, cause: { kind: 'resumed' }, to, change })
}

async function one(ctx: Ctx, db: Atomic, step: Step): Promise<Transaction> {
  const [changed] = await advance(ctx, db, [step])
  if (!changed) throw new Error('The transaction did not change.')
  return changed
}

async function settleReleased(
  ctx: Ctx,
  db: Atomic,
  { transaction, funds, position, change, actor }: HeldTransaction,
): Promise<Transaction> {
  const failed = failedRefunds(funds)
  transition(
    db,
    refunds,
    failed.map(({ id }) => ({ id })),
    'failed',
    'ordered',
  )
  enqueueRefunds(ctx, db, failed)
  const subject = { transaction: { ...transaction, ...change }, partner: await partnerOf(ctx, transaction) }
  const settled = await settleNow(ctx, db, subject, { kind: 'released' })
  if (failed.length === 0) refuseNow(whyNothingFollows(transaction, position, settled.decision))
  if (failed.length > 0 || settled.decision.refund.length > 0)
    await refuseAboveLimit(ctx, db, settled.transaction, actor)
  return settled.transaction
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

type AddressRequirement = { id: bigint; asset: string; category?: string }

/** What is kept of a registered address, if it is active and takes what is to be paid. */
async function addressFor(
  ctx: Ctx,
  db: Atomic,
  { kind, partnerId }: Transaction,
  { id, asset, category = 'CRYPTO' }: AddressRequirement,
): Promise<PayoutAddressDetails> {
  if (kind !== 'b2b') throw fieldRefusal('CONFLICT', 'pay_to', 'Only B2B transactions pay out to registered addresses.')
  const address = await lockPayoutAddress(ctx, db, partnerId, id)
  const isFor = address?.category === category && (address.asset === asset || address.asset === null)
  if (!isFor) throw fieldRefusal('CONFLICT', 'pay_to', 'This payout address is not registered for this payout.')
  if (address.status !== 'active') throw fieldRefusal('CONFLICT', 'pay_to', `This payout address is ${address.status}.`)
  return address.details
}
