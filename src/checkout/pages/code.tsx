import { maskEmail } from '../../customers/email.ts'
import type { Page, PageProps } from '../page.ts'
import { mayChangeEmail } from '../step.ts'
import { AcceptedTerms } from '../ui/accepted-terms.tsx'
import { Form, QuietSubmit, Submit, TextField } from '../../ui/form.tsx'

/** Asks for the code that was sent. It is never shown again once typed. */
export function codePage(props: PageProps): Page {
  const { visit, language, here, home, now, problems, isSandbox } = props
  const { say, duration } = language
  const { view, code } = visit
  const time = duration((code?.expiresAt ?? now).getTime() - now.getTime())
  return {
    title: say('code.title'),
    body: (
      <>
        <p class="lead">{say('code.lead', { email: maskEmail(view.email ?? ''), time })}</p>
        <Form here={here} does="code">
          <TextField
            name="code"
            label={say('code.label')}
            problems={problems}
            inputMode="numeric"
            autocomplete="one-time-code"
            class="code"
          />
          {view.missing.includes('terms') ? <AcceptedTerms {...props} /> : null}
          <Submit>{say('code.submit')}</Submit>
        </Form>
        <div class="others">
          <QuietSubmit here={here} does="resend">
            {say('code.resend')}
          </QuietSubmit>
          {mayChangeEmail(view) ? <a href={`${home}&ask=email`}>{say('code.another')}</a> : null}
          {isSandbox ? <a href="/sandbox/mail">{say('code.mailbox')}</a> : null}
        </div>
      </>
    ),
  }
}
