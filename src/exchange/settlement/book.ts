import type { Ctx } from '../context.ts'
import {
  clearing,
  customer,
  commission,
  fees,
  held,
  losses,
  networkFees,
  position,
  suspense,
} from '../ledger/account.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { type Asset, parseAmount } from '../../platform/money/amount.ts'
import type { PayoutOrder } from './order.ts'
import type { QuoteCommon } from '../pricing/quote.ts'
import { payoutMethodOf, payoutRailOf } from '../transactions/method.ts'
import { checkDestination } from '../transactions/payout-destination.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Books money that arrived for a transaction: it lies at `place`, and we owe it to the customer. */
export const depositEntry = (
  { id, publicId }: Transaction,
  deposit: { id: bigint; asset: string; amount: bigint },
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: id, kind: 'deposit', ref: deposit.id, at }, [
    { debit: held(place), credit: customer(publicId), asset: deposit.asset, amount: deposit.amount },
  ])

/**
 * Books money that arrived for nobody we know: it lies at `place`, and in suspense until an operator finds its owner.
 */
export const suspenseEntry = (deposit: { id: bigint; asset: string; amount: bigint }, place: string, at: Date): Entry =>
  entry({ transactionId: null, kind: 'deposit', ref: deposit.id, at }, [
    { debit: held(place), credit: suspense, asset: deposit.asset, amount: deposit.amount },
  ])

/**
 * Books the exchange at the transaction's quote. No money changes place: what we owed the customer in one asset we now owe
 * in the other, and our position is the other side of both. Each fee is a posting of its own, so that the rate that was
 * given and the fee that was taken can both be read back.
 */
export function exchangeEntry({ id, publicId, partnerId, from, to, quote, quoteNumber }: Exchanged, at: Date): Entry {
  const source = from.asset
  const target = to.asset
  const owed = customer(publicId)
  const paidOut = parseAmount(quote.toAmount, target)
  const networkFee = parseAmount(quote.networkFee, target)

  return entry({ transactionId: id, kind: 'exchange', ref: BigInt(quoteNumber), at }, [
    { debit: owed, credit: position, asset: source.id, amount: parseAmount(quote.convertedAmount, source) },
    ...quote.fees.map(({ kind, amount }) => ({
      debit: owed,
      credit: kind === 'partner' ? commission(partnerId) : fees(kind),
      asset: source.id,
      amount: parseAmount(amount, source),
    })),
    { debit: position, credit: owed, asset: target.id, amount: paidOut },
    { debit: position, credit: networkFees, asset: target.id, amount: networkFee },
  ])
}

/** What of a transaction its exchange is booked by. */
type Exchanged = Pick<Transaction, 'id' | 'publicId' | 'partnerId' | 'quoteNumber'> & {
  from: { asset: Asset }
  to: { asset: Asset }
  quote: Pick<QuoteCommon, 'convertedAmount' | 'fees' | 'toAmount' | 'networkFee'>
}

/**
 * Books money that was taken back: it no longer lies at `place`. What of it was still the customer's is owed no more; the rest,
 * which we had exchanged or sent back by then, is our loss.
 */
export const reversalEntry = (
  { id, publicId }: Pick<Transaction, 'id' | 'publicId'>,
  taken: { ref: bigint; asset: string; theirs: bigint; loss: bigint },
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: id, kind: 'deposit_reversed', ref: taken.ref, at }, [
    { debit: customer(publicId), credit: held(place), asset: taken.asset, amount: taken.theirs },
    { debit: losses('chargebacks'), credit: held(place), asset: taken.asset, amount: taken.loss },
  ])

/** Books money of nobody that was taken back: it lies neither at `place` nor in suspense any more; what had gone back is lost. */
export const suspenseReversalEntry = (
  taken: { ref: bigint; asset: string; theirs: bigint; loss: bigint },
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: null, kind: 'deposit_reversed', ref: taken.ref, at }, [
    { debit: suspense, credit: held(place), asset: taken.asset, amount: taken.theirs },
    { debit: losses('chargebacks'), credit: held(place), asset: taken.asset, amount: taken.loss },
  ])

/** Undoes an exchange of which nothing was paid out: the same postings, swapped. */
export function mirrorEntry(exchanged: Exchanged, at: Date): Entry {
  const { postings, ...what } = exchangeEntry(exchanged, at)
  const swapped = postings.map(({ debit, credit, ...rest }) => ({ ...rest, debit: credit, credit: debit }))
  return entry({ ...what, kind: 'exchange_mirrored' }, swapped)
}

/** What counted as lost is not: the exchange or the refund that it paid for was undone, and its owner is owed nothing for it. */
export const recoveryEntry = (
  owner: string,
  recovered: { transactionId: bigint | null; ref: bigint; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: recovered.transactionId, kind: 'loss_recovered', ref: recovered.ref, at }, [
    { debit: owner, credit: losses('chargebacks'), asset: recovered.asset, amount: recovered.amount },
  ])

type RefundCost = { id: bigint; transactionId: bigint | null; asset: string; cost: bigint }

/** Books that nothing of a refund is kept: it was undone, and all of it is owed again. */
export const refundCostMirror = (owner: string, { id, transactionId, asset, cost }: RefundCost, at: Date): Entry =>
  entry({ transactionId, kind: 'refund_cost_mirrored', ref: id, at }, [
    { debit: networkFees, credit: owner, asset, amount: cost },
  ])

/** Books what of a refund is kept for sending it. */
export const refundCostEntry = (owner: string, refund: RefundCost, at: Date): Entry =>
  entry({ transactionId: refund.transactionId, kind: 'refund_cost', ref: refund.id, at }, [
    { debit: owner, credit: networkFees, asset: refund.asset, amount: refund.cost },
  ])

/** Books what is too little to be sent back. */
export const writeOffEntry = (
  { id, publicId }: Pick<Transaction, 'id' | 'publicId'>,
  dust: { ref: bigint; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: id, kind: 'write_off', ref: dust.ref, at }, [
    { debit: customer(publicId), credit: fees('dust'), asset: dust.asset, amount: dust.amount },
  ])

/** Books what is nobody's and too little to be sent back. */
export const suspenseWriteOffEntry = (dust: { ref: bigint; asset: string; amount: bigint }, at: Date): Entry =>
  entry({ transactionId: null, kind: 'write_off', ref: dust.ref, at }, [
    { debit: suspense, credit: fees('dust'), asset: dust.asset, amount: dust.amount },
  ])

/** Books that money of nobody's was found to be a customer's. */
export const matchEntry = (
  { id, publicId }: Pick<Transaction, 'id' | 'publicId'>,
  deposit: { id: bigint; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: id, kind: 'suspense_matched', ref: deposit.id, at }, [
    { debit: suspense, credit: customer(publicId), asset: deposit.asset, amount: deposit.amount },
  ])

/** Books a payout that will never leave: what was on its way is owed again. */
export const failureEntry = (
  owner: string,
  payout: { id: bigint; transactionId: bigint | null; rail: string; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: payout.transactionId, kind: 'payout_failed', ref: payout.id, at }, [
    { debit: clearing(payout.rail), credit: owner, asset: payout.asset, amount: payout.amount },
  ])

/** Books a payout that came back: it lies at `place` again, and we owe it to the customer again. */
export const returnEntry = (
  owner: string,
  payout: { id: bigint; transactionId: bigint | null; asset: string; amount: bigint },
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: payout.transactionId, kind: 'payout_returned', ref: payout.id, at }, [
    { debit: held(place), credit: owner, asset: payout.asset, amount: payout.amount },
  ])

/** Orders a payout of what a transaction's customer is owed: the first when its exchange has just been booked. */
export function payoutOrder(
  { rails }: Pick<Ctx, 'rails'>,
  transaction: Transaction,
  { number, amount }: { number: number; amount: bigint },
): PayoutOrder {
  const { id, to, personal, dataKey } = transaction
  if (personal.payoutAddress === null) throw new Error('A payout was ordered without an address.')
  const written = { address: personal.payoutAddress, extraId: personal.payoutExtraId ?? '' }
  const check = checkDestination({ rails }, { listing: to, method: payoutMethodOf(transaction) }, written)
  if (!check.ok) throw new Error(`A payout was ordered to a destination that cannot be: ${check.reason}`)
  return {
    transactionId: id,
    purpose: 'payout',
    refundId: null,
    number,
    rail: payoutRailOf({ rails }, transaction),
    asset: to.asset.id,
    amount,
    destination: {
      address: check.address,
      extraId: check.extraId,
      holder: personal.payoutHolder ?? '',
      ...(personal.payoutIntermediary === undefined ? {} : { intermediary: personal.payoutIntermediary }),
    },
    dataKey,
  }
}
