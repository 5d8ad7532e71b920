import type { Page, PageProps } from '../page.ts'
import { servedCountries } from '../served-countries.ts'
import { ChoiceField, Form, Submit } from '../../ui/form.tsx'

/** Asks where the customer lives. Nothing is guessed: rules hang on the answer. */
export function countryPage({ visit, language, here, problems, typed }: PageProps): Page {
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
