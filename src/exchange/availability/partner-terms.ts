import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
import type { AccountFees, Terms } from '../partners/terms.ts'
import { b2bFeeSchedules, feeSchedules as defaultSchedules, type FeeSchedule } from '../pricing/fees.ts'
import type { Bounds } from '../pricing/range.ts'

/** The terms on which a partner's exchanges are made. */
export type PartnerTerms = {
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** The account's own bounds of one exchange, decimal text in the market's reference currency (EUR). */
  limits: Bounds
  /** A side's bounds, in place of `limits`. */
  limitsBySide?: Readonly<Partial<Record<Side, Bounds>>>
  /** The account's own price list in place of the default one, oldest first. */
  feeSchedules?: readonly FeeSchedule[]
  /** `retail` by default. */
  kind?: Kind
}

/** The terms of public lists and ranges. */
export const defaultTerms: PartnerTerms = { commissionBasisPoints: 0, limits: { min: null, max: null } }

/** The terms of B2B exchanges, for every account without its own. */
export const b2bTerms: PartnerTerms = { ...defaultTerms, feeSchedules: b2bFeeSchedules, kind: 'b2b' }

const known = new WeakMap<Terms, Record<Kind, PartnerTerms>>()

/**
 * The terms of an account for customers' or its own exchanges. The same object for the same `Terms`, because exchanges are
 * cached by it. Before the account's first price list the default one applies.
 */
export function termsOfAccount(account: Terms, kind: Kind): PartnerTerms {
  const both = known.get(account) ?? { retail: retailOf(account), b2b: b2bOf(account) }
  known.set(account, both)
  return both[kind]
}

const retailOf = ({ commissionBasisPoints, limits, limitsBySide, feeSchedules }: Terms): PartnerTerms => ({
  commissionBasisPoints,
  limits,
  limitsBySide,
  ...(feeSchedules.length === 0 ? {} : { feeSchedules: after(defaultSchedules, feeSchedules) }),
})

/** An account without its own settings shares the default terms, and the cache of their exchanges. */
function b2bOf({ b2bLimits: limits, b2bFeeSchedules: own }: Terms): PartnerTerms {
  if (limits.min === null && limits.max === null && own.length === 0) return b2bTerms
  const base = b2bTerms.feeSchedules ?? defaultSchedules
  return { ...b2bTerms, limits, feeSchedules: own.length === 0 ? base : after(base, own) }
}

/** The account's own lists, and before the first of them the default ones. */
function after(base: readonly FeeSchedule[], own: readonly AccountFees[]): readonly FeeSchedule[] {
  const [first] = own
  return [...base.filter(({ from }) => first && from < first.from), ...own]
}
