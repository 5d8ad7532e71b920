import { maskEmail } from '../../../exchange/customers/email.ts'
import type { Page, PageProps } from '../page.ts'
import { mayChangeEmail } from '../step.ts'
import { Form, Submit, TextField } from '../../ui/form.tsx'

/**
 * Asks for the e-mail address, or, where it is known, for leave to send a code to it: a letter goes out when somebody asks
 * for it, not when a program follows a link. A known address is shown masked.
 */
export function emailPage(props: PageProps): Page {
  const { visit, language, typed } = props
  const { email } = visit.view
  const isAsked = email === null || visit.wish === 'email' || typed.email !== undefined
  return {
    title: language.say('email.title'),
    body: isAsked ? <AskEmail {...props} /> : <KnownEmail {...props} email={email} />,
  }
}

function AskEmail({ language: { say }, here, problems, typed }: PageProps) {
  return (
    <>
      <p class="lead">{say('email.lead')}</p>
      <Form here={here} does="email">
        <TextField
          name="email"
          label={say('email.label')}
          problems={problems}
          value={typed.email}
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
      <p class="lead">{say('email.known', { email: maskEmail(email) })}</p>
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
