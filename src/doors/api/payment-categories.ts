import type { FastifyInstance, FastifyRequest } from 'fastify'

import { type OpenWays, openWaysAt } from '../../exchange/availability/open-ways.ts'
import { defaultTerms, type PartnerTerms } from '../../exchange/availability/partner-terms.ts'
import { countries, type Country, findCountry } from '../../reference/catalog/country.ts'
import { findCurrency } from '../../reference/catalog/currency.ts'
import { findNetwork } from '../../reference/catalog/network.ts'
import {
  findPaymentCategory,
  paymentCategories,
  type PaymentCategory,
} from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../../exchange/context.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { termsOfPartner } from '../../exchange/transactions/policy.ts'
import { eachSecond } from '../../exchange/transactions/each-second.ts'
import { categoryIn, countryIn, networkIn, type Operation, optional, required, tickerIn } from './operation.ts'
import { type Query, queryText } from './query.ts'
import { category as categoryCode, country as alpha2Code, countryAlpha3, line, smallNumber } from './field-shapes.ts'
import { flag, list, object, oneOf, type Shaped, type ShapeProvider, titled } from './shape.ts'

/**
 * `GET /v1/payment-categories`, `/{category}/countries` and `GET /v1/countries/{country}/payment-categories`: which payment and
 * payout methods are available right now, and in which countries, on the caller's terms.
 */
export function paymentCategoryRoutes(app: FastifyInstance, ctx: Ctx): void {
  const typed = app.withTypeProvider<ShapeProvider>()
  const openNow = eachSecond(ctx, openWaysAt)
  const records = paymentCategories.map(({ id, name, category }) => ({ id, name, category }))

  typed.get(
    '/payment-categories',
    { config: { access: 'anyone', operation: listCategories }, schema: { response: { 200: list(categoryRecord) } } },
    () => records,
  )

  typed.get(
    '/payment-categories/:category/countries',
    {
      config: { access: 'anyone', operation: listCountriesOf },
      schema: { response: { 200: list(categoryCountry, 300) } },
    },
    (request) => {
      const category = findPaymentCategory((request.params as { category: string }).category)
      if (!category) throw new Refusal('NOT_FOUND', 'There is no such payment category.')
      return countriesOf(category, openNow(termsOf(request)))
    },
  )

  typed.get(
    '/countries/:country/payment-categories',
    { config: { access: 'anyone', operation: listCategoriesOf }, schema: { response: { 200: list(countryCategory) } } },
    (request) => {
      const country = findCountry((request.params as { country: string }).country)
      if (!country) throw new Refusal('NOT_FOUND', 'There is no such country.')
      return categoriesOf(country, readFilter(request.query as Query), openNow(termsOf(request)))
    },
  )
}

const listCategories: Operation = {
  id: 'listPaymentCategories',
  tag: 'Payment categories',
  summary: 'List the payment categories',
  description: 'A category groups payment methods that customers use in the same way.',
  says: { 200: 'All categories, available or not.' },
  refuses: [],
}

const listCountriesOf: Operation = {
  id: 'listCountriesOfPaymentCategory',
  tag: 'Payment categories',
  summary: 'List the countries of a category',
  description:
    'The countries in which a method of the category is available now, for paying in (deposit) or being paid (withdrawal): on ' +
    'the terms of your account with a key, on the standard terms without one.',
  path: { category: required(categoryIn, 'A payment category, in any letter case.') },
  says: { 200: 'The countries where it is available.' },
  refuses: ['NOT_FOUND'],
}

const listCategoriesOf: Operation = {
  id: 'listPaymentCategoriesOfCountry',
  tag: 'Payment categories',
  summary: 'List the categories of a country',
  description: 'The categories available to customers of a country; empty for a country that we do not serve.',
  path: { country: required(countryIn, 'A country by its two letters (ISO 3166-1 alpha-2).') },
  query: {
    currency: optional(tickerIn, 'Only what moves this currency.'),
    network: optional(networkIn, 'Only what moves on this network.'),
    direction: optional(oneOf('deposit', 'withdrawal'), 'Only what is open for paying in, or for being paid.'),
  },
  says: { 200: 'The categories that are available there.' },
  refuses: ['BAD_REQUEST', 'NOT_FOUND'],
}

const categoryRecord = titled('PaymentCategoryRecord', object({ id: smallNumber, name: line, category: categoryCode }))

const ways = { deposit_enabled: flag, withdrawal_enabled: flag }
const categoryCountry = titled(
  'CategoryCountry',
  object({ country_name: line, code_iso_alpha_2: alpha2Code, code_iso_alpha_3: countryAlpha3, ...ways }),
)
const countryCategory = titled('CountryCategory', object({ name: line, category: categoryCode, ...ways }))

const termsOf = ({ caller }: FastifyRequest): PartnerTerms => (caller ? termsOfPartner(caller.partner) : defaultTerms)

/** What is open of a category in a country. */
type OpenWaysOf = ReturnType<typeof openWaysAt>

const waysRecord = ({ deposit, withdrawal }: OpenWays) => ({
  deposit_enabled: deposit,
  withdrawal_enabled: withdrawal,
})

/** The countries in which a category is open, in the order of their codes. */
const countriesOf = ({ category }: PaymentCategory, openWays: OpenWaysOf): Shaped<typeof categoryCountry>[] =>
  countries.flatMap((country) => {
    const open = openWays({ category, country })
    if (!open.deposit && !open.withdrawal) return []
    const { name, alpha2, alpha3 } = country
    return [{ country_name: name, code_iso_alpha_2: alpha2, code_iso_alpha_3: alpha3, ...waysRecord(open) }]
  })

/** The categories that are open in a country for what the filter lets pass; where we serve nobody, there are none. */
const categoriesOf = (
  country: Country,
  { ticker, network, direction }: Filter,
  openWays: OpenWaysOf,
): Shaped<typeof countryCategory>[] =>
  paymentCategories.flatMap(({ category, name }) => {
    const open = openWays({ category, country, ticker, network })
    const isWanted = direction ? open[direction] : open.deposit || open.withdrawal
    return isWanted ? [{ name, category, ...waysRecord(open) }] : []
  })

/** Which ways to pay in a country are asked for: the currency, its network, and the direction. */
type Filter = { ticker: string | undefined; network: string | undefined; direction: keyof OpenWays | undefined }

const directions = ['deposit', 'withdrawal'] as const

/** Refuses unknown currencies, networks and directions. */
const readFilter = (query: Query): Filter => ({
  ticker: readName(query, 'currency', (text) => findCurrency(text)?.ticker),
  network: readName(query, 'network', networkCode),
  direction: readName(query, 'direction', (text) => directions.find((known) => known === text.toLowerCase())),
})

function readName<Name>(query: Query, name: string, find: (text: string) => Name | undefined): Name | undefined {
  const text = queryText(query, name)
  if (text === undefined) return undefined
  const found = find(text)
  if (found === undefined) throw badField(name, `There is no such ${name}.`)
  return found
}

/** A chain's code, by itself or by an alias; a fiat currency's network is its ticker. */
function networkCode(text: string): string | undefined {
  const currency = findCurrency(text)
  return findNetwork(text)?.code ?? (currency?.kind === 'FIAT' ? currency.ticker : undefined)
}
