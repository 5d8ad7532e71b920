import { paymentCategoryEntries } from './data/payment-categories.ts'
import { lookupKey } from './lookup-key.ts'

/** What a customer does: fiat to crypto, crypto to fiat, crypto to crypto. */
export type Side = 'buy' | 'sell' | 'swap'

/** What the catalogue can open: the customers' sides, and institutional exchanges. */
export type OfferedSide = Side | 'b2b'

/** A family of ways to pay with the same flow, as partners name it. */
export type Category =
  | 'CRYPTO'
  | 'VISA_MC'
  | 'APPLE_PAY'
  | 'GOOGLE_PAY'
  | 'SEPA'
  | 'SWIFT'
  | 'FASTERPAYMENTS'
  | 'OPEN_BANKING'
  | 'PIX'
  | 'SPEI'
  | 'PSE'
  | 'REVOLUT_PAY'

/** A payment category with the name that people read. `id` is what partners store, so it never changes. */
export type PaymentCategory = { id: number; category: Category; name: string }

/** On what terms one method moves one currency in one direction. */
export type Terms = {
  /** The sides that may use it now; empty is closed. The only place that opens or closes a side. */
  sides: readonly OfferedSide[]
  /**
   * Least and greatest amount of the method, both accepted, decimal text in the currency; null is no bound of its
   * own.
   */
  min: string | null
  max: string | null
  /** What the method costs, in hundredths of a percent of the amount that moves by it. */
  feeBasisPoints: number
}

/** One way to move one currency, in (deposit) and out (withdrawal). null: the method can not do that at all. */
export type PaymentMethod = {
  /** As partners name it: the category and a number (`VISA_MC_1`). */
  type: string
  category: Category
  deposit: Terms | null
  withdrawal: Terms | null
}

/** All categories, whether a method of theirs is open or not. */
export const paymentCategories: readonly PaymentCategory[] = paymentCategoryEntries

const byCategory = new Map<string, PaymentCategory>(paymentCategories.map((row) => [row.category, row]))

/** Finds a category by its code, in any letter case. */
export const findPaymentCategory = (text: string): PaymentCategory | undefined => byCategory.get(lookupKey(text))

/** True when these terms exist and some side may use them. */
export const isOpen = (terms: Terms | null): boolean => terms !== null && terms.sides.length > 0
