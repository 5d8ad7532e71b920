import assert from 'node:assert/strict'

import type { Listing } from '../../reference/catalog/asset.ts'
import type { Kind, PaymentMethod, Side } from '../../reference/catalog/payment-method.ts'
import { b2bFeeSchedules } from '../pricing/fees.ts'
import type { FeeSchedule } from '../pricing/fees.ts'
import type { MarketMoment } from '../pricing/market.ts'
import type { ServedRails } from '../../rails/registry.ts'
import type { Bounds, Range } from '../pricing/range.ts'
import type { Sum } from '../pricing/sum.ts'
import type { PairTerms } from '../pricing/terms.ts'
import { judgeAmount, judgeAmountForm } from './judge-amount.ts'
import { judgeCountry, judgeCountryForm } from './judge-country.ts'
import { judgePair } from './judge-pair.ts'
import { inOrder } from './rule.ts'
import type { Failure, Failures, Tell } from './rule.ts'

/** What a partner's account says about its exchanges. */
export type PartnerTerms = {
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** The account's own bounds of one exchange, decimal text in the market's reference currency (EUR). */
  limits: Bounds
  /** Those of a side in place of them. */
  limitsBySide?: Readonly<Partial<Record<Side, Bounds>>>
  /** The account's own price list in place of the house's, oldest first. */
  feeSchedules?: readonly FeeSchedule[]
  /** Whose exchanges these are: a customer's if nothing is said. */
  kind?: Kind
}

/** What an exchange depends on at one moment: the market, and which payments have a rail. */
export type ExchangeMoment = MarketMoment & { rails: ServedRails }

/** The terms of whoever is no partner: public lists and ranges. */
export const houseTerms: PartnerTerms = { commissionBasisPoints: 0, limits: { min: null, max: null } }

/** The terms of institutions' own exchanges: B2B's lists, limits and prices, for every account that has none of its own. */
export const b2bTerms: PartnerTerms = { ...houseTerms, feeSchedules: b2bFeeSchedules, kind: 'b2b' }

/** A text as the request has it; undefined is absent. */
type Text = string | undefined

/** What is asked, as the request spells it. A missing network is the currency's main one, a missing method the first open one. */
export type Ask = {
  fromCurrency: Text
  fromNetwork?: Text
  toCurrency: Text
  toNetwork?: Text
  /** Methods by type (`VISA_MC_1`) or by category (`VISA_MC`), any letter case; with both, both must fit. */
  depositType?: Text
  depositCategory?: Text
  payoutType?: Text
  payoutCategory?: Text
  /** The customer's country, alpha-2; undefined: not known, and then no country rule holds. */
  country?: Text
  /** Left out: no amount is judged. `value` as the request has it (see `amountText`); absent inside is a broken rule. */
  amount?: AskedAmount | undefined
  /** Where each of these stands in the request, where that is not the estimate's name for it. */
  paths?: Partial<AskPaths>
}

/**
 * An amount of the source (direct) or of the target (reverse). `feesIncluded` is true if not given. `isAgreed`, for a source
 * amount: it was within the range when an exchange of it was agreed, and is only priced anew; something must be left to pay out.
 */
export type AskedAmount = {
  direction: 'direct' | 'reverse'
  value: unknown
  feesIncluded?: boolean
  isAgreed?: boolean
}

/** The names of a request's fields in `errors[].path`. */
export type AskPaths = Record<Exclude<keyof Ask, 'paths' | 'amount'> | 'fromAmount' | 'toAmount', string>

const estimatePaths: AskPaths = {
  fromCurrency: 'from_currency',
  fromNetwork: 'from_network',
  toCurrency: 'to_currency',
  toNetwork: 'to_network',
  depositType: 'deposit_type',
  depositCategory: 'deposit_category',
  payoutType: 'payout_type',
  payoutCategory: 'payout_category',
  country: 'query.customer_country',
  fromAmount: 'from_amount',
  toAmount: 'to_amount',
}

/** What an exchange of this pair is made on. */
export type Exchange = {
  side: Side
  source: Listing
  target: Listing
  deposit: PaymentMethod
  payout: PaymentMethod
  terms: PairTerms
  range: Range
}

/** An exchange that is available; `sum` is there when an amount was asked. */
export type Available = { available: true; exchange: Exchange; sum: Sum | undefined }

/** Every rule that the request breaks, in the order in which requests are refused. */
export type NotAvailable = { available: false; failures: Failures }

/**
 * The one resolver: says whether an exchange is available at a moment of the market, on a partner's terms, and on what
 * terms. Currencies, ranges, estimate, health, create and checkout all ask here, so they cannot disagree (domain.md, promise 9).
 *
 * Rules that need what another rule did not find are not judged: nobody is told that an unknown currency has no price.
 */
export function resolve(moment: ExchangeMoment, partner: PartnerTerms, ask: Ask): Available | NotAvailable {
  const paths = ask.paths ? { ...estimatePaths, ...ask.paths } : estimatePaths
  const failures: Failure[] = []
  const tell: Tell = (failure) => failures.push(failure)

  const hasAmount = judgeAmountForm(ask, paths, tell)
  const country = judgeCountryForm(ask, paths, tell)
  const pair = judgePair(moment, partner, { ask, paths, country }, tell)
  const sum = ask.amount && hasAmount ? judgeAmount(ask.amount, paths, pair, tell) : undefined
  judgeCountry(country, paths, tell)

  const ordered = inOrder(failures)
  if (ordered) return { available: false, failures: ordered }
  assert(pair.exchange, 'a pair that breaks no rule has an exchange')
  return { available: true, exchange: pair.exchange, sum }
}
