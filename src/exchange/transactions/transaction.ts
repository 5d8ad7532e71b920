import type { Listing } from '../../reference/catalog/asset.ts'
import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
import type { Billing, BillingField } from '../customers/billing-field.ts'
import type { SharedToken } from '../customers/import-identity.ts'
import type { Quote } from '../pricing/quote.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Warning } from './create-input.ts'
import type { Status } from './lifecycle.ts'
import type { StatusChange } from './status-history.ts'

/** Why a transaction waits, as partners see it. */
export type StatusDetails =
  | 'confirming'
  | 'kyc_required'
  | 'underpaid'
  | 'overpaid' // part of the interface; nothing is held for it
  | 'late'
  | 'wrong_asset'
  | 'payout_unknown'
  | 'address_needed'
  | 'refund_pending'
  | 'review'

/** The personal data of a transaction. Stored encrypted with the transaction's data key, never logged. */
export type Personal = {
  email: string | null
  phoneNumber: string | null
  ip: string | null
  payoutAddress: string | null
  payoutExtraId: string | null
  /** The holder of the account that a bank payout goes to. */
  payoutHolder: string | null
  /** The BIC of a bank in between, where an institution's account has one; absent for all others. */
  payoutIntermediary?: string
  /** The deposit address that the customer was shown; null for other money and before everything is known. */
  depositAddress: { address: string; extraId: string } | null
  /** Our account that an institution pays to, with our reference; absent for all others. */
  depositAccount?: { holder: string; account: string; bic: string; bank: string; reference: string }
  redirects: { successful?: string; cancelled?: string; failed?: string }
  /**
   * Billing information as far as it is known; null: nobody has asked for it, `{}`: everything is still to be asked. Until the
   * customer has proven the address it holds only what the partner passed for this transaction.
   */
  billing: Billing | null
  /** The email that billing and destination were passed for, in orders of earlier versions, where a visitor could replace `email`. */
  billingEmail?: string
  destinationEmail?: string
  /** What the partner passed, where it passed no email address and one was proven: it binds (orders/giver.ts). */
  passed?: PassedFacts
  /** Fields of the billing information in `passed` that the customer has corrected. */
  corrected?: readonly BillingField[]
  /** The versions of the terms and of the privacy notice that were accepted last; absent: none yet. */
  accepted?: string
  /** The language that the customer read in when the address was proven; absent: not known. */
  locale?: string
  /** The time zone of the browser that proved the address, `Europe/Berlin`; absent: not known. */
  timeZone?: string
  /** What the customer was last written to about, while the order waits for that; absent: nothing. */
  asked?: string
  /** Answers to checkout steps that need no field of their own, by step name. */
  answers?: Readonly<Record<string, string>>
  /** The token that an identity provider shares the customer with; removed once it was used or refused. */
  sharedToken?: SharedToken
}

/** What a partner passed for an order without an email address: it is written with each change of the order, so without what is null. */
export type PassedFacts = {
  [Name in 'billing' | 'payoutAddress' | 'payoutExtraId' | 'payoutHolder']?: NonNullable<Personal[Name]>
} & { country?: string }

/** What was agreed at creation and does not change. */
export type Terms = {
  locale: string | null
  skipChoosePayoutAddress: boolean
  skipChoosePaymentCategory: boolean
  payoutAddressChangeable: boolean
  warnings: Warning[]
}

/**
 * The state of a refund. `ordered`: nothing has left. `address_needed`: where to is not known. `sent`: a payment of it is prepared.
 * `failed`: it came back or never left, and is not ordered again. `cancelled`: nothing was sent, and nothing is owed.
 */
export type RefundState = 'ordered' | 'address_needed' | 'sent' | 'paid' | 'failed' | 'cancelled'

/** A refund as records tell of it. Amounts in the asset's smallest unit; `plan` is where the rail has it, if it has. */
export type RefundView = {
  publicId: bigint
  asset: string
  amount: bigint
  cost: bigint
  reason: string
  state: RefundState
  plan: string | null
  hash: string | null
}

/** One exchange that a partner created, from `new` to its end. Amounts are in the smallest unit of `from` and `to`. */
export type Transaction = {
  /** Ours, sequential; never shown. */
  id: bigint
  /** What partners and customers see. */
  publicId: bigint
  /** What the checkout link carries; null where that is the public id: B2B, and what was created before there were tokens. */
  checkoutToken: string | null
  partnerId: bigint
  kind: Kind
  /** The registered address that a B2B transaction pays to; null for a customer's. */
  payoutAddressId: bigint | null
  side: Side
  status: Status
  statusDetails: StatusDetails | null
  from: Listing
  to: Listing
  expectedFrom: bigint
  expectedTo: bigint
  /** What was agreed first; null as long as that is what is expected. */
  initialExpectedFrom: bigint | null
  /** All that arrived in the expected asset. */
  fromAmount: bigint
  /** What the expected amount was worth in euro cents when the price was made. */
  fromAmountInEur: bigint | null
  /** Paid out; null until the rail's evidence is there. */
  toAmount: bigint | null
  depositMethod: string
  payoutMethod: string
  country: string | null
  quoteNumber: number
  quote: Quote
  /** How many status changes and events there have been. */
  statusChanges: number
  events: number
  history: StatusChange[]
  /** What goes or went back, in its order. */
  refunds: RefundView[]
  errors: { code: string; reason: string }[]
  terms: Terms
  externalPartnerLinkId: string | null
  outputHash: string | null
  partnerCustomerId: bigint | null
  /** The customer whose e-mail address was proven for this transaction. */
  customerId: bigint | null
  dataKey: DataKey
  personal: Personal
  /** The person has been erased: nothing personal is known, and nothing more of it is exchanged or paid. */
  isErased?: true
  quoteExpiresAt: Date
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
}

/** Where a transaction's personal data belongs; sealed bytes open nowhere else. */
export const personalPlace = (publicId: bigint): string => `transactions:${publicId}`
