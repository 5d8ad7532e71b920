import { ibanOf, walletOf } from './b2b.ts'

/** A request to be shown in the document. `{name}` in a text stands for what an earlier answer said. */
export type Request = {
  operation: string
  path: string
  /** GET, or POST where there is a body, unless it is another. */
  method?: string
  query?: Record<string, string>
  body?: Record<string, unknown>
  /** Takes this of the answer, for later requests: `{wallet}` is then its id. */
  keep?: string
}

const pair = { from_currency: 'EUR', to_currency: 'BTC' }

const order = {
  from_amount: 100,
  ...pair,
  from_network: 'EUR',
  to_network: 'BTC',
  customer: { ip: '192.0.2.10', contact_info: { email: 'customer@example.com' } },
  payout_info: { payout_address: walletOf('bitcoin', 'customer') },
  redirects: { successful: 'https://partner.example/done?id=$$' },
  external_partner_link_id: 'order 7',
  locale: 'en',
}

const shared = { kyc_shared_token_provider: 'sumsub', email: 'customer@example.com' }

const account = {
  payment_category: 'SEPA',
  address: { account_name: 'Treasury GmbH', account_number: ibanOf('treasury'), swift: 'SBBKDEF0XXX' },
  label: 'Treasury',
}

const coinWallet = {
  currency: 'BTC',
  network: 'BTC',
  wallet_address: walletOf('bitcoin', 'treasury'),
  label: 'Cold wallet',
}

const endpoint = '/v1/webhook-endpoints/{endpoint}'

/** The attempts are asked for before there are any, so that the answer is the same in every run. */
const onWebhooks: readonly Request[] = [
  { operation: 'listEvents', path: '/v1/events', query: { limit: '1', wait: '30' } },
  {
    operation: 'addWebhookEndpoint',
    path: '/v1/webhook-endpoints',
    body: { url: 'http://127.0.0.1:9/cambio', types: ['endpoint.failing'], rate_limit: 20 },
    keep: 'endpoint',
  },
  { operation: 'listWebhookEndpoints', path: '/v1/webhook-endpoints' },
  { operation: 'changeWebhookEndpoint', path: endpoint, method: 'PATCH', body: { ordered: false } },
  { operation: 'rotateWebhookSecret', path: `${endpoint}/rotate-secret`, body: { overlap: 'PT12H' } },
  { operation: 'listWebhookAttempts', path: `${endpoint}/attempts`, query: { outcome: 'failed' } },
  { operation: 'getWebhookEndpoint', path: endpoint },
  { operation: 'replayWebhooks', path: `${endpoint}/replay`, body: { since: '2030-03-01' } },
  { operation: 'testWebhookEndpoint', path: `${endpoint}/test`, method: 'POST' },
  { operation: 'removeWebhookEndpoint', path: endpoint, method: 'DELETE' },
]

/** One good request for each operation at least, in an order in which all of them succeed. */
export const requests: readonly Request[] = [
  { operation: 'getStatus', path: '/v1/status' },
  { operation: 'listCurrencies', path: '/v1/currencies', query: { available: 'true' } },
  { operation: 'listFiatCurrencies', path: '/v1/currencies/fiat' },
  { operation: 'listCryptoCurrencies', path: '/v1/currencies/crypto' },
  { operation: 'getCurrency', path: '/v1/currencies/{ticker}' },
  { operation: 'getRange', path: '/v1/market-info/min-max-range/{pair}' },
  { operation: 'getEstimate', path: '/v1/estimate', query: { from_amount: '100', ...pair } },
  { operation: 'postEstimate', path: '/v1/estimate', body: { from_amount: 100, ...pair } },
  { operation: 'checkTransactionHealth', path: '/v1/transaction/health', body: order },
  { operation: 'createTransaction', path: '/v1/transaction', body: order, keep: 'id' },
  { operation: 'getTransaction', path: '/v1/transaction/{id}' },
  { operation: 'listTransactions', path: '/v1/transactions', query: { limit: '1', status: 'new' } },
  { operation: 'listPaymentCategories', path: '/v1/payment-categories' },
  { operation: 'listCountriesOfPaymentCategory', path: '/v1/payment-categories/{category}/countries' },
  {
    operation: 'listPaymentCategoriesOfCountry',
    path: '/v1/countries/{country}/payment-categories',
    query: { currency: 'EUR', direction: 'deposit' },
  },
  { operation: 'listCountries', path: '/v1/countries' },
  {
    operation: 'importCustomer',
    path: '/v1/customer/by-shared-token',
    body: { kyc_shared_token: '_act-sandbox-approved-7f3a', ...shared, email: 'newcomer@example.com' },
    keep: 'customer',
  },
  {
    operation: 'importCustomer',
    path: '/v1/customer/by-shared-token',
    body: { kyc_shared_token: '_act-sandbox-approved-9c1e', ...shared },
  },
  { operation: 'getCustomerStatus', path: '/v1/customer/{customer}/status' },
  { operation: 'listB2bCurrencies', path: '/v1/b2b/currencies' },
  { operation: 'getB2bRange', path: '/v1/b2b/min-max-range/{pair}' },
  { operation: 'getB2bEstimate', path: '/v1/b2b/estimate', query: { from_amount: '10000', ...pair } },
  { operation: 'addBankAccount', path: '/v1/b2b/add-bank-account', body: account },
  { operation: 'addBankAccount', path: '/v1/b2b/add-bank-account', body: account },
  { operation: 'addCryptoWallet', path: '/v1/b2b/add-crypto-wallet', body: coinWallet, keep: 'wallet' },
  { operation: 'addCryptoWallet', path: '/v1/b2b/add-crypto-wallet', body: coinWallet },
  { operation: 'listPayoutAddresses', path: '/v1/b2b/payout-addresses' },
  {
    operation: 'createB2bTransaction',
    path: '/v1/b2b/transaction',
    body: { from_amount: '10000', ...pair, payout_address_id: '{wallet}' },
  },
  { operation: 'listB2bTransactions', path: '/v1/b2b/transactions', query: { limit: '1' } },
  ...onWebhooks,
]

/** What stands in addresses besides ids. */
export const placeNames: Readonly<Record<string, string>> = {
  ticker: 'BTC',
  pair: 'eur_btc',
  category: 'SEPA',
  country: 'DE',
}

/** The name under which an address has what an earlier answer said. */
export const parameterOf = (name: string): string => (['customer', 'endpoint'].includes(name) ? 'id' : name)

/** Requests that are refused, by the code that they are to show. */
export const refused: Readonly<
  Record<string, { path: string; body?: unknown; key?: 'public' | 'second' | 'none'; headers?: Record<string, string> }>
> = {
  BAD_REQUEST: { path: '/v1/estimate?from_amount=5&from_currency=EUR&to_currency=BTC' },
  PAIR_NOT_AVAILABLE: { path: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=USD' },
  INVALID_TOKEN: { path: '/v1/transactions', key: 'none' },
  FORBIDDEN: { path: '/v1/transactions', key: 'public' },
  COUNTRY_NOT_SUPPORTED: {
    path: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC&customer_country=KP',
  },
  FEATURE_NOT_ENABLED: { path: '/v1/b2b/payout-addresses', key: 'second' },
  NOT_FOUND: { path: '/v1/transaction/4611686018427387904' },
  PAYLOAD_TOO_LARGE: { path: '/v1/transaction', body: `{"locale": "${'x'.repeat(300_000)}"}` },
  UNSUPPORTED_MEDIA_TYPE: {
    path: '/v1/transaction',
    body: 'from_amount=100',
    headers: { 'content-type': 'text/plain' },
  },
  SERVICE_UNAVAILABLE: {
    path: '/v1/customer/by-shared-token',
    body: { kyc_shared_token: '_act-sandbox-down-1', email: 'customer@example.com' },
  },
}
