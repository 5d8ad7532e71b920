import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
import type { Partner } from '../partners/partner.ts'
import type { Terms } from '../partners/terms.ts'
import type { Bounds } from '../pricing/range.ts'

/** The terms on which a partner's exchanges are made. Its price list is a policy. */
export type PartnerTerms = {
  /** Whose policies apply; the house's where absent. */
  partnerId?: bigint
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** The account's own bounds of one exchange, decimal text in the market's reference currency (EUR). */
  limits: Bounds
  /** A side's bounds, in place of `limits`. */
  limitsBySide?: Readonly<Partial<Record<Side, Bounds>>>
  /** `retail` by default. */
  kind?: Kind
  /** What its orders came to in 30 days, in euro cents: zero where absent. */
  volumeCents?: bigint
}

/** The terms of public lists and ranges. */
export const defaultTerms: PartnerTerms = { commissionBasisPoints: 0, limits: { min: null, max: null } }

/** The terms of B2B exchanges in public lists. */
export const b2bTerms: PartnerTerms = { ...defaultTerms, kind: 'b2b' }

const known = new WeakMap<Terms, Record<Kind, PartnerTerms>>()

/**
 * The terms of an account for customers' or its own exchanges. The same object for the same settings, because exchanges are
 * cached by it.
 */
export function termsOfAccount(
  {
    id: partnerId,
    settings: { terms },
    volumeCents = 0n,
  }: Pick<Partner, 'id' | 'settings'> & Partial<Pick<Partner, 'volumeCents'>>,
  kind: Kind,
): PartnerTerms {
  const kept = known.get(terms)
  if (kept?.retail.partnerId === partnerId && kept.retail.volumeCents === volumeCents) return kept[kind]
  const { commissionBasisPoints, limits, limitsBySide, b2bLimits } = terms
  const both: Record<Kind, PartnerTerms> = {
    retail: { partnerId, commissionBasisPoints, limits, limitsBySide, volumeCents },
    b2b: { ...b2bTerms, partnerId, limits: b2bLimits, volumeCents },
  }
  known.set(terms, both)
  return both[kind]
}
