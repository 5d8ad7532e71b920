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
import type { Evidence } from '../../rails/evidence.ts'
import type { QuoteCommon } from '../pricing/quote.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** To whom money in the books belongs: the customer of a transaction, or nobody yet: then it lies in suspense. */
export type Owner = Pick<Transaction, 'id' | 'publicId'> | undefined

const accountOf = (owner: Owner): string => (owner ? customer(owner.publicId) : suspense)
const transactionIdOf = (owner: Owner): bigint | null => owner?.id ?? null

/** Books money that arrived: it lies at `place`, and we owe it to its owner. */
export const depositEntry = (
  owner: Owner,
  deposit: { id: bigint; asset: string; amount: bigint },
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'deposit', ref: deposit.id, at }, [
    { debit: held(place), credit: accountOf(owner), asset: deposit.asset, amount: deposit.amount },
  ])

/**
 * Books the exchange at the transaction's quote. No money changes place: what we owed the customer in one asset we now owe
 * in the other, and our position is the other side of both. Each fee is a separate posting, so that the rate that was
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

/** The parts of a transaction that book its exchange. */
type Exchanged = Pick<Transaction, 'id' | 'publicId' | 'partnerId' | 'quoteNumber'> & {
  from: { asset: Asset }
  to: { asset: Asset }
  quote: Pick<QuoteCommon, 'convertedAmount' | 'fees' | 'toAmount' | 'networkFee'>
}

/** An amount that a rail reversed, or gave back: the part of it that is its owner's, and the part that is our loss, or was. */
export type ReversedAmount = { ref: bigint; asset: string; theirs: bigint; loss: bigint }

/** Books money that was reversed: it no longer lies at `place`. What was still its owner's is owed no more; the rest is our loss. */
export const reversalEntry = (
  owner: Owner,
  { ref, asset, theirs, loss }: ReversedAmount,
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'deposit_reversed', ref, at }, [
    { debit: accountOf(owner), credit: held(place), asset, amount: theirs },
    { debit: losses('chargebacks'), credit: held(place), asset, amount: loss },
  ])

/** Books money that a rail gave back after it had reversed it: the reversal's postings, swapped. */
export const reinstatementEntry = (
  owner: Owner,
  { ref, asset, theirs, loss }: ReversedAmount,
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'deposit_reinstated', ref, at }, [
    { debit: held(place), credit: accountOf(owner), asset, amount: theirs },
    { debit: held(place), credit: losses('chargebacks'), asset, amount: loss },
  ])

/** Reverses an exchange that was not paid out: the same postings, swapped. */
export function exchangeReversalEntry(exchanged: Exchanged, at: Date): Entry {
  const { postings, ...what } = exchangeEntry(exchanged, at)
  const swapped = postings.map(({ debit, credit, ...rest }) => ({ ...rest, debit: credit, credit: debit }))
  return entry({ ...what, kind: 'exchange_mirrored' }, swapped)
}

/** Books the recovery of a loss: the exchange or the refund that it paid for was reversed, and its owner is owed nothing for it. */
export const recoveryEntry = (
  owner: Owner,
  recovered: { ref: bigint; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'loss_recovered', ref: recovered.ref, at }, [
    { debit: accountOf(owner), credit: losses('chargebacks'), asset: recovered.asset, amount: recovered.amount },
  ])

type RefundCost = { id: bigint; asset: string; cost: bigint }

/** Books the part of a refund that is kept for sending it. */
export const refundCostEntry = (owner: Owner, { id, asset, cost }: RefundCost, at: Date): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'refund_cost', ref: id, at }, [
    { debit: accountOf(owner), credit: networkFees, asset, amount: cost },
  ])

/** Books that nothing of a refund is kept: it was cancelled, and all of it is owed again. */
export const refundCostReversalEntry = (owner: Owner, { id, asset, cost }: RefundCost, at: Date): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'refund_cost_mirrored', ref: id, at }, [
    { debit: networkFees, credit: accountOf(owner), asset, amount: cost },
  ])

/** Books what is too little to be sent back. */
export const writeOffEntry = (owner: Owner, dust: { ref: bigint; asset: string; amount: bigint }, at: Date): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'write_off', ref: dust.ref, at }, [
    { debit: accountOf(owner), credit: fees('dust'), asset: dust.asset, amount: dust.amount },
  ])

/** Books that money in suspense was found to be a customer's. */
export const matchEntry = (
  { id, publicId }: Pick<Transaction, 'id' | 'publicId'>,
  deposit: { id: bigint; asset: string; amount: bigint },
  at: Date,
): Entry =>
  entry({ transactionId: id, kind: 'suspense_matched', ref: deposit.id, at }, [
    { debit: suspense, credit: customer(publicId), asset: deposit.asset, amount: deposit.amount },
  ])

type PayoutAmount = { id: bigint; rail: string; asset: string; amount: bigint }

/** Books a payout whose payment is prepared: it is on its way through the rail, and owed no more. */
export const payoutEntry = (owner: Owner, { id, rail, asset, amount }: PayoutAmount, at: Date): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'payout_sent', ref: id, at }, [
    { debit: accountOf(owner), credit: clearing(rail), asset, amount },
  ])

/** Books the rail's evidence of a payout: it has left `place`, and so has what sending it cost and what its token took besides. */
export const payoutPaidEntry = (
  owner: Owner,
  { id, rail, asset, amount }: PayoutAmount,
  { place, fee, taken = 0n }: { place: string } & Pick<Evidence, 'fee' | 'taken'>,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'payout_settled', ref: id, at }, [
    { debit: clearing(rail), credit: held(place), asset, amount },
    { debit: networkFees, credit: held(place), asset: fee?.asset ?? asset, amount: fee?.amount ?? 0n },
    { debit: networkFees, credit: held(place), asset, amount: taken },
  ])

/** Books a payout that will never leave: what was on its way is owed again. */
export const payoutFailedEntry = (owner: Owner, { id, rail, asset, amount }: PayoutAmount, at: Date): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'payout_failed', ref: id, at }, [
    { debit: clearing(rail), credit: accountOf(owner), asset, amount },
  ])

/** Books that a payout had not come back: what its return had booked, swapped. */
export const returnWithdrawnEntry = (
  owner: Owner,
  { id, asset, amount }: Omit<PayoutAmount, 'rail'>,
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'payout_return_withdrawn', ref: id, at }, [
    { debit: accountOf(owner), credit: held(place), asset, amount },
  ])

/** Books a payout that came back: it lies at `place` again, and is owed again. */
export const payoutReturnedEntry = (
  owner: Owner,
  { id, asset, amount }: Omit<PayoutAmount, 'rail'>,
  place: string,
  at: Date,
): Entry =>
  entry({ transactionId: transactionIdOf(owner), kind: 'payout_returned', ref: id, at }, [
    { debit: held(place), credit: accountOf(owner), asset, amount },
  ])
