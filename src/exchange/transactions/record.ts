import { type AccountForm, accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Ctx } from '../context.ts'
import { jsonNumber } from '../../platform/lib/json.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { ratioText } from '../../platform/money/ratio.ts'
import { percentText, sharePaid } from '../pricing/fees.ts'
import { feeLines, type Quote, sumText, unitsIn } from '../pricing/quote.ts'
import { costOfTransaction } from './cost.ts'
import { depositMethodOf, payoutMethodOf } from './method.ts'
import { hasReceipt, receiptUrl } from './receipt-link.ts'
import type { RefundView, Transaction } from './transaction.ts'

/** What a partner sees of a transaction, in the wire's spelling: answers, lists and webhooks alike. */
export type TransactionRecord = ReturnType<typeof recordOf>

/** The same of a B2B transaction, which has no checkout and says where to pay instead. */
export type B2bRecord = ReturnType<typeof b2bRecordOf>

/** The `tid` of a transaction's checkout link. */
export const tidOf = ({ checkoutToken, publicId }: Pick<Transaction, 'checkoutToken' | 'publicId'>): string =>
  checkoutToken ?? String(publicId)

/** The address of a transaction's checkout, in the language of the locale if one is given. */
export const checkoutUrl = (
  { publicUrl }: Pick<Ctx, 'publicUrl'>,
  transaction: Pick<Transaction, 'checkoutToken' | 'publicId'>,
  locale?: string,
): string => `${publicUrl}${locale === undefined ? '' : `/${locale}`}/checkout?tid=${tidOf(transaction)}`

/** Writes the current record of a customer's transaction, in full, for its partner's secret key. */
export function recordOf(ctx: Pick<Ctx, 'publicUrl' | 'secrets'>, transaction: Transaction) {
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
    initial_expected_from_amount: formatAmount(transaction.initialExpectedFrom ?? transaction.expectedFrom, from.asset),
    from_amount_in_eur: transaction.fromAmountInEur === null ? null : formatAmount(transaction.fromAmountInEur, euro),
    to_currency: to.currency.ticker,
    to_network: to.network.code,
    to_currency_with_network: withNetwork(to),
    to_amount: transaction.toAmount === null ? null : formatAmount(transaction.toAmount, to.asset),
    expected_to_amount: formatAmount(transaction.expectedTo, to.asset),
    deposit_type: transaction.depositMethod,
    deposit_payment_category: depositMethodOf(transaction).category,
    payout_type: transaction.payoutMethod,
    payout_payment_category: payoutMethodOf(transaction).category,
    payout: payoutOf(transaction),
    deposit: personal.depositAddress && {
      address: personal.depositAddress.address,
      extra_id: personal.depositAddress.extraId,
    },
    deposit_address: personal.depositAddress?.address ?? null,
    deposit_extra_id: personal.depositAddress?.extraId ?? null,
    output_hash: transaction.outputHash,
    receipt_url: hasReceipt(transaction) ? receiptUrl(ctx, transaction) : null,
    location: transaction.country ?? 'ZZ',
    estimate_breakdown: breakdownOf(transaction.quote),
    ...costOf(transaction),
    policies: { ...transaction.quote.policies },
    partner_id: String(transaction.partnerId),
    external_partner_link_id: transaction.externalPartnerLinkId,
    redirect_url: checkoutUrl(ctx, transaction),
    skip_choose_payout_address: terms.skipChoosePayoutAddress,
    skip_choose_payment_category: terms.skipChoosePaymentCategory,
    customer_payout_address_changeable: terms.payoutAddressChangeable && !personal.passed?.payoutAddress,
    preauth_token: null,
    refund_reason: transaction.refunds.at(-1)?.reason ?? null,
    refunds: transaction.refunds.map(refundOf),
    warnings: terms.warnings,
    quote_expires_at: transaction.quoteExpiresAt.toISOString(),
    expires_at: transaction.expiresAt.toISOString(),
    status_history: transaction.history.map(({ status, at, reason }) => ({ status, at: at.toISOString(), reason })),
    created_at: transaction.createdAt.toISOString(),
    updated_at: transaction.updatedAt.toISOString(),
  }
}

/**
 * Writes the record of a B2B transaction: less what belongs to a checkout. `deposit` says where to pay, whatever the money: an
 * address and its memo, or an account and the reference to be named; `deposit_bank` says the same of an account in full, and is
 * null for coins.
 */
export function b2bRecordOf(ctx: Pick<Ctx, 'publicUrl' | 'secrets'>, transaction: Transaction) {
  const {
    redirect_url: _url,
    skip_choose_payout_address: _address,
    skip_choose_payment_category: _category,
    customer_payout_address_changeable: _changeable,
    ...record
  } = recordOf(ctx, transaction)
  const { depositAccount: bank } = transaction.personal
  const deposit = bank ? { address: bank.account, extra_id: bank.reference } : record.deposit
  return {
    ...record,
    deposit,
    deposit_address: deposit?.address ?? null,
    deposit_extra_id: deposit?.extra_id ?? null,
    deposit_bank: bank
      ? {
          account_name: bank.holder,
          account_number: bank.account,
          swift: bank.bic,
          bank_name: bank.bank,
          reference: bank.reference,
        }
      : null,
    payout_address_id: String(transaction.payoutAddressId ?? ''),
  }
}

/** The record of a transaction of either kind. */
export const anyRecordOf = (
  ctx: Pick<Ctx, 'publicUrl' | 'secrets'>,
  transaction: Transaction,
): TransactionRecord | B2bRecord =>
  transaction.kind === 'b2b' ? b2bRecordOf(ctx, transaction) : recordOf(ctx, transaction)

export const isB2b = (record: TransactionRecord | B2bRecord): record is B2bRecord => !('redirect_url' in record)

/** The same for a public key, which may be seen in a browser: nothing of the person. */
export const publicView = (record: TransactionRecord): TransactionRecord => ({
  ...record,
  email: null,
  output_hash: null,
  receipt_url: null,
  refunds: record.refunds.map((refund) => ({ ...refund, output_hash: null })),
  payout: record.payout && publicPayout(record.payout, accountFormOf(record.payout_payment_category)),
})

/** Of an account its last four digits; nothing of a Pix key, which is a tax number, a telephone or an e-mail address. */
function publicPayout({ address, iban }: PayoutRecord, form: AccountForm | undefined): PayoutRecord {
  if (!form) return { address: shortened(address), extra_id: '' }
  const ends = (account: string): string => `…${form === 'pix' ? '' : lastDigits(account)}`
  return { address: ends(address), extra_id: '', iban: iban ? ends(iban) : '', full_name: '' }
}

/** Nothing of an account that is so short that its last digits would tell half of it. */
const lastDigits = (account: string): string => /\w{5}(\d{4})$/.exec(account.replace(/[\s-]/g, ''))?.[1] ?? ''

const euro = { decimals: 2 }

/** A refund as partners read it: `amount` is what is sent, the cost of sending it taken off. */
function refundOf({ publicId, asset: assetId, amount, cost, reason, state, plan, hash }: RefundView) {
  const asset = bookedAsset(assetId)
  if (!asset) throw new Error(`The ledger has no record of ${assetId}.`)
  return {
    id: String(publicId),
    amount: formatAmount(amount - cost, asset),
    currency: asset.ticker,
    network: asset.network,
    status: refundStatus(state, plan),
    reason,
    output_hash: state === 'paid' ? hash : null,
  }
}

function refundStatus(state: RefundView['state'], plan: string | null): 'pending' | 'unknown' | 'paid' | 'failed' {
  if (state === 'paid') return 'paid'
  if (state === 'failed' || state === 'cancelled') return 'failed'
  return state === 'sent' && plan === 'unknown' ? 'unknown' : 'pending'
}

/** `BTC`, but `USDT (TRX)`: the network is named where it is not the currency's own. */
const withNetwork = ({ currency, network }: Listing): string =>
  network.code === currency.ticker ? currency.ticker : `${currency.ticker} (${network.code})`

/** Where the money goes: an address and its memo; or an account, with its IBAN where it has one, and its holder. */
function payoutOf(transaction: Transaction): PayoutRecord | null {
  const { personal, to } = transaction
  if (personal.payoutAddress === null) return null
  const written = { address: personal.payoutAddress, extra_id: personal.payoutExtraId ?? '' }
  if (to.network.chain) return written
  const form = accountFormOf(payoutMethodOf(transaction).category)
  const check = form && checkAccount(form, { account: written.address, bic: written.extra_id })
  return { ...written, iban: check?.ok ? check.iban : '', full_name: personal.payoutHolder ?? '' }
}

type PayoutRecord = { address: string; extra_id: string; iban?: string; full_name?: string }

/** The quote as partners read it. */
function breakdownOf(quote: Quote) {
  const source = quote.from.ticker
  const target = quote.to.ticker
  const fees = feeLines(quote)
  const partnerFees = fees.filter(({ kind }) => kind === 'partner')
  return {
    fromAmount: jsonNumber(quote.fromAmount),
    toAmount: quote.toAmount,
    estimatedExchangeRate: quote.rate,
    serviceFees: fees.map((fee) => ({
      name: fee.name,
      amount: fee.amount,
      currency: source,
      percentage: percentText(sharePaid(fee, unitsIn(fee.amount, quote.from), unitsIn(quote.fromAmount, quote.from))),
    })),
    convertedAmount: { amount: quote.convertedAmount, currency: source },
    networkFee: { amount: quote.networkFee, currency: target },
    partnerFee: {
      amount: sumText(
        partnerFees.map(({ amount }) => amount),
        quote.from,
      ),
      currency: source,
      percentage: percentText(partnerFees[0]?.basisPoints ?? 0),
    },
  }
}

/** What the exchange costs in all, and the market's price that this is measured by, in the spelling of an estimate's `price`. */
function costOf(transaction: Transaction) {
  const { asset, amount, basisPoints, marketPrice } = costOfTransaction(transaction)
  return {
    total_cost: { amount: formatAmount(amount, asset), currency: asset.ticker, percentage: percentText(basisPoints) },
    market_price: ratioText(marketPrice),
  }
}

const shortened = (address: string): string =>
  address.length <= 12 ? '…' : `${address.slice(0, 6)}…${address.slice(-4)}`
