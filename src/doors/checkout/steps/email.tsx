import { enterCode, giveEmail, readEmail, sendToKnown } from '../verify-email.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { maskEmail } from '../../../exchange/customers/email.ts'
import type { Page, PageProps } from '../page.ts'
import { mayChangeEmail } from '../step.ts'
import { Form, Submit, TextField } from '../../ui/form.tsx'

/** Asks for the e-mail address, or, if it is known, for permission to send a code to it: following a link sends no e-mail. A known address is masked. */
export const email: CheckoutStep = {
  phase: 'details',
  page: emailPage,
  fields: ['email'],
  actions: { email: giveEmail, send: sendToKnown, code: enterCode },
  isPublic: true,
  async checkField({ fields }) {
    readEmail(fields)
  },
}

function emailPage(props: PageProps): Page {
  const { visit, language, typed } = props
  const { email } = visit.view
  const isAsked = email === null || visit.wish === 'email' || typed.email !== undefined
  return {
    title: language.say('email.title'),
    body: isAsked ? <AskEmail {...props} /> : <KnownEmail {...props} email={email} />,
  }
}

/** An address that was typed here can be corrected. */
function AskEmail({ visit, language: { say }, here, problems, typed }: PageProps) {
  const known = visit.isTypedHere ? (visit.view.email ?? undefined) : undefined
  return (
    <>
      <p class="lead">{say('email.lead')}</p>
      <Form here={here} does="email">
        <TextField
          name="email"
          label={say('email.label')}
          problems={problems}
          value={typed.email ?? known}
          type="email"
          inputMode="email"
          autocomplete="email"
        />
        <Submit>{say('email.submit')}</Submit>
      </Form>
    </>
  )
}

function KnownEmail({ language: { say }, here, home, visit, email }: PageProps & { email: string }) {
  return (
    <>
      <p class="lead">{say('email.known', { email: visit.isTypedHere ? email : maskEmail(email) })}</p>
      <Form here={here} does="send">
        <Submit>{say('email.submit')}</Submit>
      </Form>
      {mayChangeEmail(visit.view) ? (
        <p class="others">
          <a href={`${home}&ask=email`}>{say('email.another')}</a>
        </p>
      ) : null}
    </>
  )
}
