import type { Listing } from '../catalog/asset.ts'
import type { Quote } from '../pricing/quote.ts'
import type { Status } from './lifecycle.ts'
import type { Personal, StatusDetails } from './transaction.ts'

/** What a customer still has to give, in the order in which the checkout asks for it. */
export type Missing = 'email' | 'code' | 'country' | 'payout_address'

/**
 * A transaction as the checkout needs it. It holds personal data: what of it a page may show depends on whether the e-mail
 * address is proven in the browser that asks. Amounts are in the smallest unit of `from` and `to`; times are business time.
 */
export type CheckoutView = {
  /** Ours; never shown. */
  id: bigint
  /** The order number that partner and customer see. */
  publicId: bigint
  partnerId: bigint
  partnerName: string
  status: Status
  statusDetails: StatusDetails | null
  errors: { code: string; reason: string }[]
  /** Empty when payment is next. */
  missing: Missing[]
  email: string | null
  country: string | null
  from: Listing
  to: Listing
  /** What the customer pays, and what comes out of it at `quote`. */
  fromAmount: bigint
  toAmount: bigint
  quote: Quote
  /** Until when the price holds, and until when it can be paid at all. */
  quoteExpiresAt: Date
  expiresAt: Date
  payoutAddress: string | null
  extraId: string | null
  payoutAddressChangeable: boolean
  /** Where the partner wants the customer back; `$$` stands for the order number. */
  redirects: Personal['redirects']
  outputHash: string | null
  explorerUrl: string | null
  locale: string | null
  history: { status: Status; at: Date }[]
}
