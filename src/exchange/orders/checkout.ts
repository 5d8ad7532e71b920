import { isIncomplete } from '../transactions/lifecycle.ts'
import type { Ctx } from '../context.ts'
import { refuseBlocked } from '../customers/block.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { keepAcceptance } from './accept-terms.ts'
import { advance, amend } from '../transactions/advance.ts'
import { awaitDeposit, endEarlier } from './await-deposit.ts'
import { type CheckoutView, readView } from './checkout-view.ts'
import { keepQuotes } from '../transactions/quote-stamp.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { dryRun } from './dry-run.ts'
import { type Giver, refuseUnproven } from './giver.ts'
import { judgeIdentity, untilChecked, waitsForIdentity } from './identity.ts'
import { applyDetails, type Details, missingSteps, takesDetails } from './steps.ts'
import { lockTransaction, readTransactionByLink } from '../transactions/load.ts'
import { positionOf, readFunds } from '../settlement/position.ts'
import { reorderPayout } from '../settlement/reorder-payout.ts'
import { lockPrice } from '../transactions/open-locks.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Opens a transaction's checkout; the first visit ends the status `new`. Undefined for an unknown link, and for B2B transactions. */
export async function openCheckout(ctx: Ctx, tid: string): Promise<CheckoutView | undefined> {
  const seen = await readTransactionByLink(ctx, ctx.db, tid)
  if (seen?.kind === 'b2b') return undefined
  if (seen?.status !== 'new') return seen && readView(ctx, seen)
  return giveDetails(ctx, seen.publicId, {}, undefined)
}

/**
 * Saves what the customer gave. Refuses invalid details, naming the field. Once nothing is missing, fixes how to pay and waits for the
 * deposit. A transaction that no longer takes these details refuses them (CONFLICT): its page shows its current state. What `giver` may
 * not give is refused (NOT_PROVEN).
 */
export async function giveDetails(ctx: Ctx, publicId: bigint, details: Details, giver: Giver): Promise<CheckoutView> {
  const completed = await ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (transaction?.kind !== 'retail') throw new Refusal('NOT_FOUND', 'Transaction not found.')
    return completeDetails(ctx, db, transaction, details, giver)
  })
  return readView(ctx, completed)
}

/** Refuses what `giveDetails` would refuse about these details, and changes nothing: for feedback while the customer is typing. */
export const checkDetails = (ctx: Ctx, publicId: bigint, details: Details, giver: Giver): Promise<void> =>
  dryRun(ctx, async (db) => {
    const before = await lockTransaction(ctx, db, publicId)
    if (!before || !takesDetails(before, details)) return
    refuseUnproven(before, details, giver)
    await applyDetails({ ctx, db, partner: await partnerOf(ctx, before), before }, details)
  })

/** `giveDetails` for a transaction that the caller's block has locked. */
export async function completeDetails(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  details: Details,
  giver: Giver,
): Promise<Transaction> {
  refuseUnproven(transaction, details, giver)
  if (!takesDetails(transaction, details)) {
    if (Object.keys(details).length === 0) return transaction
    throw new Refusal('CONFLICT', 'This transaction has changed in the meantime.')
  }
  const [change] = await Promise.all([
    applyDetails({ ctx, db, partner: await partnerOf(ctx, transaction), before: transaction }, details),
    refuseBlocked(db, details.provenCustomerId ?? transaction.customerId),
  ])
  const given = { ...transaction, ...change }
  const isNew = isIncomplete(transaction)
  const isComplete = missingSteps(ctx, given).every((name) => name === 'identity')
  const verdict = isNew && isComplete ? await judgeIdentity(ctx, db, transaction, given) : 'within'
  const isPriced = given.quoteNumber !== transaction.quoteNumber
  const isNewCustomer = given.customerId !== transaction.customerId
  if (isPriced || isNewCustomer) await lockPrice(ctx, db, given, { isNewCustomer: !isPriced })

  // From here on nothing may refuse.
  keepAcceptance(ctx, db, transaction, given)
  if (isPriced) keepQuotes(ctx, db, [given])
  if (transaction.status === 'on_hold') return payAgain(ctx, db, transaction, given)
  if (transaction.status === 'waiting_for_deposit') {
    // A new price alone changes what the customer receives; only another method changes the payment details.
    if (given.depositMethod === transaction.depositMethod) return amend(ctx, db, transaction, change)
    return amend(ctx, db, transaction, { ...change, ...(await awaitDeposit(ctx, db, given)) })
  }
  if (verdict === 'never') {
    const step = { transaction, cause: { kind: 'identity_refused' }, to: 'failed' } as const
    return single(await advance(ctx, db, [{ ...step, change }]))
  }
  if (!isComplete || verdict === 'check') {
    const waiting = { ...change, ...(isComplete ? untilChecked(ctx, given) : { statusDetails: null }) }
    if (transaction.status === 'waiting_for_customer') return amend(ctx, db, transaction, waiting)
    const step = { transaction, cause: { kind: 'opened' }, to: 'waiting_for_customer' } as const
    return single(await advance(ctx, db, [{ ...step, change: waiting }]))
  }
  const awaited = await awaitDeposit(ctx, db, given)
  if (waitsForIdentity(transaction)) endEarlier(ctx, db, { ...given, ...awaited })
  const step = { transaction, cause: { kind: 'completed' }, to: 'waiting_for_deposit' } as const
  return single(await advance(ctx, db, [{ ...step, change: { ...change, ...awaited } }]))
}

/** Sends a returned payout again, to the destination that the customer has just given. */
async function payAgain(ctx: Ctx, db: Atomic, transaction: Transaction, given: Transaction): Promise<Transaction> {
  const funds = await readFunds(db, transaction)
  const { payouts, isLost } = positionOf(transaction, funds)
  if (!payouts.returned || isLost) throw new Refusal('CONFLICT', 'This transaction has changed in the meantime.')
  const { personal } = given
  return reorderPayout(ctx, db, { transaction, funds, change: { personal } }, 'payout_address_given')
}

function single(moved: Transaction[]): Transaction {
  const [transaction] = moved
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
