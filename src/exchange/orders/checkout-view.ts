import type { Listing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Billing } from '../customers/billing-field.ts'
import type { Quote } from '../pricing/quote.ts'
import type { PayTo } from '../../rails/rail.ts'
import type { Status } from '../transactions/lifecycle.ts'
import type { Personal, RefundView, StatusDetails } from '../transactions/transaction.ts'

/** What a customer still has to give, in the order in which the checkout asks for it. */
export type Missing = 'email' | 'code' | 'terms' | 'country' | 'billing' | 'payout_address' | 'identity'

/**
 * How far the check of the customer's identity has come that an order waits for: to be begun, to be shown something again, looked at
 * by the provider, or over without being enough for this order.
 */
export type IdentityState = 'start' | 'again' | 'review' | 'over'

/**
 * A transaction as the checkout needs it. It holds personal data: what of it a page may show depends on whether the e-mail
 * address is proven in the browser that asks. Amounts are in the smallest unit of `from` and `to`; times are business time.
 */
export type CheckoutView = {
  /** Ours; never shown. */
  id: bigint
  /** The order number that partner and customer see. */
  publicId: bigint
  /** What the links of the checkout carry. */
  tid: string
  partnerId: bigint
  partnerName: string
  status: Status
  statusDetails: StatusDetails | null
  errors: { code: string; reason: string }[]
  /** Empty when payment is next. */
  missing: Missing[]
  /** Null where no check of the identity is waited for. */
  identity: IdentityState | null
  email: string | null
  country: string | null
  /** Billing information; null where none is asked for, and until the e-mail address is proven. */
  billing: Billing | null
  from: Listing
  to: Listing
  /** What the customer pays, and what comes out of it at `quote`. */
  fromAmount: bigint
  toAmount: bigint
  quote: Quote
  /** All that has arrived in the expected asset. */
  arrived: bigint
  /** What goes back, or has gone. */
  refunds: readonly RefundView[]
  /** Until when the price holds, and until when it can be paid at all. */
  quoteExpiresAt: Date
  expiresAt: Date
  /** How the customer pays, and how the customer is paid. */
  deposit: PaymentMethod
  payout: PaymentMethod
  /** Where to pay, with our reference; null until everything is known. */
  payTo: (PayTo & { reference: string }) | null
  /** Confirmations that make coins final; null for other money. */
  confirmations: number | null
  /** Whether the customer may choose another way to pay: `waysToPay` names them. */
  mayChooseMethod: boolean
  /** The address, or the account of a bank payout. */
  payoutAddress: string | null
  /** Its memo or tag, or the bank's BIC. */
  extraId: string | null
  /** The holder of the account of a bank payout. */
  payoutHolder: string | null
  payoutAddressChangeable: boolean
  /** Where the partner wants the customer back; `$$` stands for the order number. */
  redirects: Personal['redirects']
  /** The rail has taken the payout that is on its way: before, it is only planned. */
  isTaken: boolean
  outputHash: string | null
  explorerUrl: string | null
  locale: string | null
  history: { status: Status; at: Date }[]
}

/** One way to pay, and what would come out of it now. */
export type WayToPay = { method: PaymentMethod; name: string; toAmount: bigint }
