import type { CheckoutView } from '../../exchange/orders/checkout-view.ts'
import type { CustomerChoices } from '../../exchange/orders/choose.ts'
import type { PaymentProgress } from '../../exchange/settlement/ask-rails.ts'
import type { Status } from '../../exchange/transactions/lifecycle.ts'
import { asksForProof, isAddressNeeded, type Step, type Wish } from './step.ts'
import { checkoutSteps } from './steps.ts'
import { flowOf } from './way-to-pay.ts'

/** What decides which page is shown: the order, and this browser. */
export type Situation = {
  view: CheckoutView
  /** What the customer may decide; empty if the address is not verified in this browser. */
  choices: CustomerChoices
  /** The address that this browser is to prove, if any. */
  email: string | null
  /** The e-mail address is verified in this browser. */
  isProven: boolean
  /** A code was sent that can still be entered. */
  hasCode: boolean
  /** The processor has just sent the customer back. */
  isBack: boolean
  /** What the rails know about a payment that has not reached the order yet. */
  payment: PaymentProgress
  wish: Wish | undefined
}

/** What `?ask=` may name: a step that can be reopened, the e-mail steps, or the way back from an identity check. */
export const wishes: readonly Wish[] = [
  'email',
  'proof',
  'identity',
  ...(Object.keys(checkoutSteps) as Step[]).filter((step) => checkoutSteps[step].mayReopen),
]

/** The page to show. It depends only on what the server knows, so two tabs, the back button and a reload all agree. */
export function stepOf(situation: Situation): Step {
  const { view, isProven, wish } = situation
  const step = stepOfStatus(view.status, situation)
  if (isProven) return step
  return asksForProof(view.status) || (wish === 'proof' && view.email !== null) ? proofStep(situation) : step
}

function proofStep({ email, hasCode, wish }: Situation): Step {
  return email === null || wish === 'email' || !hasCode ? 'email' : 'code'
}

function stepOfStatus(status: Status, situation: Situation): Step {
  switch (status) {
    case 'new':
    case 'waiting_for_customer':
      return reopened(situation) ?? detailStep(situation)
    case 'waiting_for_deposit':
      return paymentStep(situation)
    case 'exchanging':
    case 'sending':
      return 'progress'
    case 'on_hold':
      return situation.isProven ? holdStep(situation) : 'hold'
    case 'finished':
      return 'done'
    case 'expired':
    case 'cancelled':
    case 'failed':
      return situation.isProven && situation.payment === 'paid' ? 'checking' : 'ended'
    case 'refunded':
      return 'ended'
  }
}

function holdStep({ view, choices }: Situation): Step {
  // A refund without an address has the same status details as a returned payout.
  if (choices.refund_address) return 'refund_address'
  if (isAddressNeeded(view)) return 'payout_address'
  return choices.accept_price || choices.exchange_what_came || choices.refund ? 'decide' : 'hold'
}

const detailStep = ({ view }: Situation): Step =>
  view.missing.find((step) => step !== 'email' && step !== 'code') ?? 'pay'

function paymentStep(situation: Situation): Step {
  const { view, isBack, payment } = situation
  const isPage = flowOf(view.deposit) === 'page'
  if (view.statusDetails === 'confirming') return isPage ? 'checking' : 'confirming'
  if (payment !== 'none' && (isPage || isBack)) return 'checking'
  return reopened(situation) ?? 'pay'
}

/** An earlier step that the customer has asked to see again. */
function reopened({ view, wish }: Situation): Step | undefined {
  return wish !== undefined && wish !== 'proof' && checkoutSteps[wish].mayReopen?.(view) ? wish : undefined
}
