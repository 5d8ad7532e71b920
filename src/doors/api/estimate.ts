import type { FastifyContextConfig, FastifyInstance } from 'fastify'

import { type Ask, type ExchangeMoment, type PartnerTerms, resolve } from '../../exchange/availability/resolve.ts'
import { refusalOf } from '../../exchange/availability/rule.ts'
import type { Kind } from '../../reference/catalog/payment-method.ts'
import type { Ctx } from '../../exchange/context.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import type { Warning } from '../../exchange/transactions/create-input.ts'
import { momentOf, termsOfPartner } from '../../exchange/transactions/policy.ts'
import { callerOf } from './authenticate.ts'
import { type EstimateRecord, estimateRecord, recordOfEstimate } from './estimate-record.ts'
import { featureWarning } from './feature-warning.ts'
import {
  amountText,
  categoryIn,
  countryIn,
  flagText,
  methodIn,
  networkIn,
  type Operation,
  optional,
  required,
  tickerIn,
} from './operation.ts'
import { oneOf } from './shape.ts'
import { type Query, queryFlag, queryText } from './query.ts'

/** `GET /v1/estimate`: what an amount comes to at this moment. Nothing is promised and nothing is kept. */
export function estimate(app: FastifyInstance, ctx: Ctx): void {
  estimateRoute(app, ctx, { path: '/estimate', kind: 'retail', config: { access: 'any-key', operation } })
}

const query = {
  from_currency: required(tickerIn, 'What is paid.'),
  to_currency: required(tickerIn, 'What is received.'),
  from_amount: optional(amountText, 'How much is paid. Required, unless `to_amount` is asked for.'),
  to_amount: optional(amountText, 'How much is to be received; the answer is the least amount that brings it.'),
  type: optional(oneOf('direct', 'reverse'), 'Which of the two amounts is given: `direct` is `from_amount`.'),
  from_network: optional(networkIn, 'The network of what is paid; its main one, unless named.'),
  to_network: optional(networkIn, 'The network of what is received; its main one, unless named.'),
  fees_included: optional(flagText, 'Whether the fees are within `from_amount` (usual), or come on top.'),
  deposit_type: optional(methodIn, 'How it is paid, by a payment method.'),
  deposit_category: optional(categoryIn, 'How it is paid, by a payment category.'),
  payout_type: optional(methodIn, 'How it is paid out, by a payment method.'),
  customer_country: optional(countryIn, 'Where the customer is. Needs the feature `customer_country`; else ignored.'),
}

const operation: Operation = {
  id: 'getEstimate',
  tag: 'Estimates',
  summary: 'Estimate an exchange',
  description:
    'What an amount comes to at this moment. Nothing is promised and nothing is kept. ' +
    '`from_amount = sum(service_fees) + converted_amount` and `value = floor(converted_amount x price) - network_fee`.',
  query,
  says: { 200: 'What it comes to: `value` is the amount that was not asked for.' },
  refuses: ['BAD_REQUEST', 'PAIR_NOT_AVAILABLE', 'COUNTRY_NOT_SUPPORTED'],
}

/** The same call on B2B's terms. */
export const b2bEstimate: Operation = {
  ...operation,
  id: 'getB2bEstimate',
  tag: 'B2B',
  summary: 'Estimate a B2B exchange',
  description: `On B2B's own limits and prices. ${operation.description}`,
}

type EstimateRoute = { path: string; kind: Kind; config: FastifyContextConfig }

/** An estimate for one kind of exchange, on the terms that it has for whoever asks. */
export function estimateRoute(app: FastifyInstance, ctx: Ctx, { path, kind, config }: EstimateRoute): void {
  const answers = recentAnswers()
  app.get(path, { config, schema: { response: { 200: estimateRecord } } }, (request, reply) => {
    const { partner } = callerOf(request)
    const now = ctx.clock.now()
    const same = answers.sameAsked(partner, request.url, now)
    reply.type('application/json; charset=utf-8')
    if (same !== undefined) return reply.send(same)

    const { ask, ignored } = readQuery(request.query as Query, partner)
    const record = estimateOf(momentOf(ctx, now), termsOfPartner(partner, kind), ask, ignored)
    const answer = String(reply.serializeInput(record, '200'))
    answers.keep(partner, request.url, answer)
    return reply.send(answer)
  })
}

/** At most this many different questions of one second are remembered. */
const mostAnswers = 5_000

/**
 * The answers given in the present second of business time. Many ask the same (a widget asks for its default amount at every
 * page view), and one partner asking the same within a second gets the same: prices are seconds old anyway, and nothing is
 * promised by an estimate. A changed account is another `Partner` object, so it is answered afresh.
 */
function recentAnswers() {
  let second = 0
  let count = 0
  let answers = new Map<Partner, Map<string, string>>()
  return {
    sameAsked: (partner: Partner, url: string, now: Date): string | undefined => {
      const present = Math.floor(now.getTime() / 1000)
      if (present !== second) {
        second = present
        count = 0
        answers = new Map()
      }
      return answers.get(partner)?.get(url)
    },
    keep: (partner: Partner, url: string, answer: string): void => {
      if (count >= mostAnswers) return
      count += 1
      const own = answers.get(partner)
      if (own) own.set(url, answer)
      else answers.set(partner, new Map([[url, answer]]))
    },
  }
}

/** Judges and prices what is asked on a partner's terms. Refuses with the first rule that it breaks. */
function estimateOf(moment: ExchangeMoment, terms: PartnerTerms, ask: AmountAsk, ignored: Warning[]): EstimateRecord {
  const outcome = resolve(moment, terms, ask)
  if (!outcome.available) throw refusalOf(outcome.failures)
  if (!outcome.sum) throw new Error('An estimate was judged without its amount.')
  return recordOfEstimate(outcome.exchange.terms, outcome.sum, ask.amount.direction, ignored)
}

type AmountAsk = Ask & { amount: NonNullable<Ask['amount']> }

function readQuery(query: Query, partner: Partner): { ask: AmountAsk; ignored: Warning[] } {
  const country = queryText(query, 'customer_country')
  const isCountryOn = partner.settings.features.customer_country
  const direction = directionOf(query)
  const ask: AmountAsk = {
    fromCurrency: queryText(query, 'from_currency'),
    fromNetwork: queryText(query, 'from_network'),
    toCurrency: queryText(query, 'to_currency'),
    toNetwork: queryText(query, 'to_network'),
    depositType: queryText(query, 'deposit_type'),
    depositCategory: queryText(query, 'deposit_category'),
    payoutType: queryText(query, 'payout_type'),
    country: isCountryOn ? country : undefined,
    amount: {
      direction,
      value: queryText(query, direction === 'direct' ? 'from_amount' : 'to_amount'),
      feesIncluded: queryFlag(query, 'fees_included', true),
    },
  }
  const isIgnored = country !== undefined && !isCountryOn
  return { ask, ignored: isIgnored ? [featureWarning('customer_country', 'query.customer_country')] : [] }
}

/** An amount of the target is asked for by `type=reverse`, or by its name alone. */
function directionOf(query: Query): 'direct' | 'reverse' {
  const type = queryText(query, 'type')?.toLowerCase()
  if (type === undefined) return queryText(query, 'to_amount') === undefined ? 'direct' : 'reverse'
  if (type !== 'direct' && type !== 'reverse') throw badField('type', 'This must be direct or reverse.')
  return type
}
