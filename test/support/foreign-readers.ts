import { fields, type ForeignReader, type Read } from './foreign-reader.ts'
import { wallet } from './foreign-wallet.ts'

const money: Read = { amount: 'double', currency: 'text' }

/** A wallet's server in Java: a mapper binds every field to a class, and one that does not fit fails the whole answer. */
const server: ForeignReader = {
  kind: 'a server that binds answers to typed classes (Java)',
  keys: 'secret',
  questions: [
    {
      path: '/v1/estimate?from_currency=EUR&to_currency=ETH&from_network=EUR&to_network=ETH&from_amount=150.5',
      read: {
        value: 'double',
        estimated_exchange_rate: 'double',
        service_fees: [money],
        converted_amount: money,
        network_fee: money,
      },
    },
    { path: '/v1/market-info/min-max-range/eur_eth', read: { min: 'double', max: 'double' } },
  ],
  create: {
    body: {
      from_amount: 120,
      from_currency: 'EUR',
      to_currency: 'ETH',
      payout_extra_id: '',
      from_network: 'EUR',
      to_network: 'ETH',
      customer: { contact_info: { email: 'java@example.com' } },
    },
  },
  transaction: fields(
    {
      long: 'id partner_id',
      text: 'status from_currency deposit_type payout_type redirect_url',
      'text?':
        'email status_details from_network from_currency_with_network output_hash refund_reason external_partner_link_id preauth_token',
      double: 'from_amount expected_from_amount expected_to_amount',
      'double?': 'initial_expected_from_amount to_amount from_amount_in_eur',
      instant: 'created_at updated_at',
      'yes or no': 'customer_payout_address_changeable skip_choose_payout_address skip_choose_payment_category',
      'texts?': 'payout',
    },
    {
      errors: ['texts'],
      estimate_breakdown: {
        toAmount: 'double',
        fromAmount: 'double',
        serviceFees: [money],
        convertedAmount: money,
        estimatedExchangeRate: 'double',
        networkFee: money,
        partnerFee: money,
      },
    },
  ),
  error: { message: 'text' },
}

/** A payment service in TypeScript that reckons in exact decimals, forward and back. */
const decimals: ForeignReader = {
  kind: 'a payment service that reckons in decimals, forward and in reverse (TypeScript)',
  keys: 'secret',
  questions: [
    { path: '/v1/currencies/fiat', read: [{ enabled: 'yes or no', ticker: 'text' }] },
    {
      path: '/v1/estimate?type=direct&from_currency=EUR&to_currency=USDT&to_network=TRX&from_amount=105&fees_included=true',
      read: { value: 'decimal' },
    },
    {
      path: '/v1/estimate?type=reverse&from_currency=EUR&to_currency=USDT&to_network=TRX&to_amount=100.5&fees_included=true',
      read: { value: 'decimal' },
    },
  ],
  create: {
    body: {
      from_amount: 120.55,
      from_currency: 'EUR',
      to_currency: 'USDT',
      from_network: null,
      to_network: 'TRX',
      redirects: {
        successful: 'https://shop.example/?created=1',
        cancelled: 'https://shop.example/',
        failed: 'https://shop.example/',
      },
      payout_info: { skip_choose_payout_address: false },
      customer: { contact_info: { email: 'decimal@example.com' } },
      deposit: { skip_choose_payment_category: false },
      locale: 'en',
    },
  },
  transaction: fields({
    text: 'id status from_currency_with_network to_currency_with_network redirect_url',
    decimal: 'from_amount',
    'decimal?': 'to_amount',
  }),
  error: { message: 'text' },
}

/** A shop's plugin in PHP, a price comparison in JavaScript, an app in Swift, and the widget of a page. */
const plugin: ForeignReader = {
  kind: 'a plugin of a shop (PHP)',
  keys: 'public',
  questions: [
    { path: '/v1/currencies/crypto?available=true', read: [{ ticker: 'text' }] },
    { path: '/v1/market-info/min-max-range/eur_ada', read: { min: 'number', max: 'number' } },
    {
      path: '/v1/estimate?from_currency=EUR&to_currency=ADA&from_amount=100&to_network=ADA',
      read: { value: 'decimal', estimated_exchange_rate: 'decimal' },
    },
  ],
  create: {
    body: {
      from_amount: 100,
      from_currency: 'EUR',
      to_currency: 'ADA',
      to_network: 'ADA',
      external_partner_link_id: 'session-1',
      deposit: { payment_category: 'VISA_MC', skip_choose_payment_category: true },
    },
    headers: { 'x-forwarded-for': '46.4.0.1', accept: 'application/json' },
  },
  transaction: { id: 'text', status: 'text', redirect_url: 'text', external_partner_link_id: 'text?' },
  error: { code: 'text', message: 'text' },
}

const comparison: ForeignReader = {
  kind: 'comparisons of exchanges and apps that look where they may offer one (JavaScript, Swift)',
  keys: 'public',
  questions: [
    { path: '/v1/countries', read: [{ code_iso_alpha_2: 'text', supported: 'yes or no', country_name: 'text' }] },
    {
      path: '/v1/currencies/crypto',
      read: [{ ticker: 'text', enabled: 'yes or no', networks: [{ network: 'text', payment_methods: 'list' }] }],
    },
    {
      path: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC&platform=web&from_network=EUR&to_network=BTC',
      read: {
        value: 'decimal',
        service_fees: [{ amount: 'double', currency: 'text' }],
        estimated_exchange_rate: 'double',
      },
    },
  ],
  error: { message: 'text' },
}

const widget: ForeignReader = {
  kind: 'the calculator of a page (JavaScript)',
  keys: 'public',
  questions: [
    { path: '/v1/currencies', read: { crypto_currencies: [{ ticker: 'text', networks: 'list' }] } },
    {
      path: '/v1/market-info/min-max-range/eur-eur_usdt-trx',
      read: { from: 'text', to: 'text', min: 'double', max: 'double' },
    },
    {
      path: '/v1/estimate?to_currency=BTC&from_amount=50.5&from_currency=EUR&ref_link=abc',
      read: { value: 'decimal' },
    },
  ],
  create: {
    body: {
      to_currency: 'BTC',
      from_amount: 50.5,
      from_currency: 'EUR',
      deposit_type: 'VISA_MC_1',
      redirects: { redirects_successful: 'https://page.example/' },
      ref_link: 'abc',
    },
  },
  transaction: { redirect_url: 'text' },
  error: { message: 'text' },
}

/** A bookkeeping job in Python that fetches transactions one by one. */
const bookkeeping: ForeignReader = {
  kind: 'a job that fetches transactions for the books (Python)',
  keys: 'secret',
  questions: [],
  transaction: fields({
    text: 'id status from_currency to_currency',
    'decimal?': 'from_amount to_amount expected_to_amount',
    'text?': 'to_network external_partner_link_id email',
  }),
  error: 'map',
}

/** All that were found and ask for what this interface has. */
export const foreignReaders: readonly ForeignReader[] = [
  wallet,
  server,
  decimals,
  plugin,
  comparison,
  widget,
  bookkeeping,
]
