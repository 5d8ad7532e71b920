import { list, object, text, textOf, titled, wholeNumber } from './shape.ts'

/** An id of something of ours: digits, as text. */
export const id = textOf({ title: 'Id', pattern: '^[1-9]\\d{0,18}$', maxLength: 19 })

/** An amount: decimal text without exponent and without trailing zeros. */
export const amount = textOf({ title: 'Amount', pattern: '^(0|[1-9]\\d*)(\\.\\d*[1-9])?$', maxLength: 64 })

/** A rate, with at least 8 decimals. */
export const rate = textOf({ title: 'Rate', pattern: '^\\d+\\.\\d{8,}$', maxLength: 128 })

/** One of the two numbers of an exact price. */
const wholeText = textOf({ title: 'WholeNumber', pattern: '^[1-9]\\d*$', maxLength: 128 })

/** An exact price: whole units of the target for one whole unit of the source. */
export const price = titled('Price', object({ numerator: wholeText, denominator: wholeText }))

/** A share of an amount: `0.5%`. */
export const percentage = textOf({ title: 'Percentage', pattern: '^\\d+(\\.\\d+)?%$', maxLength: 16 })

/** A moment: ISO 8601 in UTC, with milliseconds. */
export const time = textOf({
  title: 'Time',
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  maxLength: 24,
})

/** A currency. */
export const ticker = textOf({ title: 'Ticker', pattern: '^[A-Z0-9]{1,32}$', maxLength: 32 })

/** A network; of fiat money its ticker. */
export const network = textOf({ title: 'Network', pattern: '^[A-Z0-9]{1,32}$', maxLength: 32 })

/** A currency or a network; empty where it is any. */
export const textOrEmpty = textOf({ pattern: '^[A-Z0-9]{0,32}$', maxLength: 32, examples: ['EUR', 'BTC', ''] })

/** `BTC`, `USDT (TRX)`. */
export const tickerWithNetwork = textOf({
  title: 'TickerWithNetwork',
  pattern: '^[A-Z0-9]{1,32}( \\([A-Z0-9]{1,32}\\))?$',
  maxLength: 67,
})

export const category = textOf({ title: 'PaymentCategory', pattern: '^[A-Z][A-Z_]{1,31}$', maxLength: 32 })

/** A payment method: its category with a number. */
export const method = textOf({ title: 'PaymentMethodType', pattern: '^[A-Z][A-Z_]{1,31}_\\d{1,3}$', maxLength: 36 })

/** A country by its two letters; `ZZ` where it is not known. */
export const country = textOf({ title: 'Country', pattern: '^[A-Z]{2}$', maxLength: 2 })

/** A country by its three letters. */
export const countryAlpha3 = textOf({ title: 'CountryAlpha3', pattern: '^[A-Z]{3}$', maxLength: 3 })

/** A machine-readable identifier. */
export const identifier = textOf({ pattern: '^[A-Za-z0-9_.-]+$', maxLength: 64 })

/** An address of the web. */
export const url = textOf({ title: 'Url', format: 'uri', pattern: '^https?://', maxLength: 2_048 })

/** What identifies something here or there: an address, an account, a hash, a memo. */
export const line = textOf({ maxLength: 255 })

/** An e-mail address. */
export const email = textOf({ title: 'Email', pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 })

/** Decimals, confirmations: small whole numbers. */
export const smallNumber = wholeNumber(0, 100_000)

export const money = titled('Money', object({ amount, currency: ticker }))

/** A fee, in the source currency. */
export const serviceFee = titled('ServiceFee', object({ name: line, amount, currency: ticker, percentage }))

/** What was ignored; empty when nothing was. */
export const warnings = list(titled('Warning', object({ code: identifier, path: line, message: text })), 20)
