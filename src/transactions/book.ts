import type { Ctx } from '../context.ts'
import { customer, commission, fees, held, networkFees, position } from '../ledger/account.ts'
import { type Entry, entry } from '../ledger/entry.ts'
import { parseAmount } from '../money/amount.ts'
import type { PayoutOrder } from '../payouts/order.ts'
import type { Transaction } from './transaction.ts'

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
    { debit: held(place), credit: 'suspense', asset: deposit.asset, amount: deposit.amount },
  ])

/**
 * Books the exchange at the transaction's quote. No money changes place: what we owed the customer in one asset we now owe
 * in the other, and our position is the other side of both. Each fee is a posting of its own, so that the rate that was
 * given and the fee that was taken can both be read back.
 */
export function exchangeEntry({ id, publicId, partnerId, from, to, quote, quoteNumber }: Transaction, at: Date): Entry {
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

/** Orders the payout of a transaction whose exchange has just been booked. */
export function payoutOrder({ rails }: Pick<Ctx, 'rails'>, transaction: Transaction): PayoutOrder {
  const { id, to, expectedTo, personal, dataKey } = transaction
  const rail = rails.forPayout(to.network.code)
  if (!rail) throw new Error(`No rail pays out on ${to.network.code}.`)
  if (personal.payoutAddress === null) throw new Error('A payout was ordered without an address.')
  // Whatever was passed beside an address, a chain without memos gets none: it would be public there.
  const extraId = to.network.chain?.memo ? (personal.payoutExtraId ?? '') : ''
  return {
    transactionId: id,
    purpose: 'payout',
    number: 1,
    rail,
    asset: to.asset.id,
    amount: expectedTo,
    destination: { address: personal.payoutAddress, extraId },
    dataKey,
  }
}
