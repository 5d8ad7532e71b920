import { giveDetails } from '../../../exchange/orders/checkout.ts'
import { badField } from '../../../platform/lib/refusal.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { countryChoices } from '../served-countries.ts'
import { ChoiceField, Form, Submit } from '../../ui/form.tsx'

/** Asks where the customer lives. Where the browser is, is preselected; rules depend on what the customer sends. */
export const country: CheckoutStep = {
  phase: 'details',
  page: countryPage,
  fields: ['country'],
  actions: {
    async country({ ctx, visit, fields }) {
      const { country: chosen = '' } = fields
      if (chosen === '') throw badField('country', 'Choose your country.', 'COUNTRY_MISSING')
      await giveDetails(ctx, visit.view.publicId, { country: chosen }, visit.customerId)
      return {}
    },
  },
}

function countryPage({ visit, language, here, problems, typed }: PageProps): Page {
  const { say } = language
  const { served, others } = countryChoices(language, visit)
  const suggested = visit.view.country ?? visit.browserCountry
  return {
    title: say('country.title'),
    body: (
      <>
        <p class="lead">{say('country.lead')}</p>
        <Form here={here} does="country">
          <ChoiceField
            name="country"
            label={say('country.label')}
            hint={say('country.hint')}
            problems={problems}
            choices={served}
            others={{ label: say('country.unavailable'), choices: others }}
            empty={say('country.choose')}
            value={typed.country ?? suggested ?? undefined}
            autocomplete="country"
          />
          <Submit>{say('country.submit')}</Submit>
        </Form>
      </>
    ),
  }
}
