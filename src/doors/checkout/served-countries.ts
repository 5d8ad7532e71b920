import { type Country, countries } from '../../reference/catalog/country.ts'
import type { Language } from '../../platform/language/language.ts'
import type { Visit } from './visit.ts'

type Choice = { value: string; text: string }

/** The countries by their names in the reader's language and in its order: those that we serve at present, and the others. */
export function countryChoices(
  { country, compare }: Language,
  { blockedCountries }: Pick<Visit, 'blockedCountries'>,
): { served: Choice[]; others: Choice[] } {
  const isServed = ({ alpha2, supported }: Country): boolean =>
    blockedCountries ? !blockedCountries.has(alpha2) : supported
  const named = (some: readonly Country[]): Choice[] =>
    some
      .map(({ alpha2, name }) => ({ value: alpha2, text: country(alpha2, name) }))
      .toSorted((one, other) => compare(one.text, other.text))
  return { served: named(countries.filter(isServed)), others: named(countries.filter((one) => !isServed(one))) }
}
