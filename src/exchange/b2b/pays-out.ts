import type { Listing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'

/** The method by which an institution is paid a currency in a category; undefined where it is not. */
export const paysOut = ({ network }: Listing, category: Category): PaymentMethod | undefined =>
  network.paymentMethods.find(
    (method) => method.category === category && method.withdrawal?.sides.includes('b2b') === true,
  )
