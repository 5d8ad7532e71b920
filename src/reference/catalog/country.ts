import { blockedCountries } from './data/blocked-countries.ts'
import { categoryCountries } from './data/category-countries.ts'
import { countryEntries } from './data/countries.ts'
import { lookupKey } from './lookup-key.ts'
import type { Category } from './payment-category.ts'

/** A country of ISO 3166-1. */
export type Country = {
  /** Its numeric code without leading zeros. */
  id: string
  name: string
  alpha2: string
  alpha3: string
  /** Three digits, as text: `004`. */
  numeric: string
  /** False: we serve nobody there, and the file of blocked countries says why. */
  supported: boolean
}

/** All countries of ISO 3166-1, by alpha-2 code. */
export const countries: readonly Country[] = countryEntries.map(([alpha2, alpha3, numeric, name]) => ({
  id: numeric.replace(/^0+/, ''),
  name,
  alpha2,
  alpha3,
  numeric,
  supported: !Object.hasOwn(blockedCountries, alpha2),
}))

const byAlpha2 = new Map(countries.map((country) => [country.alpha2, country]))

/** Finds a country by its alpha-2 code, in any letter case. */
export const findCountry = (text: string): Country | undefined => byAlpha2.get(lookupKey(text))

/** Whether customers of this country may use methods of this category. A country that is not served may use none. */
export function servesCountry(category: Category, { alpha2, supported }: Country): boolean {
  const reach = categoryCountries[category]
  return supported && (reach === 'everywhere' || reach.has(alpha2))
}
