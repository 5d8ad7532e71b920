import { giveDetails } from '../../../exchange/orders/checkout.ts'
import { badField } from '../../../platform/lib/refusal.ts'
import type { CheckoutStep } from '../checkout-step.ts'
import type { Page, PageProps } from '../page.ts'
import { servedCountries } from '../served-countries.ts'
import { ChoiceField, Form, Submit } from '../../ui/form.tsx'

/** Asks where the customer lives. Nothing is preselected, since rules depend on the answer. */
export const country: CheckoutStep = {
  phase: 'details',
  page: countryPage,
  fields: ['country'],
  actions: {
    async country({ ctx, visit, fields }) {
      const { country: chosen = '' } = fields
      if (chosen === '') throw badField('country', 'Choose your country.', 'COUNTRY_MISSING')
      await giveDetails(ctx, visit.view.publicId, { country: chosen })
      return {}
    },
  },
}

function countryPage({ visit, language, here, problems, typed }: PageProps): Page {
  const { say } = language
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
            choices={servedCountries(language)}
            empty={say('country.choose')}
            value={typed.country ?? visit.view.country ?? undefined}
            autocomplete="country"
          />
          <Submit>{say('country.submit')}</Submit>
        </Form>
      </>
    ),
  }
}
