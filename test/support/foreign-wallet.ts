import { fields, type ForeignReader, type Read } from './foreign-reader.ts'

const sum: Read = 'map'

/** A mobile wallet written in Dart: every field is cast, and what is not of its type ends the screen. */
export const wallet: ForeignReader = {
  kind: 'a mobile wallet that casts every field (Dart)',
  keys: 'public',
  questions: [
    { path: '/v1/status', read: { message: 'text' } },
    { path: '/v1/currencies?available=true', read: { fiat_currencies: 'list', crypto_currencies: 'list' } },
    {
      path: '/v1/currencies/fiat?available=true',
      read: [
        fields(
          {
            text: 'id currency_type ticker name logo_url',
            'yes or no': 'enabled enabled_subscription has_external_id',
            'yes or no?': 'is_featured is_stable is_available',
            'text?': 'block_explorer_url_mask default_exchange_value',
          },
          {
            payment_methods: [
              { type: 'text', payment_category: 'text', deposit_enabled: 'yes or no', withdrawal_enabled: 'yes or no' },
            ],
            networks: [
              fields({
                text: 'name network',
                'text?': 'block_explorer_url_mask token_contract',
                'yes or no': 'enabled_subscription',
                list: 'payment_methods',
              }),
            ],
          },
        ),
      ],
    },
    { path: '/v1/currencies/BTC', read: { id: 'text', ticker: 'text', logo_url: 'text', networks: 'list' } },
    {
      path: '/v1/market-info/min-max-range/EUR-EUR_BTC-BTC',
      read: { from: 'text', to: 'text', min: 'number', max: 'number' },
    },
    {
      path: '/v1/estimate?from_currency=EUR&from_amount=100&to_currency=USDT&to_network=TRX&deposit_category=VISA_MC&fees_included=true',
      read: fields({
        text: 'to_currency from_currency to_network value estimated_exchange_rate',
        'text?': 'from_network',
      }),
    },
    {
      path: '/v1/countries',
      read: [
        fields({
          text: 'id country_name code_iso_alpha_2 code_iso_alpha_3 code_iso_numeric',
          'yes or no': 'supported',
        }),
      ],
    },
    {
      path: '/v1/countries/DE/payment-categories',
      read: [{ name: 'text', category: 'text', deposit_enabled: 'yes or no', withdrawal_enabled: 'yes or no' }],
    },
    { path: '/v1/payment-categories', read: [{ id: 'int', name: 'text', category: 'text' }] },
    {
      path: '/v1/payment-categories/VISA_MC/countries',
      read: [
        fields({
          text: 'country_name code_iso_alpha_2 code_iso_alpha_3',
          'yes or no': 'deposit_enabled withdrawal_enabled',
        }),
      ],
    },
  ],
  create: {
    body: {
      from_amount: 100.0,
      from_currency: 'EUR',
      from_network: 'EUR',
      to_currency: 'BTC',
      to_network: 'BTC',
      payout_info: { skip_choose_payout_address: false },
      customer: {
        billing_info: {
          country_alpha_2: 'US',
          us_region_alpha_2: 'NY',
          region: 'New York',
          city: 'Albany',
          date_of_birthday: '01.02.1990',
          gender: 'F',
        },
      },
      deposit: { payment_category: 'VISA_MC', skip_choose_payment_category: false },
      customer_country: 'US',
    },
    headers: { 'x-forwarded-for': '46.4.0.1' },
  },
  transaction: fields(
    {
      text: 'id status from_currency from_amount deposit_type payout_type expected_from_amount to_currency expected_to_amount location created_at updated_at partner_id deposit_payment_category payout_payment_category',
      'text?':
        'email status_details initial_from_currency from_network from_currency_with_network initial_expected_from_amount to_network to_currency_with_network to_amount output_hash external_partner_link_id from_amount_in_eur redirect_url preauth_token',
      list: 'errors',
      'yes or no?': 'customer_payout_address_changeable skip_choose_payout_address skip_choose_payment_category',
    },
    {
      estimate_breakdown: {
        toAmount: 'text',
        fromAmount: 'double',
        serviceFees: 'list',
        convertedAmount: sum,
        estimatedExchangeRate: 'text',
        networkFee: sum,
        partnerFee: sum,
      },
    },
  ),
  error: { statusCode: 'int', code: 'text', message: 'text' },
}
