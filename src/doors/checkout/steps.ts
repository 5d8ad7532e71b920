import type { Refusal } from '../../platform/lib/refusal.ts'
import type { Language } from '../../platform/language/language.ts'
import type { ShownProblem } from '../ui/problem.ts'
import { spellProblem } from '../ui/spell-problem.ts'
import type { CheckoutStep } from './checkout-step.ts'
import type { Step } from './step.ts'
import { billing } from './steps/billing.tsx'
import { checking } from './steps/checking.tsx'
import { code } from './steps/code.tsx'
import { confirming } from './steps/confirming.tsx'
import { country } from './steps/country.tsx'
import { decide } from './steps/decide.tsx'
import { done } from './steps/done.tsx'
import { email } from './steps/email.tsx'
import { ended } from './steps/ended.tsx'
import { hold } from './steps/hold.tsx'
import { identity } from './steps/identity.tsx'
import { method } from './steps/method.tsx'
import { payoutAddress } from './steps/payout-address.tsx'
import { pay } from './steps/pay.tsx'
import { progress } from './steps/progress.tsx'
import { refundAddress } from './steps/refund-address.tsx'
import { terms } from './steps/terms.tsx'

/** Every page of the checkout. What a customer still has to give comes first; next-step.ts decides which page is shown. */
export const checkoutSteps: Readonly<Record<Step, CheckoutStep>> = {
  email,
  code,
  terms,
  country,
  billing,
  payout_address: payoutAddress,
  identity,
  pay,
  method,
  checking,
  confirming,
  progress,
  decide,
  refund_address: refundAddress,
  hold,
  done,
  ended,
}

/** Whether the customer types on this page, so that it is not replaced when only the price changes. */
export const isTyped = (step: Step): boolean => checkoutSteps[step].fields !== undefined

/** The messages for a refusal, on the page that is shown then. */
export function problemsOf(refusal: Refusal, step: Step, language: Language): ShownProblem[] {
  const { code: refusalCode, message, problems } = refusal
  const all = problems.length > 0 ? problems : [{ path: '', code: refusalCode, message }]
  return all.map((problem) => ({
    field: checkoutSteps[step].fields?.includes(problem.path) ? problem.path : '',
    text: spellProblem(problem, language),
  }))
}
