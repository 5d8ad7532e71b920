import type { FastifyContextConfig, FastifyInstance } from 'fastify'

import { resolve } from '../../exchange/availability/resolve.ts'
import type { ExchangeRequest } from '../../exchange/availability/request.ts'
import type { PartnerTerms } from '../../exchange/availability/partner-terms.ts'
import { feePolicy } from '../../exchange/availability/exchange.ts'
import type { ExchangeMoment } from '../../exchange/availability/exchange-moment.ts'
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
import { fieldReader, type FieldReader, type Fields, isAbsent } from './fields.ts'
import { bodyObject } from './json-body.ts'
import {
  amountIn,
  amountText,
  bodyOf,
  categoryIn,
  countryIn,
  flagIn,
  flagText,
  methodIn,
  networkIn,
  type Operation,
  optional,
  required,
  tickerIn,
} from './operation.ts'
import { about, oneOf, type ShapeProvider } from './shape.ts'
import { type Query, queryAmount, queryFlag, queryText } from './query.ts'

/** `GET` and `POST /v1/estimate`: what an amount comes to at this moment. Nothing is promised and nothing is kept. */
export function estimate(app: FastifyInstance, ctx: Ctx): void {
  estimateRoute(app, ctx, { path: '/estimate', kind: 'retail', config: { access: 'any-key', operation } })
  app
    .withTypeProvider<ShapeProvider>()
    .post(
      '/estimate',
      { config: { access: 'any-key', operation: posting }, schema: { response: { 200: estimateRecord } } },
      (request) => {
        const { partner } = callerOf(request)
        const query = request.query as Query
        const { ask, ignored } = readEstimate(inputsOfBody(bodyObject(request)), query, partner)
        return estimateOf(momentOf(ctx, ctx.clock.now()), termsOfPartner(partner), ask, ignored)
      },
    )
}

const query = {
  from_currency: required(tickerIn, 'The currency to pay.'),
  to_currency: required(tickerIn, 'The currency to receive.'),
  from_amount: optional(amountText, 'The amount to pay. Required unless `to_amount` is given.'),
  to_amount: optional(amountText, 'The amount to receive. The response has the least amount to pay for it.'),
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
    'The result of an exchange at the current price. The price is not reserved and nothing is stored. ' +
    '`from_amount = sum(service_fees) + converted_amount` and `value = floor(converted_amount x price) - network_fee`.',
  query,
  says: { 200: 'The estimate. `value` is the amount that the request left open.' },
  refuses: ['BAD_REQUEST', 'PAIR_NOT_AVAILABLE', 'COUNTRY_NOT_SUPPORTED'],
}

const { customer_country: countryQuery } = query

const estimateBody = bodyOf(
  'EstimateRequest',
  {
    from_currency: about(tickerIn, 'The currency to pay.'),
    to_currency: about(tickerIn, 'The currency to receive.'),
    from_amount: about(amountIn, 'The amount to pay. Required unless `to_amount` is given.'),
    to_amount: about(amountIn, 'The amount to receive. The response has the least amount to pay for it.'),
    type: query.type.shape,
    from_network: networkIn,
    to_network: networkIn,
    fees_included: flagIn,
    deposit_type: methodIn,
    deposit_category: categoryIn,
    payout_type: methodIn,
  },
  ['from_currency', 'to_currency'],
)

/** The same call with a body. */
const posting: Operation = {
  ...operation,
  id: 'postEstimate',
  summary: 'Estimate an exchange with a JSON body',
  description: `The same as the GET, with its names in a JSON body; \`customer_country\` is read from the query only. ${operation.description}`,
  query: { customer_country: countryQuery },
  body: estimateBody,
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

/** An estimate for one kind of exchange, on the caller's terms. */
export function estimateRoute(app: FastifyInstance, ctx: Ctx, { path, kind, config }: EstimateRoute): void {
  const answers = recentAnswers()
  app.get(path, { config, schema: { response: { 200: estimateRecord } } }, (request, reply) => {
    const { partner } = callerOf(request)
    const now = ctx.clock.now()
    const asked = { partner, fees: feePolicy(ctx.policies, now, { kind, partnerId: partner.id }), url: request.url }
    const same = answers.sameAsked(asked, now, ctx.market.booksAt(now))
    reply.type('application/json; charset=utf-8')
    if (same !== undefined) return reply.send(same)

    const query = request.query as Query
    const { ask, ignored } = readEstimate(inputsOfQuery(query), query, partner)
    const record = estimateOf(momentOf(ctx, now), termsOfPartner(partner, kind), ask, ignored)
    const answer = String(reply.serializeInput(record, '200'))
    answers.keep(asked, answer)
    return reply.send(answer)
  })
}

/** At most this many different questions of one second are remembered. */
const mostAnswers = 5_000

/**
 * The answers given in the present second of business time, as long as no price changes. Many ask the same: a widget asks for its
 * default amount at every page view. A changed account is another `Partner` object and a changed price list another policy, so both are
 * answered afresh.
 */
function recentAnswers() {
  let second = 0
  let prices: unknown
  let count = 0
  let answers = new Map<Partner, { fees: Question['fees']; byUrl: Map<string, string> }>()
  return {
    sameAsked: ({ partner, fees, url }: Question, now: Date, books: unknown): string | undefined => {
      const present = Math.floor(now.getTime() / 1000)
      if (present !== second || books !== prices) {
        second = present
        prices = books
        count = 0
        answers = new Map()
      }
      const own = answers.get(partner)
      return own?.fees === fees ? own.byUrl.get(url) : undefined
    },
    keep: ({ partner, fees, url }: Question, answer: string): void => {
      if (count >= mostAnswers) return
      count += 1
      const own = answers.get(partner)
      if (own?.fees === fees) own.byUrl.set(url, answer)
      else answers.set(partner, { fees, byUrl: new Map([[url, answer]]) })
    },
  }
}

/** What an answer depends on, apart from the second. */
type Question = { partner: Partner; fees: ReturnType<typeof feePolicy>; url: string }

/** Judges and prices what is asked on a partner's terms. Refuses with the first rule that it breaks. */
function estimateOf(moment: ExchangeMoment, terms: PartnerTerms, ask: AmountAsk, ignored: Warning[]): EstimateRecord {
  const outcome = resolve(moment, terms, ask)
  if (!outcome.available) throw refusalOf(outcome.failures)
  if (!outcome.sum) throw new Error('An estimate was evaluated without an amount.')
  return recordOfEstimate(outcome.exchange.terms, outcome.sum, ask.amount.direction, [...ignored, ...outcome.warnings])
}

type AmountAsk = ExchangeRequest & { amount: NonNullable<ExchangeRequest['amount']> }

/** Where the inputs of an estimate are read from: the query of a GET, the body of a POST. */
type Inputs = {
  text(name: string): string | undefined
  amount(name: string): unknown
  flag(name: string, fallback: boolean): boolean
}

const inputsOfQuery = (query: Query): Inputs => ({
  text: (name) => queryText(query, name),
  amount: (name) => queryAmount(query, name),
  flag: (name, fallback) => queryFlag(query, name, fallback),
})

/** The names of a body. Refuses a value of another type at once. */
function inputsOfBody(body: Fields): Inputs {
  const given = Object.fromEntries(Object.keys(estimateBody.properties).map((name) => [name, body[name]]))
  const one = <T>(name: string, read: (reader: FieldReader, value: unknown) => T): T | undefined => {
    const value = given[name]
    if (isAbsent(value) || value === 'null') return undefined
    const reader = fieldReader()
    const found = read(reader, value)
    const [problem] = reader.problems
    if (problem) throw badField(name, problem.message, problem.code)
    return found
  }
  return {
    text: (name) => one(name, (reader, value) => reader.text(name, value)),
    amount: (name) => given[name],
    flag: (name, fallback) => one(name, (reader, value) => reader.flag(name, value)) ?? fallback,
  }
}

/** `customer_country` is read from the query only. */
function readEstimate(inputs: Inputs, query: Query, { settings }: Partner): { ask: AmountAsk; ignored: Warning[] } {
  const country = queryText(query, 'customer_country')
  const isCountryOn = settings.features.customer_country
  const direction = directionOf(inputs)
  const ask: AmountAsk = {
    fromCurrency: inputs.text('from_currency'),
    fromNetwork: inputs.text('from_network'),
    toCurrency: inputs.text('to_currency'),
    toNetwork: inputs.text('to_network'),
    depositType: inputs.text('deposit_type'),
    depositCategory: inputs.text('deposit_category'),
    payoutType: inputs.text('payout_type'),
    country: isCountryOn ? country : undefined,
    amount: {
      direction,
      value: inputs.amount(direction === 'direct' ? 'from_amount' : 'to_amount'),
      feesIncluded: inputs.flag('fees_included', true),
      mayBeCut: true,
    },
  }
  const isIgnored = country !== undefined && !isCountryOn
  return { ask, ignored: isIgnored ? [featureWarning('customer_country', 'query.customer_country')] : [] }
}

/** An amount of the target is asked for by `type=reverse`, or by its name alone. */
function directionOf(inputs: Inputs): 'direct' | 'reverse' {
  const type = inputs.text('type')?.toLowerCase()
  if (type === undefined) return isAbsent(inputs.amount('to_amount')) ? 'direct' : 'reverse'
  if (type !== 'direct' && type !== 'reverse') throw badField('type', 'This must be direct or reverse.')
  return type
}
