import { giveDetails } from '../../../exchange/orders/checkout.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { Form, Submit } from '../../ui/form.tsx'
import { AcceptedTerms } from '../ui/accepted-terms.tsx'

/** The terms have changed since they were accepted, or were never shown. The form names the versions that were shown. */
export const terms: CheckoutStep = {
  phase: 'details',
  page: termsPage,
  fields: ['accepts'],
  actions: {
    async terms({ ctx, visit, fields: { accepts = '' } }) {
      await giveDetails(ctx, visit.view.publicId, { accepts }, visit.customerId)
      return {}
    },
  },
}

function termsPage(props: PageProps): Page {
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
