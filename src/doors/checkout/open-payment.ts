import { startPayment } from '../../exchange/orders/pay.ts'
import type { Action } from './checkout-step.ts'

/** Sends the customer to the page where they pay. */
export const openPayment: Action = async ({ ctx, visit: { view }, locale }) => {
  const { payAt } = await startPayment(ctx, view.publicId, { locale })
  return { redirect: payAt }
}
