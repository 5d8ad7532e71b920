import type { Listing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'

/** The B2B payout method of a currency in a category; undefined if there is none. */
export const paysOut = ({ network }: Listing, category: Category): PaymentMethod | undefined =>
  network.paymentMethods.find(
    (method) => method.category === category && method.withdrawal?.sides.includes('b2b') === true,
  )
