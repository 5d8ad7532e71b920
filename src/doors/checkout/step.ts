import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { StepName } from '../../exchange/orders/steps.ts'
import { open, type Status } from '../../exchange/transactions/lifecycle.ts'

/** One page of the checkout: what the customer still has to give, or what comes after. */
export type Step =
  | StepName
  | 'pay' //            everything is known; shown once more, with how to pay
  | 'checking' //       a payment was made or started, or can't be looked up, and has not reached the order yet
  | 'confirming' //     money was seen and is not final: unconfirmed coins, an announced transfer
  | 'progress'
  | 'decide' //         the customer must decide: a new price, sending the rest, or a refund
  | 'refund_address' // a refund needs an address
  | 'hold'
  | 'done'
  | 'ended' //          expired, cancelled, failed, refunded

/**
 * What a customer may ask to see instead of the next step. `proof`: the e-mail steps, for what an ended order hides; `identity`: the
 * customer returns from the identity check.
 */
export type Wish = Step | 'proof'

/** Statuses in which the e-mail address is verified before anything personal is asked or shown; later pages hide it instead. */
export const asksForProof = (status: Status): boolean => open.has(status)

/** A payment was declined, and no later attempt has succeeded. */
export const wasDeclined = ({ errors }: Pick<CheckoutView, 'errors'>): boolean =>
  errors.some(({ code }) => code.endsWith('_declined'))

/** The payout was returned and needs another destination. */
export const isAddressNeeded = ({ status, statusDetails }: Pick<CheckoutView, 'status' | 'statusDetails'>): boolean =>
  status === 'on_hold' && statusDetails === 'address_needed'

/** The partner lets the customer choose the destination, and no money has arrived. */
export const mayChangeAddress = ({ payoutAddressChangeable, status }: CheckoutView): boolean =>
  payoutAddressChangeable && asksForProof(status)

/** The order asks for billing information, and no money has arrived. */
export const mayChangeBilling = ({ billing, status }: CheckoutView): boolean => billing !== null && asksForProof(status)

/** An expired price can be renewed until money is seen; before the order has a customer, by anyone who has its link. */
export const mayRenew = ({
  view: { status, statusDetails, missing },
  customerId,
}: {
  view: Pick<CheckoutView, 'status' | 'statusDetails' | 'missing'>
  customerId: bigint | undefined
}): boolean =>
  asksForProof(status) && statusDetails !== 'confirming' && (customerId !== undefined || missing.includes('code'))

/** Until money arrives, browsers in a country that we don't serve are turned away. */
export const testsBrowser = ({ status, statusDetails }: CheckoutView): boolean =>
  asksForProof(status) && statusDetails !== 'confirming'

/** An order that usually no longer changes: late money, or a returned payout, still can. */
export const isSettled = (step: Step): boolean => step === 'done' || step === 'ended'
