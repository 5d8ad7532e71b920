import { waysToPay as resolveWays } from '../availability/ways-to-pay.ts'
import { findPaymentCategory, type PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import { instructionOf } from '../settlement/deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { payableUntil, toldMethods } from './await-deposit.ts'
import type { WayToPay } from './checkout-view.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import { depositMethodOf, depositRailOf } from '../transactions/method.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'

/**
 * Gives the page where the customer pays, in the language of the page that they come from and go back to. Safe to repeat: one
 * transaction has one reference at the processor.
 */
export async function startPayment(
  ctx: Ctx,
  publicId: bigint,
  { locale }: { locale: string },
): Promise<{ payAt: string }> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  if (transaction.status !== 'waiting_for_deposit')
    throw new Refusal('CONFLICT', 'This transaction is not waiting for a payment.')
  const instruction = await instructionOf(ctx.db, transaction.id)
  if (!instruction) throw new Error('A transaction waits for a deposit that nobody was told to make.')
  const { deposit } = depositRailOf(ctx, transaction)
  if (!deposit.open) throw new Refusal('CONFLICT', 'This is not paid on a page.')

  const { reference, asset, amount } = instruction
  return deposit.open({
    reference,
    asset,
    amount,
    category: depositMethodOf(transaction).category,
    returnUrl: `${ctx.publicUrl}/${locale}/checkout?tid=${publicId}&returned=1`,
    locale,
  })
}

/** Every way to pay for a transaction that is open to its customer now, with what comes out by it. */
export async function waysToPay(ctx: Ctx, publicId: bigint): Promise<WayToPay[]> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  const told = await toldMethods(ctx.db, transaction)
  const isInTime = ({ type }: PaymentMethod): boolean =>
    payableUntil(ctx, told, { ...transaction, depositMethod: type }) > ctx.clock.now()
  const { depositType: _, ...anyWay } = askOfTransaction(transaction)
  const ways = resolveWays(momentOf(ctx, ctx.clock.now()), termsOfPartner(await partnerOf(ctx, transaction)), {
    ...anyWay,
    country: transaction.country ?? undefined,
    amount: { direction: 'direct', value: transaction.quote.fromAmount },
  })
  const open = ways.filter(({ method }) => isInTime(method))
  return open.map(({ method, sum }) => ({
    method,
    name: findPaymentCategory(method.category)?.name ?? method.category,
    toAmount: sum.toAmount,
  }))
}
