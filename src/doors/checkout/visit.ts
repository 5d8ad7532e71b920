import type { PendingCode } from '../../exchange/customers/one-time-code.ts'
import type { Task } from '../../exchange/customers/proof-of-work.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { CustomerChoices } from '../../exchange/orders/choose.ts'
import type { PaymentProgress } from '../../exchange/settlement/ask-rails.ts'
import type { Step, Wish } from './step.ts'

/** A request to the checkout: the order, this browser, and the page that follows from both. */
export type Visit = {
  view: CheckoutView
  step: Step
  /** What the customer may decide now; empty if the e-mail address is not verified in this browser. */
  choices: CustomerChoices
  /** What the customer asked to see, if anything. */
  wish: Wish | undefined
  /** The processor has sent the customer back. */
  isBack: boolean
  /** What the rails know about a payment that has not reached the order yet. */
  payment: PaymentProgress
  /** The customer whose e-mail address is verified in this browser; undefined: nothing personal may be shown. */
  customerId: bigint | undefined
  /** The address that a code is sent to, and that this browser is to prove: the order's, else what was typed in this browser. */
  email: string | null
  /** `email` was typed in this browser, which may see it in full. */
  isTypedHere: boolean
  /** A code to the order's own address was asked for in this browser. */
  hasAsked: boolean
  /** The code that was sent and can still be entered. */
  code: PendingCode | undefined
  /** What the browser has to solve before a code is sent from this page. */
  task?: Task | undefined
  /** The browser is in a country that we don't serve, and no money has arrived. */
  isRefused: boolean
  /** Where the browser is, alpha-2, as far as it is known: a suggestion. */
  browserCountry?: string | undefined
  /** The countries that we do not serve at present, alpha-2. */
  blockedCountries?: ReadonlySet<string>
  /** Changes whenever the page would. Reveals nothing. */
  version: string
}
