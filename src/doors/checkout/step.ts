import type { PaymentWord } from '../../exchange/settlement/ask-rails.ts'
import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { CustomerChoices } from '../../exchange/orders/choose.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import { flowOf } from './way-to-pay.ts'

/** One page of the checkout. */
export type Step =
  | 'email' //          the address is not known, or no code has been sent to it yet
  | 'code' //           a code is on its way
  | 'terms' //          the terms have changed since they were accepted, or have not been shown yet
  | 'country'
  | 'billing'
  | 'payout_address'
  | 'identity' //       the order waits for a check of who the customer is
  | 'pay' //            everything is known; shown whole, once more
  | 'method' //         another way to pay is asked for
  | 'checking' //       a payment is through, under way or not to be asked for, and the order has not heard of it yet
  | 'confirming' //     the money is seen and not there for good: coins that a network confirms, a transfer announced
  | 'progress'
  | 'decide' //         the customer's word is needed: a new price, the rest, or the money back
  | 'refund_address' // a refund waits for an address
  | 'hold'
  | 'done'
  | 'ended' //          expired, cancelled, failed, refunded

/**
 * What a customer may ask to see instead of the next step. `proof`: the e-mail steps, for what an ended order hides; `identity`: the
 * customer comes back from the check of the identity.
 */
export const wishes = ['email', 'billing', 'payout_address', 'method', 'proof', 'identity'] as const

/** One of them. */
export type Wish = (typeof wishes)[number]

/** What is known of a visit: the transaction, and this browser. */
export type Known = {
  view: CheckoutView
  /** What the customer may decide; nothing where the address is not proven in this browser. */
  choices: CustomerChoices
  /** The e-mail address is proven in this browser. */
  isProven: boolean
  /** A code was sent that can still be answered. */
  hasCode: boolean
  /** The processor has just sent the customer back. */
  isBack: boolean
  /** How the payment stands of which the order has not heard yet. */
  payment: PaymentWord
  wish: Wish | undefined
}

/**
 * The one page that is true now. It depends on nothing but what the server knows: two tabs, the back button and a reload
 * all come to the same.
 */
export function stepOf(known: Known): Step {
  const { view, isProven, wish } = known
  const step = stepOfStatus(view.status, known)
  if (isProven) return step
  return asksForProof(view.status) || (wish === 'proof' && view.email !== null) ? proofStep(known) : step
}

/** Where something personal is asked or shown, the e-mail address comes first. The other pages hide it. */
export const asksForProof = (status: Status): boolean =>
  status === 'new' || status === 'waiting_for_customer' || status === 'waiting_for_deposit'

function proofStep({ view, hasCode, wish }: Known): Step {
  if (view.email === null || (wish === 'email' && mayChangeEmail(view))) return 'email'
  return hasCode ? 'code' : 'email'
}

function stepOfStatus(status: Status, known: Known): Step {
  switch (status) {
    case 'new':
    case 'waiting_for_customer':
      return detailStep(known)
    case 'waiting_for_deposit':
      return paymentStep(known)
    case 'exchanging':
    case 'sending':
      return 'progress'
    case 'on_hold':
      return known.isProven ? holdStep(known) : 'hold'
    case 'finished':
      return 'done'
    case 'expired':
    case 'cancelled':
    case 'failed':
      return known.isProven && known.payment === 'paid' ? 'checking' : 'ended'
    case 'refunded':
      return 'ended'
  }
}

function holdStep({ view, choices }: Known): Step {
  // A refund that does not know where to go is said to need an address, too.
  if (choices.refund_address) return 'refund_address'
  if (isAddressNeeded(view)) return 'payout_address'
  return choices.accept_price || choices.exchange_what_came || choices.refund ? 'decide' : 'hold'
}

function detailStep({ view, wish }: Known): Step {
  if (wish === 'payout_address' && mayChangeAddress(view)) return 'payout_address'
  if (wish === 'billing' && mayChangeBilling(view)) return 'billing'
  const next = view.missing.find((detail) => detail !== 'email' && detail !== 'code')
  return next ?? 'pay'
}

function paymentStep({ view, isBack, payment, wish }: Known): Step {
  const isPage = flowOf(view.deposit) === 'page'
  if (view.statusDetails === 'confirming') return isPage ? 'checking' : 'confirming'
  if (payment !== 'none' && (isPage || isBack)) return 'checking'
  if (wish === 'payout_address' && mayChangeAddress(view)) return 'payout_address'
  if (wish === 'billing' && mayChangeBilling(view)) return 'billing'
  if (wish === 'method' && view.mayChooseMethod) return 'method'
  return 'pay'
}

/** A card or a payment was declined and no later attempt has gone through. */
export const wasDeclined = ({ errors }: Pick<CheckoutView, 'errors'>): boolean =>
  errors.some(({ code }) => code.endsWith('_declined'))

/** The payout came back, and waits for another place to go to. */
export const isAddressNeeded = ({ status, statusDetails }: Pick<CheckoutView, 'status' | 'statusDetails'>): boolean =>
  status === 'on_hold' && statusDetails === 'address_needed'

/** An address that was proven once stays; until then the customer may have mistyped it. */
export const mayChangeEmail = ({ missing, status }: Pick<CheckoutView, 'missing' | 'status'>): boolean =>
  missing.includes('code') && (status === 'new' || status === 'waiting_for_customer')

/** The partner has left the address to the customer, and no money has arrived. */
export const mayChangeAddress = ({ payoutAddressChangeable, status }: CheckoutView): boolean =>
  payoutAddressChangeable && asksForProof(status)

/** Billing information is asked for in this order, and no money has arrived. */
export const mayChangeBilling = ({ billing, status }: CheckoutView): boolean => billing !== null && asksForProof(status)

/**
 * A price that has ended can be made anew while no money has been seen; as long as it is not known whose the order is, by whoever
 * has its link.
 */
export const mayRenew = ({
  view: { status, statusDetails, missing },
  customerId,
}: {
  view: Pick<CheckoutView, 'status' | 'statusDetails' | 'missing'>
  customerId: bigint | undefined
}): boolean =>
  asksForProof(status) && statusDetails !== 'confirming' && (customerId !== undefined || missing.includes('code'))

/** Until money has arrived, nobody goes on from a country that we do not serve; then they see what becomes of it. */
export const testsBrowser = ({ status, statusDetails }: CheckoutView): boolean =>
  asksForProof(status) && statusDetails !== 'confirming'

/** A page on which somebody types: what they have typed stays while only the price beside it changes. */
export const isTyped = (step: Step): boolean =>
  step === 'refund_address' || (phaseOf(step) === 'details' && step !== 'identity')

/** A page that asks where coins shall go. */
export const asksForCoinAddress = (step: Step, { to }: Pick<CheckoutView, 'to'>): boolean =>
  step === 'refund_address' || (step === 'payout_address' && to.currency.kind === 'CRYPTO')

/** A page of an order that usually changes no more: late money, or a payout that comes back, can still change it. */
export const isSettled = (step: Step): boolean => step === 'done' || step === 'ended'

/** Which third of the way a step belongs to; undefined where there is no way on. */
export function phaseOf(step: Step): 'details' | 'payment' | 'delivery' | undefined {
  if (step === 'pay' || step === 'method' || step === 'checking' || step === 'confirming') return 'payment'
  if (step === 'progress' || step === 'done') return 'delivery'
  const hasNoWayOn = step === 'hold' || step === 'decide' || step === 'refund_address' || step === 'ended'
  return hasNoWayOn ? undefined : 'details'
}
