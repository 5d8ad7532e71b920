import type { Kind } from '../../reference/catalog/payment-method.ts'
import type { AccountFees, Terms } from '../partners/terms.ts'
import { feeSchedules as houseSchedules, type FeeSchedule } from '../pricing/fees.ts'
import { b2bTerms, type PartnerTerms } from './resolve.ts'

const known = new WeakMap<Terms, Record<Kind, PartnerTerms>>()

/**
 * What an account's settings say about its customers' exchanges and about its own. The same object for the same `Terms`, and
 * what is remembered of an exchange is remembered for it. Where the account has no price list yet, the house's hold.
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
  ...(feeSchedules.length === 0 ? {} : { feeSchedules: after(houseSchedules, feeSchedules) }),
})

/** An account with nothing of its own shares the terms of all, and with them what is remembered of them. */
function b2bOf({ b2bLimits: limits, b2bFeeSchedules: own }: Terms): PartnerTerms {
  if (limits.min === null && limits.max === null && own.length === 0) return b2bTerms
  const house = b2bTerms.feeSchedules ?? houseSchedules
  return { ...b2bTerms, limits, feeSchedules: own.length === 0 ? house : after(house, own) }
}

/** The account's own lists, and before the first of them the house's. */
function after(house: readonly FeeSchedule[], own: readonly AccountFees[]): readonly FeeSchedule[] {
  const [first] = own
  return [...house.filter(({ from }) => first && from < first.from), ...own]
}
