import { enterCode, giveEmail, sendToKnown } from '../verify-email.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { maskEmail } from '../../../exchange/customers/email.ts'
import type { Page, PageProps } from '../page.ts'
import { AcceptedTerms } from '../ui/accepted-terms.tsx'
import { timeLeft } from '../ui/time-left.ts'
import { OnceField } from '../../pages/form.tsx'
import { Form, QuietSubmit, Submit, TextField } from '../../ui/form.tsx'

/** Asks for the code that was sent. A typed code is never shown again. */
export const code: CheckoutStep = {
  phase: 'details',
  page: codePage,
  fields: ['code'],
  actions: { email: giveEmail, resend: sendToKnown, code: enterCode },
  isPublic: true,
}

function codePage(props: PageProps): Page {
  const { visit, language, here, home, now, problems, notices } = props
  const { say } = language
  const { view, code } = visit
  const email = visit.isTypedHere ? (visit.email ?? '') : maskEmail(visit.email ?? '')
  const lead = code?.isRepeat === true ? 'code.leadAgain' : 'code.lead'
  return {
    title: say('code.title'),
    body: (
      <>
        <p class="lead" {...timeLeft(code?.expiresAt ?? now, now, (time) => say(lead, { email, time }), language)} />
        <Form here={here} does="code">
          <OnceField />
          <TextField
            name="code"
            label={say('code.label')}
            problems={problems}
            inputMode="numeric"
            autocomplete="one-time-code"
            class="code"
          />
          {view.missing.includes('terms') || view.takesProofs ? <AcceptedTerms {...props} /> : null}
          <Submit>{say('code.submit')}</Submit>
        </Form>
        <div class="others">
          <Nothing {...props} />
          <QuietSubmit here={here} does="resend">
            {say('code.resend')}
          </QuietSubmit>
          <a href={`${home}&ask=email`}>{say(view.takesProofs ? 'code.another' : 'notMe.link')}</a>
          {notices.mailbox ? <a href={notices.mailbox.href}>{notices.mailbox.text(language)}</a> : null}
        </div>
      </>
    ),
  }
}

/** When a new code can be sent. A script counts down. */
function Nothing({ visit: { code }, language: { say, duration }, now }: PageProps) {
  const waitMs = code?.waitMs ?? 0
  const over = say('code.nothing')
  if (waitMs <= 0) return <p class="hint">{over}</p>
  return (
    <p
      class="hint"
      data-ends={now.getTime() + waitMs}
      data-text={say('code.wait', { time: '{time}' })}
      data-over={over}
    >
      {say('code.wait', { time: duration(waitMs) })}
    </p>
  )
}
