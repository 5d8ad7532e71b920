import { type Asset, formatAmount } from '../../platform/money/amount.ts'
import { ratioText } from '../../platform/money/ratio.ts'
import { feeNames, percentText, sharePaid } from '../../exchange/pricing/fees.ts'
import { rateText, type Sum } from '../../exchange/pricing/sum.ts'
import type { PairTerms } from '../../exchange/pricing/terms.ts'
import type { Warning } from '../../exchange/transactions/create-input.ts'
import { amount, money, network, price, rate, serviceFee, ticker, time, warnings } from './field-shapes.ts'
import { list, object, type Shaped, titled } from './shape.ts'

/** The fields of an estimate. */
const estimateFields = {
  from_currency: ticker,
  from_network: network,
  to_currency: ticker,
  to_network: network,
  value: amount,
  estimated_exchange_rate: rate,
  service_fees: list(serviceFee, 10),
  converted_amount: money,
  network_fee: money,
  price,
  rate_at: time,
  warnings,
}

/** An estimate as a whole response. */
export const estimateRecord = titled('Estimate', object(estimateFields))

/** What an amount comes to, as partners read it. */
export type EstimateRecord = Shaped<typeof estimateRecord>

/** Writes an estimate. `value` is the amount that was not given. */
export function recordOfEstimate(
  terms: PairTerms,
  sum: Sum,
  direction: 'direct' | 'reverse',
  ignored: Warning[],
): EstimateRecord {
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

const feesOf = ({ fees, fromAmount }: Sum, { ticker, decimals }: Asset): EstimateRecord['service_fees'] =>
  fees.map(({ rule, amount }) => ({
    name: feeNames[rule.kind],
    amount: formatAmount(amount, { decimals }),
    currency: ticker,
    percentage: percentText(sharePaid(rule, amount, fromAmount)),
  }))
