import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { type Offers, offersAt } from '../availability/offers.ts'
import { houseTerms, type PartnerTerms } from '../availability/resolve.ts'
import { coins, type Currency, fiatCurrencies, findCurrency } from '../catalog/currency.ts'
import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { momentOf, termsOfPartner } from '../transactions/policy.ts'
import { currencyRecord, type CurrencyRecord } from './currency-record.ts'
import { type Query, queryFlag, queryText } from './query.ts'

/** `GET /v1/currencies`, `/fiat`, `/crypto` and `/{ticker}`: what there is, and what of it can be exchanged now. */
export function currencies(app: FastifyInstance, ctx: Ctx): void {
  const offersNow = keepOffers(ctx)
  const config = { access: 'anyone' } as const

  const list = (of: readonly Currency[], request: FastifyRequest): CurrencyRecord[] => {
    const wanted = wantedAvailability(request.query as Query)
    const offers = offersNow(termsOf(request))
    const records = of.map((currency) => currencyRecord(ctx, offers, currency))
    return wanted === undefined ? records : records.filter((record) => record.is_available === wanted)
  }

  app.get('/currencies', { config }, (request, reply) =>
    sendJson(reply, { fiat_currencies: list(fiatCurrencies, request), crypto_currencies: list(coins, request) }),
  )
  app.get('/currencies/fiat', { config }, (request, reply) => sendJson(reply, list(fiatCurrencies, request)))
  app.get('/currencies/crypto', { config }, (request, reply) => sendJson(reply, list(coins, request)))
  app.get('/currencies/:ticker', { config }, (request, reply) => {
    const currency = findCurrency((request.params as { ticker: string }).ticker)
    if (!currency) throw new Refusal('NOT_FOUND', 'There is no such currency.')
    return sendJson(reply, currencyRecord(ctx, offersNow(termsOf(request)), currency))
  })
}

const sendJson = (reply: FastifyReply, value: object): FastifyReply => reply.send(value)

const termsOf = ({ caller }: FastifyRequest): PartnerTerms => (caller ? termsOfPartner(caller.partner) : houseTerms)

const wantedAvailability = (query: Query): boolean | undefined =>
  queryText(query, 'available') === undefined ? undefined : queryFlag(query, 'available', true)

/** What is on offer changes with prices and their age, so it is worked out once a second for each set of terms. */
function keepOffers(ctx: Ctx): (terms: PartnerTerms) => Offers {
  const kept = new WeakMap<PartnerTerms, { second: number; offers: Offers }>()
  return (terms) => {
    const now = ctx.clock.now()
    const second = Math.floor(now.getTime() / 1000)
    const last = kept.get(terms)
    if (last?.second === second) return last.offers
    const offers = offersAt(momentOf(ctx, now), terms)
    kept.set(terms, { second, offers })
    return offers
  }
}
