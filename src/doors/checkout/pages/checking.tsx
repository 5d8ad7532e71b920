import type { PaymentWord } from '../../../exchange/settlement/ask-rails.ts'
import type { Page, PageProps } from '../page.ts'
import { Form } from '../../ui/form.tsx'
import { RefreshHere } from '../ui/links.tsx'

const texts = {
  none: 'checking.unclear',
  begun: 'checking.begun',
  begun_before: 'checking.unclear',
  silent: 'checking.unclear',
  paid: 'checking.paid',
} as const satisfies Record<PaymentWord, string>

/** A payment is found, under way or not to be asked for: what of it is known, and never a way to pay twice. */
export function checkingPage(props: PageProps): Page {
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

/** To the payment that was begun: the page of one reference takes money once. */
function BackToIt({ language: { say }, here }: PageProps) {
  return (
    <Form here={here} does="pay">
      <button type="submit" class="button second">
        {say('checking.again')}
      </button>
    </Form>
  )
}
