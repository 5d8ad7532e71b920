import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { offersAt } from '../../exchange/availability/offers.ts'
import { b2bTerms, defaultTerms, type PartnerTerms } from '../../exchange/availability/partner-terms.ts'
import { coins, type Currency, fiatCurrencies, findCurrency } from '../../reference/catalog/currency.ts'
import type { Ctx } from '../../exchange/context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { termsOfPartner } from '../../exchange/transactions/policy.ts'
import { currencyRecord, type CurrencyRecord } from './currency-record.ts'
import { currencyLists, currencyShape } from './currency-shape.ts'
import { eachSecond } from '../../exchange/transactions/each-second.ts'
import { flagText, type Operation, optional, required, tickerIn } from './operation.ts'
import { type Query, queryFlag, queryText } from './query.ts'
import { list } from './shape.ts'

/** `GET /v1/currencies`, `/fiat`, `/crypto` and `/{ticker}`: all currencies, and what can be exchanged now. */
export function currencies(app: FastifyInstance, ctx: Ctx): void {
  const offersNow = eachSecond(ctx, offersAt)

  const records = (of: readonly Currency[], request: FastifyRequest): CurrencyRecord[] => {
    const wanted = wantedAvailability(request.query as Query)
    const offers = { retail: offersNow(termsOf(request)), b2b: offersNow(b2bTermsOf(request)) }
    const all = of.map((currency) => currencyRecord(ctx, offers, currency))
    return wanted === undefined ? all : all.filter((record) => record.is_available === wanted)
  }

  app.get('/currencies', { config: { access: 'anyone', operation: listAll } }, (request, reply) =>
    sendJson(reply, { fiat_currencies: records(fiatCurrencies, request), crypto_currencies: records(coins, request) }),
  )
  app.get('/currencies/fiat', { config: { access: 'anyone', operation: listFiat } }, (request, reply) =>
    sendJson(reply, records(fiatCurrencies, request)),
  )
  app.get('/currencies/crypto', { config: { access: 'anyone', operation: listCrypto } }, (request, reply) =>
    sendJson(reply, records(coins, request)),
  )
  app.get('/currencies/:ticker', { config: { access: 'anyone', operation: readOne } }, (request, reply) => {
    const currency = findCurrency((request.params as { ticker: string }).ticker)
    if (!currency) throw new Refusal('NOT_FOUND', 'There is no such currency.')
    const offers = { retail: offersNow(termsOf(request)), b2b: offersNow(b2bTermsOf(request)) }
    return sendJson(reply, currencyRecord(ctx, offers, currency))
  })
}

/** What lists of currencies may be asked for. */
export const currenciesQuery = {
  available: optional(flagText, 'Only what can be exchanged now, or only what can not.'),
}

const listAll: Operation = {
  id: 'listCurrencies',
  tag: 'Currencies',
  summary: 'List all currencies',
  description:
    'Every currency for buying, selling and swapping, with its networks and payment methods, and whether it can be exchanged ' +
    'now: on the terms of your account with a key, on the standard terms without one.',
  query: currenciesQuery,
  answers: { 200: currencyLists },
  says: { 200: 'Both lists.' },
  refuses: ['BAD_REQUEST'],
}

const listFiat: Operation = {
  ...listAll,
  id: 'listFiatCurrencies',
  summary: 'List the fiat currencies',
  answers: { 200: list(currencyShape, 1_000) },
  says: { 200: 'The list.' },
}

const listCrypto: Operation = { ...listFiat, id: 'listCryptoCurrencies', summary: 'List the cryptocurrencies' }

const readOne: Operation = {
  id: 'getCurrency',
  tag: 'Currencies',
  summary: 'Read one currency',
  description: 'One currency as the lists have it.',
  path: { ticker: required(tickerIn, 'Its ticker, in any letter case.') },
  answers: { 200: currencyShape },
  says: { 200: 'The currency.' },
  refuses: ['NOT_FOUND'],
}

const sendJson = (reply: FastifyReply, value: object): FastifyReply => reply.send(value)

const termsOf = ({ caller }: FastifyRequest): PartnerTerms => (caller ? termsOfPartner(caller.partner) : defaultTerms)

const b2bTermsOf = ({ caller }: FastifyRequest): PartnerTerms =>
  caller ? termsOfPartner(caller.partner, 'b2b') : b2bTerms

/** What `available` of the query asks for; undefined is everything. */
export const wantedAvailability = (query: Query): boolean | undefined =>
  queryText(query, 'available') === undefined ? undefined : queryFlag(query, 'available', true)
