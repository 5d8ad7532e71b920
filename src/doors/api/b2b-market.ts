import type { FastifyInstance } from 'fastify'

import { offersAt } from '../../exchange/availability/offers.ts'
import { coins, type Currency, fiatCurrencies } from '../../reference/catalog/currency.ts'
import type { Ctx } from '../../exchange/context.ts'
import { termsOfPartner } from '../../exchange/transactions/policy.ts'
import { callerOf } from './authenticate.ts'
import { currenciesQuery, wantedAvailability } from './currencies.ts'
import { currencyRecord, type CurrencyRecord } from './currency-record.ts'
import { currencyLists } from './currency-shape.ts'
import { eachSecond } from '../../exchange/transactions/each-second.ts'
import { b2bEstimate, estimateRoute } from './estimate.ts'
import { rangeOf, rangeRecord } from './market-info.ts'
import { type Operation, pairIn, required } from './operation.ts'
import type { Query } from './query.ts'
import type { ShapeProvider } from './shape.ts'

/** Who may call B2B's addresses: a secret key of an account that has the feature. */
export const b2bOnly = { access: 'secret-key', feature: 'b2b' } as const

/**
 * `GET /v1/b2b/currencies`, `/b2b/min-max-range/{from_to}` and `/b2b/estimate`: the retail calls' shapes with B2B's own lists,
 * limits and fees.
 */
export function b2bMarket(app: FastifyInstance, ctx: Ctx): void {
  const offersNow = eachSecond(ctx, offersAt)

  app.get('/b2b/currencies', { config: { ...b2bOnly, operation: listing } }, (request, reply) => {
    const wanted = wantedAvailability(request.query as Query)
    const { partner } = callerOf(request)
    const offers = { retail: offersNow(termsOfPartner(partner)), b2b: offersNow(termsOfPartner(partner, 'b2b')) }
    const list = (of: readonly Currency[]): CurrencyRecord[] =>
      of
        .filter(({ sides }) => sides.b2b)
        .map((currency) => currencyRecord(ctx, offers, currency, 'b2b'))
        .filter((record) => wanted === undefined || record.is_available === wanted)
    return reply.send({ fiat_currencies: list(fiatCurrencies), crypto_currencies: list(coins) })
  })
  app
    .withTypeProvider<ShapeProvider>()
    .get(
      '/b2b/min-max-range/:pair',
      { config: { ...b2bOnly, operation: ranging }, schema: { response: { 200: rangeRecord } } },
      (request) =>
        rangeOf(ctx, termsOfPartner(callerOf(request).partner, 'b2b'), (request.params as { pair: string }).pair),
    )
  estimateRoute(app, ctx, { path: '/b2b/estimate', kind: 'b2b', config: { ...b2bOnly, operation: b2bEstimate } })
}

const listing: Operation = {
  id: 'listB2bCurrencies',
  tag: 'B2B',
  summary: 'List the B2B currencies',
  description:
    'What institutions can exchange, in the same records as the retail lists, with the methods available to them.',
  query: currenciesQuery,
  answers: { 200: currencyLists },
  says: { 200: 'Both lists.' },
  refuses: ['BAD_REQUEST'],
}

const ranging: Operation = {
  id: 'getB2bRange',
  tag: 'B2B',
  summary: 'Read the B2B range of a pair',
  description: 'The least and the greatest amount of a pair for institutions, in units of the first currency.',
  path: { pair: required(pairIn, 'A pair, `{from}[-{network}]_{to}[-{network}]`, in any letter case.') },
  says: { 200: 'The range.' },
  refuses: ['PAIR_NOT_AVAILABLE', 'NOT_FOUND'],
}
