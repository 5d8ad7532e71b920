import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { Company } from '../../exchange/settings.ts'
import type { Language } from '../../platform/language/language.ts'

/** What pages of the checkout say in addition, in the reader's language. An exchange with real money says who its operator is, and nothing else. */
export type Notices = {
  /** The operator, at the end of every page. */
  company?: Company
  /** At the end of every page. */
  footer?(language: Language): string
  /** A page where our e-mails can be read, linked where a code is asked for. */
  mailbox?: { href: string; text(language: Language): string }
  /** Below the hash of a payout on a chain. */
  coinPayout?(language: Language): string
  /** Below the reference of a payout by a bank. */
  bankPayout?(language: Language): string
}

/** A button that pays in the customer's place: a form without fields that is sent to `action`. */
export type PayButton = { action: string; hint(language: Language): string; label(language: Language): string }

/** What a checkout is started with. */
export type CheckoutOptions = {
  /** Where a form may lead besides (Content-Security-Policy, form-action): where customers pay, and where they are checked. */
  leadsTo: readonly string[]
  notices: Notices
  /** The button for this order, where there is one. */
  payButton(view: CheckoutView, language: Language): PayButton | undefined
}
