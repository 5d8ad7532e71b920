import { countries } from '../../catalog/country.ts'
import type { Language } from '../language.ts'
import type { Page, PageProps } from '../page.ts'
import { ChoiceField, Form, Submit } from '../ui/form.tsx'

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
            choices={choicesIn(language)}
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

const choicesIn = ({ country, compare }: Language) =>
  countries
    .filter(({ supported }) => supported)
    .map(({ alpha2, name }) => ({ value: alpha2, text: country(alpha2, name) }))
    .toSorted((one, other) => compare(one.text, other.text))
