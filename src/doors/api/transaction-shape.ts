import { lifecycle, type Status } from '../../exchange/transactions/lifecycle.ts'
import type { StatusDetails } from '../../exchange/transactions/transaction.ts'
import {
  amount,
  category,
  country,
  email,
  id,
  line,
  method,
  money,
  network,
  percentage,
  price,
  rate,
  serviceFee,
  ticker,
  tickerWithNetwork,
  time,
  url,
  warnings,
  identifier,
} from './field-shapes.ts'
import {
  about,
  anyOf,
  eitherOf,
  flag,
  list,
  number,
  object,
  objectOrNull,
  oneOf,
  orNull,
  type Shaped,
  text,
  textOrNull,
  titled,
  wholeNumber,
} from './shape.ts'

const status = titled('TransactionStatus', oneOf(...(Object.keys(lifecycle) as Status[])))

/** Of these `status_details` is one, or it is null. */
const statusDetails: readonly StatusDetails[] = [
  'confirming',
  'kyc_required',
  'underpaid',
  'overpaid',
  'late',
  'wrong_asset',
  'payout_unknown',
  'address_needed',
  'refund_pending',
  'review',
]

const breakdown = object({
  fromAmount: number,
  toAmount: amount,
  estimatedExchangeRate: rate,
  serviceFees: list(serviceFee, 10),
  convertedAmount: money,
  networkFee: money,
  partnerFee: titled('PartnerFee', object({ amount, currency: ticker, percentage })),
})

const refund = object({
  id,
  amount,
  currency: ticker,
  network,
  status: oneOf('pending', 'unknown', 'paid', 'failed'),
  reason: textOrNull,
  output_hash: orNull(line),
})

/** What belongs to a checkout, which B2B has not. */
const checkoutFields = {
  redirect_url: about(url, 'The checkout: send the customer there.'),
  skip_choose_payout_address: flag,
  skip_choose_payment_category: flag,
  customer_payout_address_changeable: flag,
}

const version = wholeNumber(1, 1_000_000)

/** Of the policies that a price depends on. */
const versions = { fees: version, b2b: version, validity: version, slippage: version }

/** What is exchanged, and how. */
const exchange = {
  id,
  status,
  status_details: about(orNull(oneOf(...statusDetails)), 'What the status waits for, if more is known.'),
  side: oneOf('buy', 'sell', 'swap'),
  errors: list(titled('TransactionError', object({ code: identifier, reason: text }))),
  email: about(orNull(email), 'Null to public keys.'),
  customer_id: about(
    orNull(id),
    'The customer, for `/v1/customer/{id}/status`; null until there is an e-mail address.',
  ),
  from_currency: ticker,
  from_network: orNull(network),
  from_currency_with_network: tickerWithNetwork,
  initial_from_currency: about(orNull(ticker), 'As requested at creation.'),
  from_amount: about(amount, 'All that has arrived in the expected asset; `0` until the deposit.'),
  expected_from_amount: about(amount, 'The amount that the customer should pay.'),
  initial_expected_from_amount: about(orNull(amount), 'As requested at creation.'),
  from_amount_in_eur: about(
    orNull(amount),
    'What `expected_from_amount` is worth in euro, by the market that its price was made of.',
  ),
  to_currency: ticker,
  to_network: orNull(network),
  to_currency_with_network: tickerWithNetwork,
  to_amount: about(orNull(amount), 'What was paid out; null until then.'),
  expected_to_amount: about(amount, 'The amount that the customer should receive.'),
  deposit_type: method,
  deposit_payment_category: category,
  payout_type: method,
  payout_payment_category: category,
  payout: about(
    objectOrNull({ address: line, extra_id: line }, { iban: line, full_name: line }),
    'Where the money goes: an address and its memo, or an account and its BIC. Shortened to public keys.',
  ),
  deposit: about(
    orNull(object({ address: line, extra_id: line })),
    'Where to send coins, with the memo; for B2B also the account and the reference.',
  ),
  deposit_address: about(orNull(line), 'The address of `deposit`.'),
  deposit_extra_id: about(orNull(line), 'The memo or tag of `deposit`; empty where it has none.'),
  output_hash: about(orNull(line), 'Null to public keys. What identifies the payout on its chain or at its bank.'),
  receipt_url: about(
    orNull(url),
    'The receipt, for the customer; null until the transaction is finished or refunded, and to public keys.',
  ),
  location: about(country, 'The country of the customer.'),
  estimate_breakdown: titled('EstimateBreakdown', breakdown),
  total_cost: about(
    titled('TotalCost', object({ amount, currency: ticker, percentage })),
    'What left the customer less the market value of what arrives, in their money; in the source coin for a swap.',
  ),
  market_price: about(price, 'The market’s price without our spread, in the form of `price` of an estimate.'),
  policies: about(
    titled('PolicyVersions', eitherOf<Partial<Record<keyof typeof versions, number>>>(versions, Object.keys(versions))),
    'The versions of our policies under which the price was made. Empty for transactions from before there were any.',
  ),
  partner_id: id,
  external_partner_link_id: about(orNull(line), 'Your own reference for the transaction.'),
}

/** How it goes. */
const course = {
  preauth_token: orNull(line),
  refund_reason: textOrNull,
  refunds: list(titled('Refund', refund)),
  warnings: about(warnings, 'Fields that were ignored because their feature is off.'),
  quote_expires_at: about(time, 'When the price expires.'),
  expires_at: about(time, 'When the time to pay ends.'),
  status_history: list(titled('StatusMove', object({ status, at: time, reason: textOrNull })), 1_000),
  created_at: time,
  updated_at: time,
}

/** A transaction as answers of create and get have it. What is not named here does not leave. */
export const transactionRecord = titled('Transaction', object({ ...exchange, ...checkoutFields, ...course }))

/** Our account where an institution sends money, with the reference to be named. */
const depositBank = orNull(
  object({
    account_name: line,
    account_number: line,
    swift: line,
    bank_name: line,
    reference: line,
  }),
)

const b2bFields = { deposit_bank: depositBank, payout_address_id: id }

/** A B2B transaction: less what belongs to a checkout, and where to pay. */
export const b2bTransactionRecord = titled('B2bTransaction', object({ ...exchange, ...course, ...b2bFields }))

/** A transaction of either kind, in the fields that its kind has. */
export const anyTransactionRecord = eitherOf<Shaped<typeof transactionRecord> | Shaped<typeof b2bTransactionRecord>>(
  { ...exchange, ...checkoutFields, ...course, ...b2bFields },
  [...Object.keys(checkoutFields), ...Object.keys(b2bFields)],
)

/** The same for the document: one kind or the other, each with all of its fields. */
export const eitherTransaction = anyOf(transactionRecord, b2bTransactionRecord)
