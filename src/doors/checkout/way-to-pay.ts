import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import { findPaymentCategory, type Flow } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { CheckoutView, WayToPay } from '../../exchange/orders/checkout-view.ts'
import { waysToPay } from '../../exchange/orders/pay.ts'
import type { Language } from '../../platform/language/language.ts'

/** How money moves by a method. The catalog has the category of every method that it lists. */
export function flowOf({ category, type }: Pick<PaymentMethod, 'category' | 'type'>): Flow {
  const found = findPaymentCategory(category)
  if (!found) throw new Error(`The catalog has lost the category of ${type}.`)
  return found.flow
}

/** Whether the catalog has another method for what is paid. Which of them are open for the order is the resolver's to say. */
export const hasOtherWays = ({ from, quote }: Pick<CheckoutView, 'from' | 'quote'>): boolean =>
  from.network.paymentMethods.filter(({ deposit }) => deposit?.sides.includes(quote.side)).length > 1

/** The ways to pay an order that are open to its customer now, without the one that is chosen. */
export async function otherWays(ctx: Ctx, { publicId, deposit }: CheckoutView): Promise<WayToPay[]> {
  const ways = await waysToPay(ctx, publicId)
  return ways.filter(({ method }) => method.type !== deposit.type)
}

/** How long money takes by it, as the end of a sentence; undefined for coins, where the network's own figures say more. */
export const methodTime = (method: Pick<PaymentMethod, 'category' | 'type'>, { find }: Language): string | undefined =>
  find(`method.time.${flowOf(method) === 'page' ? 'page' : method.category}`)
