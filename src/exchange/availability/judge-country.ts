import { findCountry } from '../../reference/catalog/country.ts'
import type { Country } from '../../reference/catalog/country.ts'
import type { ExchangeRequest, RequestPaths } from './request.ts'
import { broken } from './rule.ts'
import type { AddFailure } from './rule.ts'

/** The country that a request names, if any. Reports a code that is not in ISO 3166-1. */
export function judgeCountryForm(
  { country: code }: ExchangeRequest,
  paths: RequestPaths,
  tell: AddFailure,
): Country | undefined {
  if (code === undefined) return undefined

  const country = findCountry(code)
  if (!country) tell(broken('the country exists', paths.country, 'This is not a two-letter country code.'))
  return country
}

/** Reports a country that is not served. An unknown country breaks no rule. */
export function judgeCountry(
  country: Country | undefined,
  { blocked, paths }: { blocked: ReadonlySet<string>; paths: RequestPaths },
  tell: AddFailure,
): void {
  if (!country || !blocked.has(country.alpha2)) return
  tell(broken('the country is served', paths.country, `We do not serve customers in ${country.name}.`))
}
