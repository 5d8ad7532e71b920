import type { Category } from './payment-category.ts'

/** What a customer does: fiat to crypto, crypto to fiat, crypto to crypto. */
export type Side = 'buy' | 'sell' | 'swap'

/** What the catalog can open: the customers' sides, and institutional exchanges. */
export type OfferedSide = Side | 'b2b'

/** Whose exchange it is: a customer's at the checkout, or an institution's own over the B2B calls. */
export type Kind = 'retail' | 'b2b'

/** How much a method moves, and for what. */
export type MethodBounds = {
  /**
   * Least and greatest amount of the method, both accepted, decimal text in the currency; null is no bound of its
   * own.
   */
  min: string | null
  max: string | null
}

/** On what terms one method moves one currency in one direction: for customers, and for institutions where they differ. */
export type Terms = MethodBounds & {
  /** The sides that may use it now; empty is closed. The only place that opens or closes a side. */
  sides: readonly OfferedSide[]
  b2b?: MethodBounds
}

/** One way to move one currency, in (deposit) and out (withdrawal). null: the method can not do that at all. */
export type PaymentMethod = {
  /** As partners name it: the category and a number (`VISA_MC_1`). */
  type: string
  category: Category
  deposit: Terms | null
  withdrawal: Terms | null
}

/** On what terms an exchange of a kind may use a method on a side; undefined where it is not open to it. */
export function termsFor(terms: Terms | null, kind: Kind, side: Side): MethodBounds | undefined {
  if (kind === 'b2b') return terms?.sides.includes('b2b') ? (terms.b2b ?? terms) : undefined
  return terms?.sides.includes(side) ? terms : undefined
}

/** True when these terms exist and some side may use them. */
export const isOpen = (terms: Terms | null): boolean => terms !== null && terms.sides.length > 0
