import { waysToPay as resolveWays } from '../availability/ways-to-pay.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../context.ts'
import { instructionOf } from '../settlement/instruction.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { payableUntil, methodsInstructed } from './await-deposit.ts'
import { checkoutUrl } from '../transactions/record.ts'
import type { WayToPay } from './checkout-view.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import { depositMethodOf, depositRailOf } from '../transactions/method.ts'
import { askOfTransaction, momentOf, termsOfPartner } from '../transactions/policy.ts'

/** Returns the payment page's URL, in the language of the checkout page. Safe to repeat: the payment's reference stays the same. */
export async function startPayment(
  ctx: Ctx,
  publicId: bigint,
  { locale }: { locale: string },
): Promise<{ payAt: string }> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'Transaction not found.')
  if (transaction.status !== 'waiting_for_deposit')
    throw new Refusal('CONFLICT', 'This transaction is not waiting for a payment.')
  const instruction = await instructionOf(ctx.db, transaction.id)
  if (!instruction) throw new Error('A transaction awaits its deposit without payment details.')
  const { deposit } = depositRailOf(ctx, transaction)
  if (!deposit.open) throw new Refusal('CONFLICT', 'This transaction is not paid on a payment page.')

  const { reference, asset, amount } = instruction
  return deposit.open({
    reference,
    asset,
    amount,
    category: depositMethodOf(transaction).category,
    returnUrl: `${checkoutUrl(ctx, transaction, locale)}&returned=1`,
    locale,
  })
}

/** The ways to pay that are currently open for a transaction, with what the customer would receive. */
export async function waysToPay(ctx: Ctx, publicId: bigint): Promise<WayToPay[]> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction) throw new Refusal('NOT_FOUND', 'Transaction not found.')
  const instructed = await methodsInstructed(ctx.db, transaction)
  const isInTime = ({ type }: PaymentMethod): boolean =>
    payableUntil(ctx, instructed, { ...transaction, depositMethod: type }) > ctx.clock.now()
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
