import { paymentCategoryEntries } from './data/payment-categories.ts'
import { lookupKey } from './lookup-key.ts'

/** What a customer does: fiat to crypto, crypto to fiat, crypto to crypto. */
export type Side = 'buy' | 'sell' | 'swap'

/** What the catalogue can open: the customers' sides, and institutional exchanges. */
export type OfferedSide = Side | 'b2b'

/** Whose exchange it is: a customer's at the checkout, or an institution's own over the B2B calls. */
export type Kind = 'retail' | 'b2b'

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

/**
 * How money moves in a category. `page`: the customer pays on a page of the processor's or bank's own, and it is final at once.
 * `transfer`: the customer sends a bank transfer to our account with a reference. `coin`: coins are sent to an address.
 */
export type Flow = 'page' | 'transfer' | 'coin'

/** A payment category with the name that people read. `id` is what partners store, so it never changes. */
export type PaymentCategory = { id: number; category: Category; name: string; flow: Flow }

/** How much a method moves, and for what. */
export type MethodPrice = {
  /**
   * Least and greatest amount of the method, both accepted, decimal text in the currency; null is no bound of its
   * own.
   */
  min: string | null
  max: string | null
  /** What the method costs, in hundredths of a percent of the amount that moves by it. */
  feeBasisPoints: number
}

/** On what terms one method moves one currency in one direction: for customers, and for institutions where they differ. */
export type Terms = MethodPrice & {
  /** The sides that may use it now; empty is closed. The only place that opens or closes a side. */
  sides: readonly OfferedSide[]
  b2b?: MethodPrice
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

/** On what terms an exchange of a kind may use a method on a side; undefined where it is not open to it. */
export function termsFor(terms: Terms | null, kind: Kind, side: Side): MethodPrice | undefined {
  if (kind === 'b2b') return terms?.sides.includes('b2b') ? (terms.b2b ?? terms) : undefined
  return terms?.sides.includes(side) ? terms : undefined
}

/** True when these terms exist and some side may use them. */
export const isOpen = (terms: Terms | null): boolean => terms !== null && terms.sides.length > 0
