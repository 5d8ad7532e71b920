import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { paymentAtRails } from '../settlement/ask-rails.ts'
import type { FundsPosition } from '../settlement/decide.ts'
import { moneySeen } from '../settlement/deposit.ts'
import type { FundsChange } from '../settlement/funds-change.ts'
import { type Funds, positionOf, readFunds, refundIn } from '../settlement/position.ts'
import { orderRedirected, redirectRefund } from '../settlement/redirect-refund.ts'
import { refundCost } from '../settlement/refund.ts'
import { previewExchange } from '../settlement/resolve-funds.ts'
import { settleNow } from '../settlement/settle.ts'
import { advance } from '../transactions/advance.ts'
import { open } from '../transactions/lifecycle.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import type { StatusDetails, Transaction } from '../transactions/transaction.ts'
import { dryRun } from './dry-run.ts'
import { bindingFact, mayCancel } from './giver.ts'

/** What a customer may decide now; an absent choice is not available. Amounts are in the smallest unit of the asset. */
export type CustomerChoices = {
  /** Exchange what is available at the current price; offered after the price moved beyond the slippage limit. */
  accept_price?: { fromAmount: bigint; toAmount: bigint }
  /** The same, offered if less arrived than agreed. */
  exchange_what_came?: { fromAmount: bigint; toAmount: bigint }
  /** Refund everything that is available; `cost` is the cost of sending each part. */
  refund?: { parts: { asset: string; amount: bigint; cost: bigint }[] }
  /** A refund needs an address; `amount` of `asset` is sent, `memo` is whether its network has memos or tags. */
  refund_address?: { asset: string; amount: bigint; memo: boolean }
  /** A payout was returned; resolved by `giveDetails` with `payoutAddress`. */
  payout_address?: { toAmount: bigint }
  /** Cancel an order that has not been paid. */
  cancel?: object | undefined
}

/** Reasons for a hold that the customer can resolve. */
const decidable: ReadonlySet<StatusDetails | null> = new Set<StatusDetails>(['underpaid', 'late', 'wrong_asset'])

/** The choices that are available now, with their results. None for B2B transactions. */
export async function customerChoices(ctx: Ctx, publicId: bigint): Promise<CustomerChoices> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (transaction?.kind !== 'retail') throw notFound()
  if (open.has(transaction.status)) return (await moneySeen(ctx.db, transaction.id)) ? {} : { cancel: {} }
  if (transaction.status !== 'on_hold') return {}
  const funds = await readFunds(ctx.db, transaction)
  const position = positionOf(transaction, funds)
  if (transaction.statusDetails === 'address_needed') return addressChoices(position, funds)
  if (!decidable.has(transaction.statusDetails)) return {}
  return { ...(await exchangeChoice(ctx, transaction, position)), ...refundChoice(position) }
}

function addressChoices({ payouts, isLost }: FundsPosition, funds: Funds): CustomerChoices {
  const refund = refundIn(funds, 'address_needed')
  const choices: CustomerChoices = {}
  if (refund) {
    const { asset, amount, cost } = refund
    choices.refund_address = { asset, amount: amount - cost, memo: hasMemo(asset) }
  }
  if (payouts.returned && !isLost) choices.payout_address = { toAmount: funds.owedForExchanges }
  return choices
}

const hasMemo = (assetId: string): boolean => (listingById(assetId)?.network.chain?.memo ?? null) !== null

async function exchangeChoice(ctx: Ctx, transaction: Transaction, position: FundsPosition): Promise<CustomerChoices> {
  const partner = await partnerOf(ctx, transaction)
  const choice = await previewExchange(ctx, ctx.db, { transaction, partner }, position)
  if (!choice) return {}
  return transaction.statusDetails === 'late' ? { accept_price: choice } : { exchange_what_came: choice }
}

function refundChoice({ free }: FundsPosition): CustomerChoices {
  const parts = free.map(({ asset, amount }) => ({ asset, amount, cost: refundCost(asset) }))
  return parts.some(({ amount, cost }) => cost < amount) ? { refund: { parts } } : {}
}

/**
 * Exchanges what is available at the current price. `atLeast` is what the customer was shown: 409 if the price gives less by now,
 * or if there is nothing to decide.
 */
export function acceptNow(ctx: Ctx, publicId: bigint, { atLeast }: { atLeast: bigint }): Promise<Transaction> {
  return settleAs(ctx, publicId, () => ({ kind: 'price_accepted', atLeast }))
}

/**
 * Refunds everything that is available, the way it came, less the stated cost of sending. 409 if nothing is, or if the cost would
 * use it up.
 */
export function askForRefund(ctx: Ctx, publicId: bigint): Promise<Transaction> {
  return settleAs(ctx, publicId, (position) => {
    if (!refundChoice(position).refund) throw hasChanged()
    return { kind: 'refund_requested' }
  })
}

function settleAs(
  ctx: Ctx,
  publicId: bigint,
  changeFor: (position: FundsPosition) => FundsChange,
): Promise<Transaction> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    const { status, statusDetails } = transaction
    if (status !== 'on_hold' || !decidable.has(statusDetails)) throw hasChanged()
    const position = positionOf(transaction, await readFunds(db, transaction))
    if (position.free.length === 0) throw hasChanged()
    const subject = { transaction, partner: await partnerOf(ctx, transaction) }
    return (await settleNow(ctx, db, subject, changeFor(position))).transaction
  })
}

/** Gives the address of a refund that needs one. Refuses an impossible address, with the field at fault. */
export function giveRefundAddress(
  ctx: Ctx,
  publicId: bigint,
  written: { address: string; extraId: string },
): Promise<Transaction> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    const refund = refundIn(await readFunds(db, transaction), 'address_needed')
    if (!refund) throw hasChanged()
    return redirectRefund(ctx, db, { transaction, refund }, written)
  })
}

/** Refuses what `giveRefundAddress` would refuse, and changes nothing. */
export const checkRefundAddress = (
  ctx: Ctx,
  publicId: bigint,
  written: { address: string; extraId: string },
): Promise<void> =>
  dryRun(ctx, async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    const refund = refundIn(await readFunds(db, transaction), 'address_needed')
    if (refund) await orderRedirected(ctx, db, { refund, transaction }, written)
  })

/**
 * Cancels a transaction that has not been paid. The rails are asked first: 409 if any of them has seen money, 503 if one does not
 * answer.
 */
export async function cancelByCustomer(ctx: Ctx, publicId: bigint): Promise<Transaction> {
  const asked = await readTransactionWhole(ctx, ctx.db, publicId)
  const payment = asked && open.has(asked.status) ? await paymentAtRails(ctx, asked) : 'none'
  if (payment === 'silent')
    throw new Refusal('SERVICE_UNAVAILABLE', 'It cannot be seen at the moment whether this has been paid.')
  if (payment === 'paid') throw paidMeanwhile()
  return ctx.db.atomic(async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    if (!open.has(transaction.status)) throw hasChanged()
    if (!mayCancel(transaction)) throw bindingFact()
    if (await moneySeen(db, transaction.id)) throw paidMeanwhile()
    const reason = 'The customer canceled the order.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'cancelled' }, to: 'cancelled', reason }]))
  })
}

async function lockRetail(ctx: Ctx, db: Atomic, publicId: bigint): Promise<Transaction> {
  const transaction = await lockTransaction(ctx, db, publicId)
  if (transaction?.kind !== 'retail') throw notFound()
  return transaction
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', 'There is no such transaction.')
const hasChanged = (): Refusal => new Refusal('CONFLICT', 'This transaction has moved on.')

function paidMeanwhile(): Refusal {
  const message = 'A payment has been found: so this transaction can no longer be canceled.'
  return new Refusal('CONFLICT', message, [{ path: '', code: 'PAID_MEANWHILE', message }])
}

function last(moved: Transaction[]): Transaction {
  const transaction = moved.at(-1)
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
