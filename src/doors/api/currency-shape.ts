import { amount, category, line, method, network, smallNumber, ticker, url } from './field-shapes.ts'
import { flag, list, object, oneOf, orNull, text, titled } from './shape.ts'

const paymentMethods = list(
  titled(
    'PaymentMethod',
    object({
      type: method,
      payment_method: method,
      payment_category: category,
      deposit_enabled: flag,
      withdrawal_enabled: flag,
    }),
  ),
)

const memo = titled('Memo', object({ required: flag, name: line, regex: text }))

const networkShape = object({
  name: line,
  network,
  block_explorer_url_mask: orNull(url),
  token_contract: orNull(line),
  logo_url: url,
  network_fee: orNull(amount),
  enabled_subscription: flag,
  payment_methods: paymentMethods,
  decimals: smallNumber,
  min_confirmations: orNull(smallNumber),
  address_regex: orNull(text),
  memo: orNull(memo),
  caip2: orNull(line),
})

/** A currency with its networks, as `currencyRecord` writes it. */
export const currencyShape = titled(
  'Currency',
  object({
    id: line,
    currency_type: oneOf('FIAT', 'CRYPTO'),
    ticker,
    name: line,
    enabled: flag,
    is_available: flag,
    is_featured: flag,
    is_stable: flag,
    has_external_id: flag,
    enabled_subscription: flag,
    logo_url: url,
    block_explorer_url_mask: orNull(url),
    default_exchange_value: amount,
    decimals: smallNumber,
    sides: titled('Sides', object({ buy: flag, sell: flag, swap: flag, b2b: flag })),
    payment_methods: paymentMethods,
    networks: list(titled('CurrencyNetwork', networkShape)),
  }),
)

/** Both lists of currencies. */
export const currencyLists = titled(
  'Currencies',
  object({ fiat_currencies: list(currencyShape, 1_000), crypto_currencies: list(currencyShape, 1_000) }),
)
