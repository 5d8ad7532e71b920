import type { Listing } from '../catalog/asset.ts'
import type { PaymentMethod } from '../catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import { jsonNumber } from '../lib/json.ts'
import { formatAmount } from '../money/amount.ts'
import type { Quote } from '../pricing/quote.ts'
import type { Transaction } from './transaction.ts'

/** What a partner sees of a transaction, in the wire's spelling (wire.md, section 3): answers, lists and webhooks alike. */
export type TransactionRecord = ReturnType<typeof recordOf>

/** Where a transaction's customer goes on. */
export const checkoutUrl = ({ publicUrl }: Pick<Ctx, 'publicUrl'>, publicId: bigint): string =>
  `${publicUrl}/checkout?tid=${publicId}`

/** Writes the record of a transaction as it stands, whole, for its partner's secret key. */
export function recordOf({ publicUrl }: Pick<Ctx, 'publicUrl'>, transaction: Transaction) {
  const { from, to, personal, terms } = transaction
  return {
    id: String(transaction.publicId),
    status: transaction.status,
    status_details: transaction.statusDetails,
    side: transaction.side,
    errors: transaction.errors,
    email: personal.email,
    customer_id: transaction.partnerCustomerId === null ? null : String(transaction.partnerCustomerId),
    from_currency: from.currency.ticker,
    from_network: from.network.code,
    from_currency_with_network: withNetwork(from),
    initial_from_currency: from.currency.ticker,
    from_amount: formatAmount(transaction.fromAmount, from.asset),
    expected_from_amount: formatAmount(transaction.expectedFrom, from.asset),
    initial_expected_from_amount: formatAmount(transaction.expectedFrom, from.asset),
    from_amount_in_eur: transaction.fromAmountInEur === null ? null : formatAmount(transaction.fromAmountInEur, euro),
    to_currency: to.currency.ticker,
    to_network: to.network.code,
    to_currency_with_network: withNetwork(to),
    to_amount: transaction.toAmount === null ? null : formatAmount(transaction.toAmount, to.asset),
    expected_to_amount: formatAmount(transaction.expectedTo, to.asset),
    deposit_type: transaction.depositMethod,
    deposit_payment_category: categoryOf(from, transaction.depositMethod),
    payout_type: transaction.payoutMethod,
    payout_payment_category: categoryOf(to, transaction.payoutMethod),
    payout:
      personal.payoutAddress === null
        ? null
        : { address: personal.payoutAddress, extra_id: personal.payoutExtraId ?? '' },
    deposit: null,
    output_hash: transaction.outputHash,
    location: transaction.country ?? 'ZZ',
    estimate_breakdown: breakdownOf(transaction.quote),
    partner_id: String(transaction.partnerId),
    external_partner_link_id: transaction.externalPartnerLinkId,
    redirect_url: checkoutUrl({ publicUrl }, transaction.publicId),
    skip_choose_payout_address: terms.skipChoosePayoutAddress,
    skip_choose_payment_category: terms.skipChoosePaymentCategory,
    customer_payout_address_changeable: terms.payoutAddressChangeable,
    preauth_token: null,
    refund_reason: null,
    refunds: [],
    warnings: terms.warnings,
    quote_expires_at: transaction.quoteExpiresAt.toISOString(),
    expires_at: transaction.expiresAt.toISOString(),
    status_history: transaction.history.map(({ status, at, reason }) => ({ status, at: at.toISOString(), reason })),
    created_at: transaction.createdAt.toISOString(),
    updated_at: transaction.updatedAt.toISOString(),
  }
}

/** The same for a public key, which may be seen in a browser: nothing of the person. */
export const publicView = (record: TransactionRecord): TransactionRecord => ({
  ...record,
  email: null,
  payout: record.payout && { address: shortened(record.payout.address), extra_id: '' },
})

const euro = { decimals: 2 }

/** `BTC`, but `USDT (TRX)`: the network is named where it is not the currency's own. */
const withNetwork = ({ currency, network }: Listing): string =>
  network.code === currency.ticker ? currency.ticker : `${currency.ticker} (${network.code})`

function categoryOf({ network }: Listing, type: string): PaymentMethod['category'] {
  const method = network.paymentMethods.find((candidate) => candidate.type === type)
  if (!method) throw new Error(`The catalogue has lost the method ${type}.`)
  return method.category
}

/** The quote as partners read it. */
function breakdownOf(quote: Quote) {
  const source = quote.from.ticker
  const target = quote.to.ticker
  const partnerFee = quote.fees.find(({ kind }) => kind === 'partner')
  return {
    fromAmount: jsonNumber(quote.fromAmount),
    toAmount: quote.toAmount,
    estimatedExchangeRate: quote.rate,
    serviceFees: quote.fees.map(({ name, amount }) => ({ name, amount, currency: source })),
    convertedAmount: { amount: quote.convertedAmount, currency: source },
    networkFee: { amount: quote.networkFee, currency: target },
    partnerFee: { amount: partnerFee?.amount ?? '0', currency: source },
  }
}

const shortened = (address: string): string =>
  address.length <= 12 ? '…' : `${address.slice(0, 6)}…${address.slice(-4)}`
