import type { Side } from '../../reference/catalog/payment-method.ts'

/** Least and greatest source amount of one exchange, both accepted, decimal text in the market's reference currency. */
export type Limits = { min: string | null; max: string | null }

/** No bounds of an account's own. */
export const noLimits: Limits = { min: null, max: null }

/** One price list of an account's own, from a moment of business time on; the shape that `pricing/` reads. */
export type AccountFees = {
  /** Stored with every quote made under it, so it names one list for ever. */
  version: string
  /** Business time from which it holds, until a later one does. */
  from: Date
  /** In hundredths of a percent of what the customer pays. */
  serviceBasisPoints: Readonly<Record<Side, number>>
  /** Least service fee, decimal text in the market's reference currency. */
  serviceMinimum: string
  /** Kept from the market's price, in hundredths of a percent. */
  spreadBasisPoints: Readonly<Record<Side, number>>
}

/** What an account's exchanges cost and how large they may be. */
export type Terms = {
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** Oldest first. Before the first one, and if the list is empty, the default price lists apply. */
  feeSchedules: readonly AccountFees[]
  /** The same for the institution's own exchanges. */
  b2bFeeSchedules: readonly AccountFees[]
  /** Bounds of a customer's exchange, on the sides that have none of their own. */
  limits: Limits
  limitsBySide: Readonly<Partial<Record<Side, Limits>>>
  /** Bounds of the institution's own exchanges. */
  b2bLimits: Limits
}

/** Terms as JSON keeps them: times are texts. What is younger than the account is not there. */
export type StoredTerms = Partial<
  Omit<Terms, 'feeSchedules' | 'b2bFeeSchedules'> & Record<'feeSchedules' | 'b2bFeeSchedules', StoredFees[]>
>
type StoredFees = Omit<AccountFees, 'from'> & { from: string }

/** Reads what is stored. */
export const readTerms = ({ feeSchedules = [], b2bFeeSchedules = [], ...rest }: StoredTerms): Partial<Terms> => ({
  ...rest,
  feeSchedules: feeSchedules.map(revived),
  b2bFeeSchedules: b2bFeeSchedules.map(revived),
})

const revived = ({ from, ...fees }: StoredFees): AccountFees => ({ ...fees, from: new Date(from) })
