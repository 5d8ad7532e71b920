import { lifecycle, type Status } from '../transactions/lifecycle.ts'
import { flag, list, money, number, object, objectOrNull, oneOf, text, textOrNull, warnings } from './shape.ts'

const status = oneOf(...(Object.keys(lifecycle) as Status[]))

const breakdown = object({
  fromAmount: number,
  toAmount: text,
  estimatedExchangeRate: text,
  serviceFees: list(object({ name: text, amount: text, currency: text })),
  convertedAmount: money,
  networkFee: money,
  partnerFee: money,
})

const refund = object({
  id: text,
  amount: text,
  currency: text,
  network: text,
  status: text,
  reason: textOrNull,
  output_hash: textOrNull,
})

/** A transaction as answers of create and get have it (wire.md, section 3). What is not named here does not leave. */
export const transactionRecord = object({
  id: text,
  status,
  status_details: textOrNull,
  side: text,
  errors: list(object({ code: text, reason: text })),
  email: textOrNull,
  customer_id: textOrNull,
  from_currency: text,
  from_network: textOrNull,
  from_currency_with_network: text,
  initial_from_currency: textOrNull,
  from_amount: text,
  expected_from_amount: text,
  initial_expected_from_amount: textOrNull,
  from_amount_in_eur: textOrNull,
  to_currency: text,
  to_network: textOrNull,
  to_currency_with_network: text,
  to_amount: textOrNull,
  expected_to_amount: text,
  deposit_type: text,
  deposit_payment_category: text,
  payout_type: text,
  payout_payment_category: text,
  payout: objectOrNull({ address: text, extra_id: text }),
  deposit: objectOrNull({ address: text, extra_id: text }),
  output_hash: textOrNull,
  location: text,
  estimate_breakdown: breakdown,
  partner_id: text,
  external_partner_link_id: textOrNull,
  redirect_url: text,
  skip_choose_payout_address: flag,
  skip_choose_payment_category: flag,
  customer_payout_address_changeable: flag,
  preauth_token: textOrNull,
  refund_reason: textOrNull,
  refunds: list(refund),
  warnings,
  quote_expires_at: text,
  expires_at: text,
  status_history: list(object({ status, at: text, reason: textOrNull })),
  created_at: text,
  updated_at: text,
})
