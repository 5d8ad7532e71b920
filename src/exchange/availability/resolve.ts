import assert from 'node:assert/strict'

import type { Problem } from '../../platform/lib/refusal.ts'
import type { Sum } from '../pricing/sum.ts'
import type { Exchange } from './exchange.ts'
import { judgeAmount, judgeAmountForm } from './judge-amount.ts'
import { judgeCountry, judgeCountryForm } from './judge-country.ts'
import { judgePair } from './judge-pair.ts'
import type { PartnerTerms } from './partner-terms.ts'
import { estimatePaths, type ExchangeRequest } from './request.ts'
import { type AddFailure, type Failure, type Failures, inOrder } from './rule.ts'
import type { ExchangeMoment } from './exchange-moment.ts'

/** `sum` is set when the request has an amount. */
export type Available = { available: true; exchange: Exchange; sum: Sum | undefined; warnings: readonly Problem[] }

/** Every rule that the request breaks, in the order of refusals. */
export type NotAvailable = { available: false; failures: Failures }

/**
 * Decides whether an exchange is available at a moment of the market, on a partner's terms, and its price and range. Currencies,
 * ranges, estimate, health, create and checkout all ask here, so they cannot disagree.
 *
 * Rules that depend on a broken one are skipped: an unknown currency is not also reported as having no price.
 */
export function resolve(moment: ExchangeMoment, partner: PartnerTerms, ask: ExchangeRequest): Available | NotAvailable {
  const paths = ask.paths ? { ...estimatePaths, ...ask.paths } : estimatePaths
  const failures: Failure[] = []
  const tell: AddFailure = (failure) => failures.push(failure)

  const hasAmount = judgeAmountForm(ask, paths, tell)
  const country = judgeCountryForm(ask, paths, tell)
  const pair = judgePair(moment, partner, { ask, paths, country }, tell)
  const isExact = partner.kind === 'b2b' || ask.amount?.mayBeCut !== true
  const amount = ask.amount && hasAmount ? judgeAmount({ asked: ask.amount, isExact, paths }, pair, tell) : undefined
  const { blocked } = moment.policies.at(moment.now, 'countries', partner.partnerId).rules
  judgeCountry(country, { blocked, paths }, tell)

  const ordered = inOrder(failures)
  if (ordered) return { available: false, failures: ordered }
  assert(pair.exchange, 'a pair that breaks no rule has an exchange')
  return {
    available: true,
    exchange: pair.exchange,
    sum: amount?.sum,
    warnings: amount?.warning ? [amount.warning] : [],
  }
}
