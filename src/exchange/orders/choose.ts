import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { moneySeen } from '../settlement/deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { advance } from '../transactions/advance.ts'
import { paymentAtRails } from '../settlement/ask-rails.ts'
import { boundsOf } from '../settlement/bounds.ts'
import { decide, type Standing } from '../settlement/decide.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { exchangeNow, goOn, type Happened } from '../settlement/go-on.ts'
import { dryRun } from './dry-run.ts'
import { open } from '../transactions/lifecycle.ts'
import { lockTransaction, readTransactionWhole } from '../transactions/load.ts'
import { type MoneyOf, moneyOf, standingOf } from '../settlement/money-of.ts'
import { emptyOutcome, writeOutcome } from '../settlement/outcome.ts'
import { addressAsked } from '../settlement/question.ts'
import { refundCost } from '../settlement/refund-cost.ts'
import { orderElsewhere, refundElsewhere } from '../settlement/refund-elsewhere.ts'
import type { StatusDetails, Transaction } from '../transactions/transaction.ts'

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
  cancel?: object
}

/** Reasons for a hold that the customer can resolve. */
const decidable: ReadonlySet<StatusDetails | null> = new Set<StatusDetails>(['underpaid', 'late', 'wrong_asset'])

/** The choices that are available now, with their results. None for B2B transactions. */
export async function customerChoices(ctx: Ctx, publicId: bigint): Promise<CustomerChoices> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (transaction?.kind !== 'retail') throw notFound()
  if (open.has(transaction.status)) return (await moneySeen(ctx.db, transaction.id)) ? {} : { cancel: {} }
  if (transaction.status !== 'on_hold') return {}

  const money = await moneyOf(ctx.db, transaction)
  const standing = standingOf(transaction, money)
  if (transaction.statusDetails === 'address_needed') return addressChoices(standing, money)
  if (!decidable.has(transaction.statusDetails)) return {}
  return { ...(await exchangeChoice(ctx, transaction, standing)), ...refundChoice(standing) }
}

function addressChoices({ payouts, isLost }: Standing, money: MoneyOf): CustomerChoices {
  const asking = addressAsked(money)
  const choices: CustomerChoices = {}
  if (asking) {
    const { asset, amount, cost } = asking
    choices.refund_address = { asset, amount: amount - cost, memo: hasMemo(asset) }
  }
  if (payouts.bounced && !isLost) choices.payout_address = { toAmount: money.owedForExchanges }
  return choices
}

const hasMemo = (assetId: string): boolean => (listingById(assetId)?.network.chain?.memo ?? null) !== null

async function exchangeChoice(ctx: Ctx, transaction: Transaction, standing: Standing): Promise<CustomerChoices> {
  const partner = await partnerOf(ctx, transaction)
  const asked = { transaction, partner, standing, arrival: undefined }
  const { exchange } = decide(standing, await boundsOf(ctx, ctx.db, asked), 'accept')
  if (!exchange) return {}
  const { expectedTo: toAmount } = exchangeNow(ctx, { transaction, partner }, exchange).transaction
  const choice = { fromAmount: exchange.amount, toAmount }
  return transaction.statusDetails === 'late' ? { accept_price: choice } : { exchange_what_came: choice }
}

function refundChoice({ free }: Standing): CustomerChoices {
  const parts = free.map(({ asset, amount }) => ({ asset, amount, cost: refundCost(asset) }))
  return parts.some(({ amount, cost }) => cost < amount) ? { refund: { parts } } : {}
}

/**
 * Exchanges what is available at the current price. `atLeast` is what the customer was shown: 409 if the price gives less by now,
 * or if there is nothing to decide.
 */
export function acceptNow(ctx: Ctx, publicId: bigint, { atLeast }: { atLeast: bigint }): Promise<Transaction> {
  return decideAs(ctx, publicId, () => ({
    cause: { kind: 'price_accepted' },
    reason: 'The customer accepted.',
    wish: 'accept',
    atLeast,
  }))
}

/**
 * Refunds everything that is available, the way it came, less the stated cost of sending. 409 if nothing is, or if the cost would
 * use it up.
 */
export function askForRefund(ctx: Ctx, publicId: bigint): Promise<Transaction> {
  return decideAs(ctx, publicId, (standing) => {
    if (!refundChoice(standing).refund) throw movedOn()
    return { cause: { kind: 'refund_requested' }, reason: 'The customer asked for it.', wish: 'refund' }
  })
}

type Choice = Omit<Happened, 'transaction' | 'partner'>

function decideAs(ctx: Ctx, publicId: bigint, choice: (standing: Standing) => Choice): Promise<Transaction> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    const { status, statusDetails } = transaction
    if (status !== 'on_hold' || !decidable.has(statusDetails)) throw movedOn()
    const standing = standingOf(transaction, await moneyOf(db, transaction))
    if (standing.free.length === 0) throw movedOn()
    return decided(ctx, db, {
      transaction,
      partner: await partnerOf(ctx, transaction),
      ...choice(standing),
    })
  })
}

async function decided(ctx: Ctx, db: Atomic, happened: Happened): Promise<Transaction> {
  const outcome = emptyOutcome()
  await goOn(ctx, db, outcome, happened)
  return last(await writeOutcome(ctx, db, outcome))
}

/** Sets the address of a refund that needs one. Refuses an invalid address, naming the field. */
export function giveRefundAddress(
  ctx: Ctx,
  publicId: bigint,
  written: { address: string; extraId: string },
): Promise<Transaction> {
  return ctx.db.atomic(async (db) => {
    const transaction = await lockRetail(ctx, db, publicId)
    const refund = addressAsked(await moneyOf(db, transaction))
    if (!refund) throw movedOn()
    return last(await refundElsewhere(ctx, db, { transaction, refund }, written))
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
    const refund = addressAsked(await moneyOf(db, transaction))
    if (refund) await orderElsewhere(ctx, db, { refund, transaction }, written)
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
    if (!open.has(transaction.status)) throw movedOn()
    if (await moneySeen(db, transaction.id)) throw paidMeanwhile()
    const reason = 'The customer does not want it any more.'
    return last(await advance(ctx, db, [{ transaction, cause: { kind: 'cancelled' }, to: 'cancelled', reason }]))
  })
}

async function lockRetail(ctx: Ctx, db: Atomic, publicId: bigint): Promise<Transaction> {
  const transaction = await lockTransaction(ctx, db, publicId)
  if (transaction?.kind !== 'retail') throw notFound()
  return transaction
}

const notFound = (): Refusal => new Refusal('NOT_FOUND', 'There is no such transaction.')
const movedOn = (): Refusal => new Refusal('CONFLICT', 'This transaction has moved on.')

function paidMeanwhile(): Refusal {
  const message = 'A payment has been found: this transaction cannot be cancelled any more.'
  return new Refusal('CONFLICT', message, [{ path: '', code: 'PAID_MEANWHILE', message }])
}

function last(moved: Transaction[]): Transaction {
  const transaction = moved.at(-1)
  if (!transaction) throw new Error('The transaction did not move.')
  return transaction
}
