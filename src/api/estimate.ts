import type { FastifyInstance } from 'fastify'

import { type Ask, resolve } from '../availability/resolve.ts'
import { refusalOf } from '../availability/rule.ts'
import type { Ctx } from '../context.ts'
import { badField } from '../lib/refusal.ts'
import { type Asset, formatAmount } from '../money/amount.ts'
import type { Partner } from '../partners/partner.ts'
import { feeNames, percentText } from '../pricing/fees.ts'
import { ratioText } from '../money/ratio.ts'
import { rateText, type Sum } from '../pricing/sum.ts'
import type { PairTerms } from '../pricing/terms.ts'
import type { Warning } from '../transactions/create-input.ts'
import { momentOf, termsOfPartner } from '../transactions/policy.ts'
import { callerOf } from './authenticate.ts'
import { featureWarning } from './feature-warning.ts'
import { type Query, queryFlag, queryText } from './query.ts'
import { list, money, object, type Shaped, text, warnings } from './shape.ts'

/** `GET /v1/estimate`: what an amount comes to at this moment. Nothing is promised and nothing is kept. */
export function estimate(app: FastifyInstance, ctx: Ctx): void {
  const answers = recentAnswers()
  app.get(
    '/estimate',
    { config: { access: 'any-key' }, schema: { response: { 200: estimateRecord } } },
    (request, reply) => {
      const { partner } = callerOf(request)
      const now = ctx.clock.now()
      const same = answers.sameAsked(partner, request.url, now)
      reply.type('application/json; charset=utf-8')
      if (same !== undefined) return reply.send(same)

      const record = estimateOf(ctx, partner, request.query as Query, now)
      const answer = String(reply.serializeInput(record, '200'))
      answers.keep(partner, request.url, answer)
      return reply.send(answer)
    },
  )
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

const estimateRecord = object({
  from_currency: text,
  from_network: text,
  to_currency: text,
  to_network: text,
  value: text,
  estimated_exchange_rate: text,
  service_fees: list(object({ name: text, amount: text, currency: text, percentage: text })),
  converted_amount: money,
  network_fee: money,
  price: object({ numerator: text, denominator: text }),
  rate_at: text,
  warnings,
})

type EstimateRecord = Shaped<typeof estimateRecord>

/** Judges and prices a query on a partner's terms. Refuses with the first rule that it breaks. */
function estimateOf(ctx: Ctx, partner: Partner, query: Query, now: Date): EstimateRecord {
  const { ask, ignored } = readQuery(query, partner)
  const outcome = resolve(momentOf(ctx, now), termsOfPartner(partner), ask)
  if (!outcome.available) throw refusalOf(outcome.failures)
  if (!outcome.sum) throw new Error('An estimate was judged without its amount.')
  return recordOf(outcome.exchange.terms, outcome.sum, ask.amount.direction, ignored)
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

/** The answer, as wire.md section 2 defines its sum. */
function recordOf(terms: PairTerms, sum: Sum, direction: 'direct' | 'reverse', ignored: Warning[]): EstimateRecord {
  const { from, to } = terms
  const source = from.ticker
  return {
    from_currency: source,
    from_network: from.network,
    to_currency: to.ticker,
    to_network: to.network,
    value: direction === 'direct' ? formatAmount(sum.toAmount, to) : formatAmount(sum.fromAmount, from),
    estimated_exchange_rate: rateText(terms, sum),
    service_fees: feesOf(sum, from),
    converted_amount: { amount: formatAmount(sum.convertedAmount, from), currency: source },
    network_fee: { amount: formatAmount(terms.networkFee, to), currency: to.ticker },
    price: ratioText(terms.price),
    rate_at: terms.rateAt.toISOString(),
    warnings: ignored,
  }
}

const feesOf = ({ fees }: Sum, { ticker, decimals }: Asset): EstimateRecord['service_fees'] =>
  fees.map(({ rule, amount }) => ({
    name: feeNames[rule.kind],
    amount: formatAmount(amount, { decimals }),
    currency: ticker,
    percentage: percentText(rule.basisPoints),
  }))
