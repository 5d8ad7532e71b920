import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { findPaymentCategory, type Flow } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { CheckoutView, WayToPay } from '../../exchange/orders/checkout-view.ts'
import { waysToPay } from '../../exchange/orders/pay.ts'
import type { Language } from '../../platform/language/language.ts'

/** How money moves with a payment method. */
export function flowOf({ category, type }: Pick<PaymentMethod, 'category' | 'type'>): Flow {
  const found = findPaymentCategory(category)
  if (!found) throw new Error(`The catalog has no category for ${type}.`)
  return found.flow
}

/** Whether the catalog has another payment method. The resolver decides which are available for the order. */
export const hasOtherWays = ({ from, quote }: Pick<CheckoutView, 'from' | 'quote'>): boolean =>
  from.network.paymentMethods.filter(({ deposit }) => deposit?.sides.includes(quote.side)).length > 1

/** The available payment methods, without the current one. */
export async function otherWays(ctx: Ctx, { publicId, deposit }: CheckoutView): Promise<WayToPay[]> {
  const ways = await waysToPay(ctx, publicId)
  return ways.filter(({ method }) => method.type !== deposit.type)
}

/** How long a payment takes, as the end of a sentence; undefined for coins, where the network's figures say more. */
export const methodTime = (method: Pick<PaymentMethod, 'category' | 'type'>, { find }: Language): string | undefined =>
  find(`method.time.${flowOf(method) === 'page' ? 'page' : method.category}`)
