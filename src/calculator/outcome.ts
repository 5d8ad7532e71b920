import { type Available, type Ask, resolve } from '../availability/resolve.ts'
import type { Failure } from '../availability/rule.ts'
import { waysToPay } from '../availability/ways-to-pay.ts'
import type { PaymentMethod } from '../catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import type { Partner } from '../partners/partner.ts'
import type { Sum } from '../pricing/sum.ts'
import { momentOf, termsOfPartner } from '../transactions/policy.ts'
import type { Choice } from './choice.ts'

/** What a choice comes to now: an exchange with its sum, or what stands against it; and the range where there is one. */
export type Outcome = {
  exchange: Available['exchange'] | undefined
  sum: Sum | undefined
  failure: Failure | undefined
  /** The methods by which this amount can be paid, the one in use among them. */
  ways: readonly PaymentMethod[]
}

/** Asked for what is no number: no rule takes it. */
const unreadable = '?'

/** What is asked of the resolver, as the estimate of the interface asks it: the two can say nothing different. */
const askOf = ({ from, to, direction, amount, category }: Choice): Ask & Required<Pick<Ask, 'amount'>> => ({
  fromCurrency: from.currency.ticker,
  fromNetwork: from.network.code,
  toCurrency: to.currency.ticker,
  toNetwork: to.network.code,
  depositCategory: category,
  amount: { direction, value: amount.plain ?? unreadable },
})

/** Prices a choice on a partner's terms. A way to pay that is not open for it is given up for one that is. */
export function outcomeOf(ctx: Ctx, partner: Partner, choice: Choice, isFixed: boolean): Outcome {
  const moment = momentOf(ctx, ctx.clock.now())
  const terms = termsOfPartner(partner)
  const ask = askOf(choice)
  const open = { ...ask, depositCategory: undefined }
  const answer = resolve(moment, terms, ask)
  const chosen = answer.available || isFixed ? answer : resolve(moment, terms, open)
  const ways = ask.amount && !isFixed ? waysToPay(moment, terms, { ...open, amount: ask.amount }) : []
  if (chosen.available) {
    const { exchange, sum } = chosen
    return { exchange, sum, failure: undefined, ways: distinct(ways.map(({ method }) => method)) }
  }
  const bare = resolve(moment, terms, { ...ask, amount: undefined })
  return {
    exchange: bare.available ? bare.exchange : undefined,
    sum: undefined,
    failure: chosen.failures[0],
    ways: distinct(ways.map(({ method }) => method)),
  }
}

/** One for each category: what readers choose by. */
const distinct = (methods: readonly PaymentMethod[]): PaymentMethod[] =>
  [...new Map(methods.toReversed().map((method) => [method.category, method])).values()].toReversed()
