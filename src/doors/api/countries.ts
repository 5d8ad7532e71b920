import type { FastifyInstance } from 'fastify'

import type { Ctx } from '../../exchange/context.ts'
import { countries, type Country } from '../../reference/catalog/country.ts'
import { country, countryAlpha3, line } from './field-shapes.ts'
import type { Operation } from './operation.ts'
import { flag, list, object, type Shaped, type ShapeProvider, textOf, titled } from './shape.ts'

/** `GET /v1/countries`: every country of ISO 3166-1, and whether we serve it. */
export function countryRoutes(app: FastifyInstance, { policies, clock }: Pick<Ctx, 'policies' | 'clock'>): void {
  app
    .withTypeProvider<ShapeProvider>()
    .get(
      '/countries',
      { config: { access: 'anyone', operation }, schema: { response: { 200: list(countryRecord, 300) } } },
      () => {
        const { blocked } = policies.at(clock.now(), 'countries').rules
        return countries.map((one) => recordOf(one, blocked))
      },
    )
}

const operation: Operation = {
  id: 'listCountries',
  tag: 'Payment categories',
  summary: 'List all countries',
  description: 'Every country of ISO 3166-1, and whether customers from there are served.',
  says: { 200: 'All countries, in the order of their codes.' },
  refuses: [],
}

const countryRecord = titled(
  'CountryRecord',
  object({
    id: textOf({ pattern: '^[1-9]\\d{0,2}$', maxLength: 3 }),
    country_name: line,
    code_iso_alpha_2: country,
    code_iso_alpha_3: countryAlpha3,
    code_iso_numeric: textOf({ pattern: '^\\d{3}$', maxLength: 3 }),
    supported: flag,
  }),
)

const recordOf = (
  { id, name, alpha2, alpha3, numeric }: Country,
  blocked: ReadonlySet<string>,
): Shaped<typeof countryRecord> => ({
  id,
  country_name: name,
  code_iso_alpha_2: alpha2,
  code_iso_alpha_3: alpha3,
  code_iso_numeric: numeric,
  supported: !blocked.has(alpha2),
})
