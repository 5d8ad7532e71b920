import { usRegions } from '../../exchange/customers/billing-field.ts'
import {
  amountIn,
  bodyOf,
  categoryIn,
  countryIn,
  flagIn,
  networkIn,
  optional,
  partOf,
  textIn,
  tickerIn,
} from './operation.ts'
import { about, oneOf } from './shape.ts'

// What `create-body.ts` reads, for the OpenAPI document.

/** What the query of a create and of a health check may say. */
export const createQuery = {
  customer_country: optional(
    countryIn,
    'Where the customer is; wins over every address. Needs the feature `customer_country`; else ignored, with a warning.',
  ),
  ip: {
    shape: textIn(45, { pattern: '^[0-9A-Fa-f.:]+$', examples: ['192.0.2.10'] }),
    about: "Deprecated: the customer's address. Read only when the body has none; `customer.ip` replaces it.",
    isDeprecated: true,
  },
}

const text = textIn(255)

const billing = partOf(
  {
    country_alpha_2: about(countryIn, 'The country of the address.'),
    us_region_alpha_2: about(oneOf(...usRegions), 'A US region without `US-`; goes with the country US only.'),
    region: text,
    city: text,
    street_address: text,
    apt_number: about(text, 'The number of the apartment; `-` where there is none.'),
    post_index: text,
    first_name: text,
    last_name: text,
    date_of_birthday: textIn(10, {
      pattern: '^\\d{2}\\.\\d{2}\\.\\d{4}$',
      description: '`DD.MM.YYYY`; the customer is 18 to 120 years old.',
      examples: ['31.12.1990'],
    }),
    gender: oneOf('M', 'F', 'O'),
  },
  {
    description:
      'Any part of it is fine: the rest is asked for at the checkout. Needs the feature `billing_info`; else ignored, with a ' +
      'warning.',
  },
)

const customer = partOf({
  ip: textIn(45, { pattern: '^[0-9A-Fa-f.:]+$', description: "The customer's address.", examples: ['192.0.2.10'] }),
  ipV4: textIn(15, { format: 'ipv4', description: 'Read where `ip` is absent.', examples: ['192.0.2.10'] }),
  ipV6: textIn(45, { format: 'ipv6', description: 'Read where both are absent.', examples: ['2001:db8::1'] }),
  contact_info: partOf({
    email: textIn(254, { pattern: '^[^\\s@]+@[^\\s@]+$', examples: ['customer@example.com'] }),
    phone_number: textIn(40, { pattern: '^\\+?[\\d ()./-]{5,40}$', examples: ['+49 30 1234567'] }),
  }),
  billing_info: billing,
})

const redirect = textIn(2_048, {
  pattern: '^https?://',
  description: 'Where the customer goes back to; every `$$` in it becomes the id of the transaction.',
  examples: ['https://partner.example/done?id=$$'],
})

const payoutAddress = textIn(255, {
  description:
    'An address of the destination network, checked to its checksum, or an account. Needs `preset_payout_address`.',
})

const extraId = textIn(255, { description: 'The memo or tag of the address, or the BIC of the account.' })

/** What the body of a create and of a health check may say. */
export const createBody = bodyOf(
  'CreateTransaction',
  {
    from_amount: about(amountIn, 'How much the customer pays.'),
    from_currency: tickerIn,
    to_currency: tickerIn,
    from_network: about(networkIn, 'The main one of the currency, unless named.'),
    to_network: about(networkIn, 'The main one of the currency, unless named.'),
    customer,
    payout_info: partOf({
      payout_address: payoutAddress,
      extra_id: extraId,
      full_name: about(text, 'The holder of the account.'),
      skip_choose_payout_address: flagIn,
    }),
    payout_address: about(payoutAddress, 'An older name of `payout_info.payout_address`.'),
    payout_extra_id: about(extraId, 'An older name of `payout_info.extra_id`.'),
    deposit: partOf({ payment_category: categoryIn, skip_choose_payment_category: flagIn }),
    redirects: partOf({ successful: redirect, cancelled: redirect, failed: redirect }),
    external_partner_link_id: about(text, "The partner's own name for the transaction."),
    locale: textIn(35, {
      pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$',
      description: 'The language of the checkout.',
      examples: ['en', 'pt-BR'],
    }),
    kyc_shared_token: textIn(1_024, {
      pattern: '^[\\x21-\\x7e]+$',
      description: 'The token that an identity provider shares the customer with. Needs the feature `kyc_sharing`.',
    }),
    kyc_shared_token_provider: textIn(64, { pattern: '^[A-Za-z]+$', examples: ['sumsub'] }),
  },
  ['from_amount', 'from_currency', 'to_currency'],
)
