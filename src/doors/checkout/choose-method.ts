import { giveDetails } from '../../exchange/orders/checkout.ts'
import type { Action } from './checkout-step.ts'

/** Switches to another way to pay. */
export const chooseMethod: Action = async ({ ctx, visit: { view, customerId }, fields: { method = '' } }) => {
  if (!view.mayChooseMethod || method === '' || method === view.deposit.type) return {}
  await giveDetails(ctx, view.publicId, { depositMethod: method }, customerId)
  return {}
}
