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

/** What a choice comes to now: an exchange with its sum, or what stands against it; and the range where there is one. */
export type Outcome = {
  exchange: Available['exchange'] | undefined
  sum: Sum | undefined
  failure: Failure | undefined
  /** Every way to pay that the pair has, whatever the amount: a list that stays while one types. Empty where it is set. */
  ways: readonly Way[]
}

/** What readers choose by, and whether this amount can be paid by it. */
export type Way = { category: Category; isOpen: boolean }

/** Asked for what is no number: no rule takes it. */
const unreadable = '?'

type AskWhole = ExchangeRequest & { amount: RequestedAmount }

/** What is asked of the resolver, as the estimate of the interface asks it: the two can say nothing different. */
const askOf = ({ from, to, direction, amount, category }: Choice): AskWhole => ({
  fromCurrency: from.currency.ticker,
  fromNetwork: from.network.code,
  toCurrency: to.currency.ticker,
  toNetwork: to.network.code,
  depositCategory: category,
  amount: { direction, value: amount.plain ?? unreadable },
})

/**
 * Prices a choice on a partner's terms, by the way to pay that is wished. Where that one does not take the amount it is the first
 * that does; where none does, what is told is the range of the one that is wished.
 */
export function outcomeOf(ctx: Ctx, partner: Partner, choice: Choice, isFixed: boolean): Outcome {
  const moment = momentOf(ctx, ctx.clock.now())
  const terms = termsOfPartner(partner)
  const answerTo = (ask: ExchangeRequest) => resolve(moment, terms, ask)
  const asked = askOf(choice)
  const ways = isFixed ? [] : waysOf(moment, terms, asked, choice)
  const isKnown = isFixed || ways.some(({ category }) => category === choice.category)
  const wish: AskWhole = isKnown ? asked : { ...asked, depositCategory: undefined }
  const wished = answerTo(wish)
  const open = ways.find(({ isOpen }) => isOpen)
  const answer = wished.available || !open ? wished : answerTo({ ...wish, depositCategory: open.category })
  if (answer.available) return { exchange: answer.exchange, sum: answer.sum, failure: undefined, ways }

  const bare = answerTo({ ...wish, amount: undefined })
  return { exchange: bare.available ? bare.exchange : undefined, sum: undefined, failure: answer.failures[0], ways }
}

function waysOf(moment: ExchangeMoment, terms: PartnerTerms, asked: AskWhole, { from }: Choice): Way[] {
  const ask = { ...asked, depositCategory: undefined }
  const open = new Set(waysToPay(moment, terms, ask).map(({ method }) => method.category))
  const every = from.network.paymentMethods.filter(
    ({ type }) => resolve(moment, terms, { ...ask, amount: undefined, depositType: type }).available,
  )
  return [...new Set(every.map(({ category }) => category))].map((category) => ({
    category,
    isOpen: open.has(category),
  }))
}
