import type { Page, PageProps } from '../page.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { AcceptedTerms } from '../ui/accepted-terms.tsx'

/** The terms have changed since they were accepted, or were never shown: nothing else has to be given again. */
export function termsPage(props: PageProps): Page {
  const { say } = props.language
  return {
    title: say('terms.title'),
    body: (
      <>
        <p class="lead">{say('terms.lead')}</p>
        <Form here={props.here} does="terms">
          <AcceptedTerms {...props} />
          <Submit>{say('terms.submit')}</Submit>
        </Form>
      </>
    ),
  }
}
