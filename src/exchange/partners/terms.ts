import type { Side } from '../../reference/catalog/payment-method.ts'

/** Least and greatest source amount of one exchange, both accepted, decimal text in the market's reference currency. */
export type Limits = { min: string | null; max: string | null }

/** No bounds of an account's own. */
export const noLimits: Limits = { min: null, max: null }

/** What an account earns and how large its exchanges may be. Price lists are policies. */
export type Terms = {
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** Bounds of a customer's exchange, on the sides that have none of their own. */
  limits: Limits
  limitsBySide: Readonly<Partial<Record<Side, Limits>>>
  /** Bounds of the institution's own exchanges. */
  b2bLimits: Limits
}
