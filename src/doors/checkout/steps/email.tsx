import { enterCode, giveEmail, readEmail, sendToKnown } from '../verify-email.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import { maskEmail } from '../../../exchange/customers/email.ts'
import type { Page, PageProps } from '../page.ts'
import { BackLink } from '../ui/links.tsx'
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
  const { email, wish, view } = visit
  const isAsked = view.takesProofs && (wish === 'email' || typed.email !== undefined)
  if (email === null || isAsked) return { title: language.say('email.title'), body: <AskEmail {...props} /> }
  if (wish === 'email') return { title: language.say('notMe.title'), body: <NotMe {...props} email={email} /> }
  return { title: language.say('email.title'), body: <KnownEmail {...props} email={email} /> }
}

/** The order is somebody else's: the reader has nothing to do with it, so nothing is asked. */
function NotMe(props: PageProps & { email: string }) {
  const { email, home } = props
  const { view } = props.visit
  const { say } = props.language
  return (
    <>
      <p class="lead">{say('notMe.lead', { email: maskEmail(email), partner: view.partnerName })}</p>
      <BackLink {...props} url={view.redirects.cancelled} />
      <p class="others">
        <a href={home}>{say('notMe.back')}</a>
      </p>
    </>
  )
}

/** An address that was typed here can be corrected. */
function AskEmail({ visit, language: { say }, here, problems, typed }: PageProps) {
  const known = visit.email ?? undefined
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
      <p class="others">
        <a href={`${home}&ask=email`}>{say(visit.view.takesProofs ? 'email.another' : 'notMe.link')}</a>
      </p>
    </>
  )
}
