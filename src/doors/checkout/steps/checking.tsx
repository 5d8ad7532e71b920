import { openPayment } from '../open-payment.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { PaymentProgress } from '../../../exchange/settlement/ask-rails.ts'
import type { Page, PageProps } from '../page.ts'
import { Form } from '../../ui/form.tsx'
import { RefreshHere } from '../ui/links.tsx'

/** A payment was found or started, or can't be looked up: what is known about it, and never a second way to pay. */
export const checking: CheckoutStep = {
  phase: 'payment',
  page: checkingPage,
  actions: { pay: openPayment },
}

const texts = {
  none: 'checking.unclear',
  begun: 'checking.begun',
  begun_before: 'checking.unclear',
  silent: 'checking.unclear',
  paid: 'checking.paid',
} as const satisfies Record<PaymentProgress, string>

function checkingPage(props: PageProps): Page {
  const { visit, language } = props
  const { say } = language
  const { payment } = visit
  return {
    title: say('checking.title'),
    body: (
      <>
        <p class="lead">{say(texts[payment])}</p>
        <div class="spinner" aria-hidden="true" />
        <RefreshHere {...props} />
        {payment === 'begun' ? <BackToIt {...props} /> : null}
      </>
    ),
  }
}

/** Back to the payment that was started: the page of one reference takes money only once. */
function BackToIt({ language: { say }, here }: PageProps) {
  return (
    <Form here={here} does="pay">
      <button type="submit" class="button second">
        {say('checking.again')}
      </button>
    </Form>
  )
}
