import { countries as allCountries, findCountry } from '../../reference/catalog/country.ts'
import { watchedCountries } from './data/watched-countries.ts'
import type { DocumentProblem, PolicyKind } from './kind.ts'
import { object } from './values.ts'

/** Alpha-2 codes: where we serve nobody, and whose customers are watched. */
export type CountriesDocument = { blocked: readonly string[]; watched: readonly string[] }
export type CountryRules = { blocked: ReadonlySet<string>; watched: ReadonlySet<string> }

/** The catalog serves nobody there, whatever a policy says. */
const floor: readonly string[] = allCountries.filter(({ supported }) => !supported).map(({ alpha2 }) => alpha2)

const codes = { type: 'array', uniqueItems: true, items: { type: 'string', pattern: '^[A-Z]{2}$' } }

export const countries: PolicyKind<CountriesDocument, CountryRules> = {
  schema: object({ blocked: codes, watched: codes }),
  read: ({ blocked, watched }) => ({ blocked: new Set(blocked), watched: new Set(watched) }),
  contradictions: ({ blocked, watched }): DocumentProblem[] => [
    ...floor.flatMap((code) =>
      blocked.includes(code) ? [] : [{ path: 'blocked', message: `must name ${code}, which nobody may serve here` }],
    ),
    ...Object.entries({ blocked, watched }).flatMap(([name, list]) =>
      list.flatMap((code, at) =>
        findCountry(code) ? [] : [{ path: `${name}[${at}]`, message: `${code} is no country of ISO 3166-1` }],
      ),
    ),
  ],
  shipped: () => ({
    blocked: [...floor],
    watched: [...watchedCountries],
  }),
}
