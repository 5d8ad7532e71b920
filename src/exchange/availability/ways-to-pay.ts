import { findListing } from '../../reference/catalog/asset.ts'
import type { PaymentMethod } from '../../reference/catalog/payment-method.ts'
import type { Sum } from '../pricing/sum.ts'
import { resolve } from './resolve.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeRequest, RequestedAmount } from './request.ts'
import type { PartnerTerms } from './partner-terms.ts'
import type { ExchangeMoment } from './exchange-moment.ts'

/** One way to pay that is available, on what terms, and what the amount comes to by it. */
export type WayToPay = { method: PaymentMethod; exchange: Exchange; sum: Sum }

/**
 * Every deposit method that can pay this amount of this pair from this country, in catalog order. Ignores the method that the
 * request names: these are the alternatives. Each is checked by the resolver, so all of them are available.
 */
export function waysToPay(
  moment: ExchangeMoment,
  partner: PartnerTerms,
  { depositType: _type, depositCategory: _category, ...ask }: ExchangeRequest & { amount: RequestedAmount },
): WayToPay[] {
  const source = ask.fromCurrency === undefined ? undefined : findListing(ask.fromCurrency, ask.fromNetwork)
  return (source?.network.paymentMethods ?? []).flatMap(({ type }) => {
    const outcome = resolve(moment, partner, { ...ask, depositType: type })
    if (!outcome.available || !outcome.sum) return []
    return [{ method: outcome.exchange.deposit, exchange: outcome.exchange, sum: outcome.sum }]
  })
}
