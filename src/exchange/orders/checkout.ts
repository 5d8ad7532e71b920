import type { Ctx } from '../context.ts'
import { refuseBlocked } from '../customers/block.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Instruction, instructionOf } from '../settlement/deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { isPayoutTaken } from '../settlement/send.ts'
import { keepAcceptance } from './accept-terms.ts'
import { advance, amend } from '../transactions/advance.ts'
import { awaitDeposit, endEarlier } from './await-deposit.ts'
import type { CheckoutView } from './checkout-view.ts'
import { quoteRow } from '../transactions/create.ts'
import { type Details, judgeDetails, missingOf } from './details.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { identityStateOf, judgeIdentity, untilChecked, waitsForIdentity } from './identity-step.ts'
import { judgeOnly } from './judge-only.ts'
import { mayChangeMethod } from './judge-price.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { depositMethodOf, depositRailOf, payoutMethodOf } from '../transactions/method.ts'
import { moneyOf, standingOf } from '../settlement/money-of.ts'
import { orderAgain } from '../settlement/order-again.ts'
import * as queries from '../transactions/transactions.sql.ts'
import type { Transaction } from '../transactions/transaction.ts'

export type { Details } from './details.ts'
export { type PaymentWord, paymentAtRails } from '../settlement/ask-rails.ts'
export { startPayment, waysToPay } from './pay.ts'

/** Shows a transaction to its customer; the first visit moves it on from `new`. Undefined for an unknown id, and for B2B's. */
export async function openCheckout(ctx: Ctx, publicId: bigint): Promise<CheckoutView | undefined> {
  const seen = await readTransactionWhole(ctx, ctx.db, publicId)
  if (seen?.kind === 'b2b') return undefined
  if (seen?.status !== 'new') return seen && viewOf(ctx, seen)
  return giveDetails(ctx, publicId, {})
}

/**
 * Takes what the customer gave. Refuses, with the field at fault, what cannot be; when nothing is missing any more, fixes how
 * to pay and waits for the deposit. Details of a transaction that is past that are refused: the page shows where it is.
 */
export async function giveDetails(ctx: Ctx, publicId: bigint, details: Details): Promise<CheckoutView> {
  const completed = await ctx.db.atomic(async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (transaction?.kind !== 'retail') throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    return completeDetails(ctx, db, transaction, details)
  })
  return viewOf(ctx, completed)
}

/** Refuses what `giveDetails` would refuse of these details now, and changes nothing: for a page that tells while one types. */
export const checkDetails = (ctx: Ctx, publicId: bigint, details: Details): Promise<void> =>
  judgeOnly(ctx, async (db) => {
    const transaction = await lockTransaction(ctx, db, publicId)
    if (transaction?.kind === 'retail' && takesDetails(transaction, details))
      await judgeDetails(ctx, db, transaction, details)
  })

/** The same for a transaction that the caller's block has locked. */
export async function completeDetails(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  details: Details,
): Promise<Transaction> {
  if (!takesDetails(transaction, details)) {
    if (Object.keys(details).length === 0) return transaction
    throw new Refusal('CONFLICT', 'This transaction has moved on.')
  }
  const [{ change, quoted }] = await Promise.all([
    judgeDetails(ctx, db, transaction, details),
    refuseBlocked(db, details.provenCustomerId ?? transaction.customerId),
  ])
  const given = { ...transaction, ...change }
  const isNew = transaction.status === 'new' || transaction.status === 'waiting_for_customer'
  const isWhole = missingOf(ctx, given).length === 0
  const verdict = isNew && isWhole ? await judgeIdentity(ctx, db, transaction, given) : 'within'

  // From here on nothing may refuse.
  keepAcceptance(ctx, db, transaction, given)
  if (quoted) queries.insertQuotes(db, [quoteRow(given)])
  if (transaction.status === 'on_hold') return payAgain(ctx, db, transaction, given)
  if (transaction.status === 'waiting_for_deposit') {
    // Where to pay is as it was told unless another way was chosen: a price by itself changes what comes out only.
    if (given.depositMethod === transaction.depositMethod) return amend(ctx, db, transaction, change)
    const { personal, expiresAt } = await awaitDeposit(ctx, db, given)
    return amend(ctx, db, transaction, { ...change, personal, expiresAt })
  }
  if (verdict === 'never') {
    const step = { transaction, cause: { kind: 'identity_refused' }, to: 'failed' } as const
    return single(await advance(ctx, db, [{ ...step, change }]))
  }
  if (!isWhole || verdict === 'check') {
    const waits = { ...change, ...(isWhole ? untilChecked(ctx, given) : { statusDetails: null }) }
    if (transaction.status === 'waiting_for_customer') return amend(ctx, db, transaction, waits)
    return single(
      await advance(ctx, db, [{ transaction, cause: { kind: 'opened' }, to: 'waiting_for_customer', change: waits }]),
    )
  }
  const { personal, expiresAt } = await awaitDeposit(ctx, db, given)
  if (waitsForIdentity(transaction)) endEarlier(ctx, db, { ...given, expiresAt })
  const step = { transaction, cause: { kind: 'completed' }, to: 'waiting_for_deposit' } as const
  return single(await advance(ctx, db, [{ ...step, change: { ...change, personal, expiresAt } }]))
}

/**
 * Once everything is known, and until money is seen, the way to pay, the billing information and where to be paid can still be
 * changed; after a payout that came back, only the last.
 */
function takesDetails({ kind, status, statusDetails }: Transaction, details: Details): boolean {
  if (kind === 'b2b') return false
  if (status === 'new' || status === 'waiting_for_customer') return true
  const names = Object.keys(details)
  if (names.length === 0) return false
  if (status === 'on_hold') return statusDetails === 'address_needed' && names.every((name) => destination.has(name))
  const isOpen = status === 'waiting_for_deposit' && statusDetails === null
  return isOpen && names.every((name) => whilePaying.has(name))
}

const destination: ReadonlySet<string> = new Set<keyof Details>([
  'payoutAddress',
  'extraId',
  'payoutHolder',
  'confirmsResembling',
])

const whilePaying: ReadonlySet<string> = new Set<string>([
  ...destination,
  ...(['depositMethod', 'billing', 'renewsPrice'] satisfies (keyof Details)[]),
])

/** Pays what came back once more, to where the customer says now. */
async function payAgain(ctx: Ctx, db: Atomic, transaction: Transaction, given: Transaction): Promise<Transaction> {
  const money = await moneyOf(db, transaction)
  const { payouts, isLost } = standingOf(transaction, money)
  if (!payouts.bounced || isLost) throw new Refusal('CONFLICT', 'This transaction has moved on.')
  const { personal } = given
  return single(
    await orderAgain(ctx, db, { transaction, given, money, by: 'payout_address_given', change: { personal } }),
  )
}

/** What the customer's pages show. */
async function viewOf(ctx: Ctx, transaction: Transaction): Promise<CheckoutView> {
  const partner = await partnerOf(ctx, transaction)
  const { personal, terms, to, outputHash, status, statusDetails } = transaction
  const mask = to.network.chain?.explorerMask
  const identity = await identityStateOf(ctx, transaction)
  const deposit = depositMethodOf(transaction)
  // Where a part has arrived, the rest may come the same way.
  const isAwaited = status === 'waiting_for_deposit' || (status === 'on_hold' && statusDetails === 'underpaid')
  const instruction = isAwaited ? await instructionOf(ctx.db, transaction.id) : undefined
  return {
    id: transaction.id,
    publicId: transaction.publicId,
    partnerId: transaction.partnerId,
    partnerName: partner.name,
    status,
    statusDetails,
    errors: transaction.errors,
    missing: [...missingOf(ctx, transaction), ...(identity === null ? [] : ['identity' as const])],
    identity,
    email: personal.email,
    country: transaction.country,
    billing: transaction.customerId === null ? null : personal.billing,
    from: transaction.from,
    to,
    fromAmount: transaction.expectedFrom,
    arrived: transaction.fromAmount,
    refunds: transaction.refunds,
    toAmount: transaction.toAmount ?? transaction.expectedTo,
    quote: transaction.quote,
    quoteExpiresAt: transaction.quoteExpiresAt,
    expiresAt: transaction.expiresAt,
    deposit,
    payout: payoutMethodOf(transaction),
    payTo: payToOf(instruction),
    confirmations: depositRailOf(ctx, transaction).confirmations ?? null,
    mayChooseMethod: mayChangeMethod(transaction) && mayStillChoose(transaction),
    payoutAddress: personal.payoutAddress,
    extraId: personal.payoutExtraId,
    payoutHolder: personal.payoutHolder,
    payoutAddressChangeable: terms.payoutAddressChangeable,
    redirects: personal.redirects,
    isTaken: status === 'sending' && (await isPayoutTaken(ctx.db, transaction.id)),
    outputHash,
    explorerUrl: mask && outputHash ? mask.split('$$').join(outputHash) : null,
    locale: terms.locale,
    history: transaction.history.map((move) => ({ status: move.status, at: move.at })),
  }
}

const payToOf = (instruction: Instruction | undefined): CheckoutView['payTo'] =>
  instruction ? { ...instruction.payTo, reference: instruction.reference } : null

const mayStillChoose = ({ status, statusDetails }: Transaction): boolean =>
  status === 'new' || status === 'waiting_for_customer' || (status === 'waiting_for_deposit' && statusDetails === null)

function single(moved: Transaction[]): Transaction {
  const [transaction] = moved
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
