import type { ExchangeRequest } from '../availability/request.ts'
import { type PartnerTerms, termsOfAccount } from '../availability/partner-terms.ts'
import type { Kind } from '../../reference/catalog/payment-method.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import type { ExchangeMoment } from '../availability/exchange-moment.ts'
import { nothingHalted } from '../../rails/halts.ts'
import { withoutRails } from '../../rails/registry.ts'
import type { Policy } from '../policies/policies.ts'
import { isFast, sampleMarket } from '../pricing/market-speed.ts'
import type { Rate } from '../pricing/rate.ts'
import type { ValidityRules } from '../policies/validity.ts'
import type { Ctx } from '../context.ts'
import type { Partner } from '../partners/partner.ts'
import type { CreateInput } from './create-input.ts'
import type { CustomerCountry } from './customer-country.ts'
import { flowOf } from './method.ts'
import type { Transaction } from './transaction.ts'

/** The moment that a request is judged and priced at. What is halted is not available. */
export const momentOf = (ctx: Ctx, now: Date): ExchangeMoment => {
  const halts = ctx.halts.now()
  const moment = { ...settlingMomentOf(ctx, now), isPayable: true }
  return halts === nothingHalted ? moment : { ...moment, halts, rails: withoutRails(moment.rails, halts.rails) }
}

/** The moment that money which is already agreed on is priced at: a halt stops its payout, and not its exchange. */
export const settlingMomentOf = ({ config, market, rails, policies }: Ctx, now: Date): ExchangeMoment => ({
  market,
  policies,
  rails,
  now,
  maxPriceAgeSeconds: config.pricing.staleAfterMs / 1_000,
})

/** What a partner's account says about its customers' exchanges; its own are on B2B's terms. */
export const termsOfPartner = (partner: Partner, kind: Kind = 'retail'): PartnerTerms => termsOfAccount(partner, kind)

/** Whose exchange a create request asks for. */
export const kindOf = ({ b2b }: Pick<CreateInput, 'b2b'>): Kind => (b2b ? 'b2b' : 'retail')

/** A create request as the availability resolver asks it, for a customer in this country. */
export const askOf = (input: CreateInput, country: CustomerCountry): ExchangeRequest => ({
  fromCurrency: input.fromCurrency,
  fromNetwork: input.fromNetwork,
  toCurrency: input.toCurrency,
  toNetwork: input.toNetwork,
  depositCategory: input.depositCategory,
  payoutCategory: input.b2b?.payoutCategory,
  country: country.code,
  amount: { direction: 'direct', value: input.fromAmount, mayBeCut: true },
  paths: { depositCategory: 'deposit.payment_category', country: country.path },
})

/** What a transaction exchanges, as the availability resolver asks it: for judging it again later. */
export const askOfTransaction = ({
  from,
  to,
  depositMethod,
  payoutMethod,
}: Pick<Transaction, 'from' | 'to' | 'depositMethod' | 'payoutMethod'>): ExchangeRequest => ({
  fromCurrency: from.currency.ticker,
  fromNetwork: from.network.code,
  toCurrency: to.currency.ticker,
  toNetwork: to.network.code,
  depositType: depositMethod,
  payoutType: payoutMethod,
})

/** How long prices hold and orders wait, for a partner's exchanges. */
export const validityOf = (
  { policies }: Pick<Ctx, 'policies'>,
  { partnerId }: { partnerId: bigint },
  at: Date,
): Policy<'validity'> => policies.at(at, 'validity', partnerId)

/** What is paid how, by whom. */
type Payment = { category: Category; kind: Kind }

/**
 * How long a price holds, by the way the money comes. A bank transfer takes days: its price is fixed
 * when it arrives, so the one that is shown before holds for no time at all.
 */
export function priceValidityMs({ card, coin, bank, b2b }: ValidityRules, { category, kind }: Payment): number {
  switch (flowOf(category)) {
    case 'page':
      return card.priceMs
    case 'coin':
      return (kind === 'b2b' ? b2b : coin).priceMs
    case 'transfer':
      return bank.priceMs
  }
}

/** A price that is made now: its rate, how it is paid, and the rules that hold. */
type HeldPrice = { rules: ValidityRules; payment: Payment; rate: Rate; now: Date }

/** How long a price that is made now holds: by policy, and a part of that where its market is fast. */
export function heldFor(
  { market }: Pick<Ctx, 'market'>,
  { rules, payment, rate, now }: HeldPrice,
): { ms: number; isFastMarket: boolean } {
  const usualMs = priceValidityMs(rules, payment)
  sampleMarket(market, now)
  const isFastMarket = usualMs > 0 && isFast(market, now, rate, rules.fastMarket)
  const ms = isFastMarket ? Math.floor((usualMs * rules.fastMarket.factorBasisPoints) / 10_000) : usualMs
  return { ms, isFastMarket }
}

const dayMs = 86_400_000

/**
 * How long a customer may take to pay, counted from business time `from`. For a bank, weekends (UTC) do not count, and what
 * begins in one begins with the Monday after it. A later start never has an earlier deadline.
 */
export function payDeadlineMs(
  { card, coin, bank, b2b }: ValidityRules,
  { category, kind }: Payment,
  from: Date,
): number {
  const flow = flowOf(category)
  if (flow === 'coin') return (kind === 'b2b' ? b2b : coin).payMs
  if (flow === 'page') return card.payMs
  let end = from.getTime()
  while (isWeekend(end)) end += dayMs - (end % dayMs)
  for (let left = bank.payBusinessDays; left > 0; left -= isWeekend(end) ? 0 : 1) end += dayMs
  return end - from.getTime()
}

/** Whether a moment, in milliseconds of the epoch, lies on a Saturday or Sunday. */
function isWeekend(ms: number): boolean {
  const weekday = new Date(ms).getUTCDay()
  return weekday === 0 || weekday === 6
}
