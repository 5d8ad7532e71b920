import { type Available, resolve } from '../../exchange/availability/resolve.ts'
import type { ExchangeRequest, RequestedAmount } from '../../exchange/availability/request.ts'
import type { PartnerTerms } from '../../exchange/availability/partner-terms.ts'
import type { ExchangeMoment } from '../../exchange/availability/exchange-moment.ts'
import type { Failure } from '../../exchange/availability/rule.ts'
import { waysToPay } from '../../exchange/availability/ways-to-pay.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import type { Sum } from '../../exchange/pricing/sum.ts'
import { momentOf, termsOfPartner } from '../../exchange/transactions/policy.ts'
import type { Choice } from './choice.ts'

/** The result of a choice: an exchange with its amounts, or why there is none; and its range, if there is one. */
export type Outcome = {
  exchange: Available['exchange'] | undefined
  sum: Sum | undefined
  failure: Failure | undefined
  /** All payment methods of the pair, whatever the amount, so that the list is stable while typing. Empty if the partner set one. */
  ways: readonly Way[]
}

/** A payment category, and whether this amount can be paid with it. */
export type Way = { category: Category; isOpen: boolean }

/** Stands in for text that isn't a number: no rule accepts it. */
const unreadable = '?'

type AskWhole = ExchangeRequest & { amount: RequestedAmount }

/** The resolver's question, the same as for the API's estimate, so that both agree. */
const askOf = ({ from, to, direction, amount, category }: Choice): AskWhole => ({
  fromCurrency: from.currency.ticker,
  fromNetwork: from.network.code,
  toCurrency: to.currency.ticker,
  toNetwork: to.network.code,
  depositCategory: category,
  amount: { direction, value: amount.plain ?? unreadable },
})

/**
 * Prices a choice on a partner's terms, with the preferred payment method. If that one does not take the amount, the first one that
 * does is used; if none does, the range of the preferred one is shown.
 */
export function outcomeOf(ctx: Ctx, partner: Partner, choice: Choice, isFixed: boolean): Outcome {
  const moment = momentOf(ctx, ctx.clock.now())
  const terms = termsOfPartner(partner)
  const answerTo = (ask: ExchangeRequest) => resolve(moment, terms, ask)
  const request = askOf(choice)
  const ways = isFixed ? [] : waysOf(moment, terms, request, choice)
  const isKnown = isFixed || ways.some(({ category }) => category === choice.category)
  const preferred: AskWhole = isKnown ? request : { ...request, depositCategory: undefined }
  const first = answerTo(preferred)
  const open = ways.find(({ isOpen }) => isOpen)
  const answer = first.available || !open ? first : answerTo({ ...preferred, depositCategory: open.category })
  if (answer.available) return { exchange: answer.exchange, sum: answer.sum, failure: undefined, ways }

  const anyAmount = answerTo({ ...preferred, amount: undefined })
  return {
    exchange: anyAmount.available ? anyAmount.exchange : undefined,
    sum: undefined,
    failure: answer.failures[0],
    ways,
  }
}

function waysOf(moment: ExchangeMoment, terms: PartnerTerms, request: AskWhole, { from }: Choice): Way[] {
  const ask = { ...request, depositCategory: undefined }
  const open = new Set(waysToPay(moment, terms, ask).map(({ method }) => method.category))
  const every = from.network.paymentMethods.filter(
    ({ type }) => resolve(moment, terms, { ...ask, amount: undefined, depositType: type }).available,
  )
  return [...new Set(every.map(({ category }) => category))].map((category) => ({
    category,
    isOpen: open.has(category),
  }))
}
