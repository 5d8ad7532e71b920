import { countries } from '../../reference/catalog/country.ts'
import type { Language } from '../../platform/language/language.ts'

/** The countries that we serve, by their names in the reader's language and in its order. */
export const servedCountries = ({ country, compare }: Language): { value: string; text: string }[] =>
  countries
    .filter(({ supported }) => supported)
    .map(({ alpha2, name }) => ({ value: alpha2, text: country(alpha2, name) }))
    .toSorted((one, other) => compare(one.text, other.text))
