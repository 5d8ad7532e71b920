import { railKind } from '../kind.ts'
import { type CheckoutComEntry, checkoutComSchema } from './settings.ts'

export const checkoutComKind = railKind<CheckoutComEntry>({
  kind: 'checkout-com',
  schema: checkoutComSchema,
  open: async (entries, tools) => (await import('./open.ts')).openCheckoutCom(entries, tools),
})
