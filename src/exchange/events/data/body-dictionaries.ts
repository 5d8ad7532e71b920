const first = [
  '"code":"FEATURE_NOT_ENABLED","path":"customer.billing_info","message":"path":"payout_info.payout_address",',
  '"code":"card_declined","reason":"payment_category.type","hold":"review":"kyc_required","underpaid","overpaid","late",',
  '"wrong_asset","payout_unknown","address_needed","refund_pending","unknown","paid","pending","output_hash":',
  '"status":"on_hold","status":"cancelled","status":"expired","status":"refunded","status":"failed","swap","sell","GBP","USD",',
  '"USDT","ETH","TRX","USDT (TRX)","USDT (ETH)","SEPA","SEPA_1","Network fee","Partner fee","0x","bc1q",',
  '"failing_since":"endpoint.disabled","endpoint.failing","url":"https://","b2b.transaction.status_changed",',
  '"transaction.created","created_at":"transaction.amounts_changed","transaction.refund_changed","customer.status_changed",',
  '"refunds":[{"id":"","amount":"","currency":"","network":"","status":"","reason":null,"output_hash":null}],',
  '{"requesterType":"EXCHANGE","version":"1.0","id":"evt_","type":"transaction.status_changed","created_at":"2026-01-01T00:00',
  ':00.000Z","sequence":2,"payload":{"id":"","status":"waiting_for_customer","status_details":"confirming","status_details":',
  'null,"side":"buy","errors":[],"email":"@gmail.com","customer_id":"","from_currency":"EUR","from_network":"EUR",',
  '"from_currency_with_network":"EUR","initial_from_currency":"EUR","from_amount":"0","expected_from_amount":"100",',
  '"initial_expected_from_amount":"100","from_amount_in_eur":null,"to_currency":"BTC","to_network":"BTC",',
  '"to_currency_with_network":"BTC","to_amount":null,"expected_to_amount":"0.00","deposit_type":"VISA_MC_1",',
  '"deposit_payment_category":"VISA_MC","payout_type":"CRYPTO_1","payout_payment_category":"CRYPTO","payout":{"address":"',
  '","extra_id":""},"deposit":null,"output_hash":null,"location":"DE","estimate_breakdown":{"fromAmount":100,',
  '"toAmount":"0.00","estimatedExchangeRate":"0.0000","serviceFees":[{"name":"Service fee","amount":"1","currency":"EUR"},',
  '{"name":"Payment method fee","amount":"2.5","currency":"EUR"}],"convertedAmount":{"amount":"96.5","currency":"EUR"},',
  '"networkFee":{"amount":"0.00003","currency":"BTC"},"partnerFee":{"amount":"0","currency":"EUR"}},"partner_id":"',
  '","external_partner_link_id":null,"redirect_url":"https:///checkout?tid=","skip_choose_payout_address":false,',
  '"skip_choose_payment_category":false,"customer_payout_address_changeable":true,"preauth_token":null,',
  '"refund_reason":null,"refunds":[],"warnings":[],"quote_expires_at":"2026-01-01T00:00:00.000Z","expires_at":"',
  '2026-01-01T00:00:00.000Z","status_history":[{"status":"new","at":"2026-01-01T00:00:00.000Z","reason":null},',
  '{"status":"waiting_for_customer","at":"2026-01-01T00:00:00.000Z","reason":null},{"status":"waiting_for_deposit","at":"',
  '2026-01-01T00:00:00.000Z","reason":null},{"status":"exchanging","at":"2026-01-01T00:00:00.000Z","reason":null},',
  '{"status":"sending","at":"2026-01-01T00:00:00.000Z","reason":null},{"status":"finished","at":"2026-01-01T00:00:00.000Z",',
  '"reason":null}],"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}}',
].join('')

const second = [
  '"code":"FEATURE_NOT_ENABLED","path":"customer.billing_info","message":"path":"payout_info.payout_address",',
  '"code":"card_declined","reason":"payment_category.type","hold":"review":"kyc_required","underpaid","overpaid","late",',
  '"wrong_asset","payout_unknown","address_needed","refund_pending","unknown","paid","pending","output_hash":',
  '"status":"on_hold","status":"cancelled","status":"expired","status":"refunded","status":"failed","swap","sell","GBP","USD",',
  '"USDT","ETH","TRX","USDT (TRX)","USDT (ETH)","SEPA","SEPA_1","Network fee","Partner fee","0x","bc1q",',
  '"failing_since":"endpoint.disabled","endpoint.failing","url":"https://","b2b.transaction.status_changed",',
  '"transaction.created","created_at":"transaction.amounts_changed","transaction.refund_changed","customer.status_changed",',
  '"refunds":[{"id":"","amount":"","currency":"","network":"","status":"","reason":null,"output_hash":null}],',
  '{"requesterType":"EXCHANGE","version":"1.0","id":"evt_","type":"transaction.status_changed","created_at":"2026-01-01T00:00',
  ':00.000Z","sequence":2,"payload":{"id":"","status":"waiting_for_customer","status_details":"confirming","status_details":',
  'null,"side":"buy","errors":[],"email":"@gmail.com","customer_id":"","from_currency":"EUR","from_network":"EUR",',
  '"from_currency_with_network":"EUR","initial_from_currency":"EUR","from_amount":"0","expected_from_amount":"100",',
  '"initial_expected_from_amount":"100","from_amount_in_eur":null,"to_currency":"BTC","to_network":"BTC",',
  '"to_currency_with_network":"BTC","to_amount":null,"expected_to_amount":"0.00","deposit_type":"VISA_MC_1",',
  '"deposit_payment_category":"VISA_MC","payout_type":"CRYPTO_1","payout_payment_category":"CRYPTO","payout":{"address":"',
  '","extra_id":""},"deposit":null,"deposit_address":null,"deposit_extra_id":null,"output_hash":null,"location":"DE","estimate_breakdown":{"fromAmount":100,',
  '"toAmount":"0.00","estimatedExchangeRate":"0.0000","serviceFees":[{"name":"Service fee","amount":"1","currency":"EUR",',
  '"percentage":"1%"},',
  '{"name":"Payment method fee","amount":"2.5","currency":"EUR","percentage":"2.5%"}],"convertedAmount":{"amount":"96.5","currency":"EUR"},',
  '"networkFee":{"amount":"0.00003","currency":"BTC"},"partnerFee":{"amount":"0","currency":"EUR","percentage":"0%"}},"partner_id":"',
  '","external_partner_link_id":null,"redirect_url":"https:///checkout?tid=","skip_choose_payout_address":false,',
  '"skip_choose_payment_category":false,"customer_payout_address_changeable":true,"preauth_token":null,',
  '"refund_reason":null,"refunds":[],"warnings":[],"quote_expires_at":"2026-01-01T00:00:00.000Z","expires_at":"',
  '2026-01-01T00:00:00.000Z","status_history":[{"status":"new","at":"2026-01-01T00:00:00.000Z","reason":null},',
  '{"status":"waiting_for_customer","at":"2026-01-01T00:00:00.000Z","reason":null},{"status":"waiting_for_deposit","at":"',
  '2026-01-01T00:00:00.000Z","reason":null},{"status":"exchanging","at":"2026-01-01T00:00:00.000Z","reason":null},',
  '{"status":"sending","at":"2026-01-01T00:00:00.000Z","reason":null},{"status":"finished","at":"2026-01-01T00:00:00.000Z",',
  '"reason":null}],"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z"}}',
].join('')

/** With the total cost and the receipt. */
const third = second
  .replace(
    '"partner_id":"',
    '"total_cost":{"amount":"6.38","currency":"EUR","percentage":"6.4%"},"market_price":{"numerator":"1","denominator":"' +
      '"},"policies":{"fees":1,"validity":1,"slippage":1},"partner_id":"',
  )
  .replace('"output_hash":null,"location"', '"output_hash":null,"receipt_url":"https:///receipt/","receipt_url":null,"location"')

/**
 * What bodies have in common, for packing them. A dictionary is never changed once events were written with it, for it is
 * needed to read them: when records have become another, a further one is added at the end. The likeliest is last.
 */
export const bodyDictionaries: readonly string[] = [first, second, third]
