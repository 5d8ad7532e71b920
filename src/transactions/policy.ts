import type { Ask, PartnerTerms } from '../availability/resolve.ts'
import type { Category } from '../catalog/payment-method.ts'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { MarketMoment } from '../pricing/market.ts'
import type { Partner } from '../partners/partner.ts'
import type { CreateInput } from './create-input.ts'
import type { Transaction } from './transaction.ts'

/** The moment of the market that a request is priced at. */
export const momentOf = ({ config, market }: Ctx, now: Date): MarketMoment => ({
  market,
  now,
  maxPriceAgeSeconds: config.pricing.staleAfterMs / 1_000,
})

/** What a partner's account says about its exchanges. */
export const termsOfPartner = ({ settings }: Partner): PartnerTerms => settings.terms

/** A create request as the availability resolver asks it. */
export const askOf = (input: CreateInput): Ask => ({
  fromCurrency: input.fromCurrency,
  fromNetwork: input.fromNetwork,
  toCurrency: input.toCurrency,
  toNetwork: input.toNetwork,
  depositCategory: input.depositCategory,
  country: input.countryOverride,
  amount: { direction: 'direct', value: input.fromAmount },
  paths: { depositCategory: 'deposit.payment_category' },
})

/** What a transaction exchanges, as the availability resolver asks it: for judging it again later. */
export const askOfTransaction = ({ from, to, depositMethod, payoutMethod }: Transaction): Ask => ({
  fromCurrency: from.currency.ticker,
  fromNetwork: from.network.code,
  toCurrency: to.currency.ticker,
  toNetwork: to.network.code,
  depositType: depositMethod,
  payoutType: payoutMethod,
})

/** Categories whose money comes over a bank, in days rather than minutes. */
const bankCategories: ReadonlySet<Category> = new Set(['SEPA', 'SWIFT', 'FASTERPAYMENTS', 'SPEI', 'PSE', 'PIX'])

/** How long a price holds, by the way the money comes (domain.md, section 2). */
export const priceValidityMs = ({ pricing }: Config, category: Category): number =>
  category === 'CRYPTO' ? pricing.coinValidityMs : pricing.cardValidityMs

const dayMs = 86_400_000

/** How long a customer may take to pay, counted from business time `from`: weekends do not count for a bank. */
export function payDeadlineMs({ deadlines }: Config, category: Category, from: Date): number {
  if (category === 'CRYPTO') return deadlines.coinMs
  if (!bankCategories.has(category)) return deadlines.cardMs
  let days = 0
  for (let left = deadlines.bankBusinessDays; left > 0; days += 1) {
    const weekday = new Date(from.getTime() + (days + 1) * dayMs).getUTCDay()
    if (weekday !== 0 && weekday !== 6) left -= 1
  }
  return days * dayMs
}
