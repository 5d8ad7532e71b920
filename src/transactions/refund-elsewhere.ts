import { listingById } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { lossOf } from '../deposits/deposit.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { markRefunds, type Refund, refundDue } from '../payouts/refund.ts'
import { partnerOf } from './details.ts'
import { goOn } from './go-on.ts'
import type { MoneyOf } from './money-of.ts'
import { emptyOutcome, writeOutcome } from './outcome.ts'
import { checkDestination } from './payout-destination.ts'
import { orderRefund } from './send-refunds.ts'
import type { Transaction } from './transaction.ts'

/** The first refund of a transaction that waits for an address, unless its money was taken back meanwhile. */
export const addressAsked = ({ refunds, deposits }: Pick<MoneyOf, 'refunds' | 'deposits'>): Refund | undefined =>
  refunds.find(
    ({ state, deposit_id: of }) =>
      state === 'address_needed' && deposits.every((deposit) => deposit.id !== of || lossOf(deposit) === 0n),
  )

/**
 * Sends a refund of coins that waits for an address to the one that is given, in the caller's block that has locked its transaction.
 * Refuses an address that cannot be, with the field at fault. Gives the transaction's moves.
 */
export async function refundElsewhere(
  ctx: Ctx,
  db: Atomic,
  { transaction, refund }: { transaction: Transaction; refund: Refund },
  written: { address: string; extraId: string },
): Promise<Transaction[]> {
  const { rail, check } = judgedAddress(ctx, refund.asset, written)
  const destination = { address: check.address, extraId: check.extraId, holder: '' }
  await orderRefund(ctx, db, { refund, transaction }, { rail, destination })
  markRefunds(db, [refund.id], 'ordered')
  ctx.queue.enqueue(db, [{ kind: refundDue, key: String(refund.id), runAt: ctx.clock.now() }])
  const outcome = emptyOutcome()
  const fact = `refund_address:${transaction.moves + 1}`
  await goOn(ctx, db, outcome, { transaction, partner: await partnerOf(ctx, transaction), fact })
  return writeOutcome(ctx, db, outcome)
}

function judgedAddress(ctx: Ctx, assetId: string, written: { address: string; extraId: string }) {
  const listing = listingById(assetId)
  const method = listing?.network.paymentMethods.find(({ withdrawal }) => withdrawal)
  const rail = listing && method && ctx.rails.forPayout(method.category, listing.network.code)
  if (!listing || !method || !rail)
    throw new Refusal('CONFLICT', 'Nothing can be sent there. Please turn to our support.')
  const check = checkDestination(ctx, { listing, method }, written)
  if (!check.ok) throw badField(check.field === 'address' ? 'refund_address' : 'extra_id', check.reason, check.code)
  return { rail, check }
}
