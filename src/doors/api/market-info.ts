import type { FastifyInstance } from 'fastify'

import { rangeProblem } from '../../exchange/availability/judge-amount.ts'
import { resolve } from '../../exchange/availability/resolve.ts'
import { defaultTerms, type PartnerTerms } from '../../exchange/availability/partner-terms.ts'
import { refusalOf } from '../../exchange/availability/rule.ts'
import { findCurrency } from '../../reference/catalog/currency.ts'
import type { Ctx } from '../../exchange/context.ts'
import { jsonNumber } from '../../platform/lib/json.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { momentOf, termsOfPartner } from '../../exchange/transactions/policy.ts'
import { ticker } from './field-shapes.ts'
import { type Operation, pairIn, required } from './operation.ts'
import { number, object, type Shaped, type ShapeProvider, titled } from './shape.ts'

/** `GET /v1/market-info/min-max-range/{from_to}`: the least and greatest amount of a pair, on the caller's terms. */
export function marketInfo(app: FastifyInstance, ctx: Ctx): void {
  app
    .withTypeProvider<ShapeProvider>()
    .get(
      '/market-info/min-max-range/:pair',
      { config: { access: 'anyone', operation }, schema: { response: { 200: rangeRecord } } },
      (request, reply) => {
        const { pair } = request.params as { pair: string }
        const terms = request.caller ? termsOfPartner(request.caller.partner) : defaultTerms
        reply.send(rangeOf(ctx, terms, pair))
      },
    )
}

const operation: Operation = {
  id: 'getRange',
  tag: 'Estimates',
  summary: 'Read the range of a pair',
  description:
    'The least and the greatest amount of a pair, both accepted, in units of the first currency. A network that is not named ' +
    'is the main one of its currency.',
  path: { pair: required(pairIn, 'A pair, `{from}[-{network}]_{to}[-{network}]`, in any letter case.') },
  says: { 200: 'The range.' },
  refuses: ['PAIR_NOT_AVAILABLE', 'NOT_FOUND'],
}

/** The least and greatest amount of a pair, in the first of the two. */
export const rangeRecord = titled('Range', object({ from: ticker, to: ticker, min: number, max: number }))

type CurrencyName = { ticker: string; network: string | undefined }

/** The range of a pair on these terms. Refuses an unknown currency with 404, a pair that cannot be exchanged with 400. */
export function rangeOf(ctx: Ctx, terms: PartnerTerms, pair: string): Shaped<typeof rangeRecord> {
  const [source, target] = readPair(pair)
  const outcome = resolve(momentOf(ctx, ctx.clock.now()), terms, {
    fromCurrency: source.ticker,
    fromNetwork: source.network,
    toCurrency: target.ticker,
    toNetwork: target.network,
  })
  if (!outcome.available) throw refusalOf(outcome.failures)

  const { min, max } = rangeProblem(outcome.exchange)
  const { from, to } = outcome.exchange.terms
  return { from: from.ticker, to: to.ticker, min: jsonNumber(min), max: jsonNumber(max) }
}

/** Reads `{from}[-{network}]_{to}[-{network}]`, any letter case. */
function readPair(pair: string): [CurrencyName, CurrencyName] {
  const [from = '', to = '', ...rest] = pair.split('_')
  const named = [from, to].map(readEnd)
  const [source, target] = named
  if (!source || !target || rest.length > 0) throw new Refusal('NOT_FOUND', 'There is no such pair of currencies.')
  return [source, target]
}

function readEnd(text: string): CurrencyName | undefined {
  const [, ticker = '', network] = /^(\w{1,32})(?:-(\w{1,32}))?$/.exec(text) ?? []
  return findCurrency(ticker) && { ticker, network }
}
