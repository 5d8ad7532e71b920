import { countries } from '../../../reference/catalog/country.ts'
import { currencies } from '../../../reference/catalog/currency.ts'
import { networks } from '../../../reference/catalog/network.ts'
import { paymentCategories } from '../../../reference/catalog/payment-category.ts'

/** The description of a titled schema, and examples: for values from the catalog, all of them. */
type Entry = { description: string; examples?: readonly unknown[] }

let made: Readonly<Record<string, Entry>> | undefined

/** What is said of the schemas that have a title. Made when a document is. */
export const glossary = (): Readonly<Record<string, Entry>> => (made ??= make())

function make(): Readonly<Record<string, Entry>> {
  const tickers = currencies.map(({ ticker }) => ticker)
  const codes = [...new Set(currencies.flatMap((currency) => currency.networks.map(({ code }) => code)))]
  const methods = [...new Set(currencies.flatMap(({ paymentMethods }) => paymentMethods.map(({ type }) => type)))]
  const categories = paymentCategories.map(({ category }) => category)
  const alpha2 = countries.map((one) => one.alpha2)
  return {
    ...ofCatalog({ tickers, codes, methods, categories, alpha2 }),
    ...ofNumbers,
    ...ofRecords,
    CountryAlpha3: {
      description: 'A country by its three letters (ISO 3166-1).',
      examples: countries.map((one) => one.alpha3),
    },
  }
}

type Names = Readonly<Record<'tickers' | 'codes' | 'methods' | 'categories' | 'alpha2', readonly string[]>>

/** What may grow without a new version is shown by examples, not closed by an enumeration. */
const ofCatalog = ({ tickers, codes, methods, categories, alpha2 }: Names): Record<string, Entry> => ({
  Ticker: { description: 'A currency. More may come.', examples: tickers },
  TickerInput: { description: 'A currency, in any letter case.', examples: tickers },
  Network: { description: 'A network; of fiat money its ticker. More may come.', examples: codes },
  NetworkInput: {
    description: 'A network, in any letter case; of fiat money its ticker. Aliases are read.',
    examples: [...codes, ...networks.flatMap(({ aliases }) => aliases)],
  },
  TickerWithNetwork: {
    description: "A currency, with its network where that is not the currency's own.",
    examples: ['BTC', 'USDT (TRX)'],
  },
  PaymentCategory: { description: 'A payment category. More may come.', examples: categories },
  PaymentCategoryInput: { description: 'A payment category, in any letter case.', examples: categories },
  PaymentMethodType: { description: 'A payment method: its category and a number. More may come.', examples: methods },
  PaymentMethodInput: { description: 'A payment method, in any letter case.', examples: methods },
  Country: { description: 'A country by its two letters (ISO 3166-1); `ZZ` where none is known.', examples: alpha2 },
  CountryInput: { description: 'A country by its two letters (ISO 3166-1), in any letter case.', examples: alpha2 },
  PairInput: {
    description: 'A pair of currencies, each with its network or without.',
    examples: ['eur_btc', 'EUR_USDT-TRX', 'eur-eur_btc-btc'],
  },
})

const ofNumbers: Record<string, Entry> = {
  Id: { description: 'An id: digits as text, below 2^63, not to be guessed.', examples: ['4611686018427387904'] },
  IdInput: { description: 'An id as answers have it.', examples: ['4611686018427387904'] },
  Amount: { description: 'An amount as exact decimal text.', examples: ['100', '0.00105', '0'] },
  AmountText: { description: 'An amount as decimal text, without sign and exponent.', examples: ['100', '0.5'] },
  AmountInput: {
    description: 'An amount: a JSON number in any spelling, read from its digits, or decimal text without exponent.',
    examples: [100, '0.5'],
  },
  Rate: { description: 'A rate, for display: at least 8 decimals.', examples: ['0.00001234'] },
  WholeNumber: { description: 'A whole number as text.', examples: ['1000000'] },
  Percentage: { description: 'A share of an amount.', examples: ['0.5%'] },
  Time: { description: 'A moment: ISO 8601, milliseconds, UTC.', examples: ['2026-11-20T10:30:00.000Z'] },
  Url: { description: 'An address of the web.', examples: ['https://exchange.example/'] },
  Email: { description: 'An e-mail address.', examples: ['customer@example.com'] },
  Money: { description: 'An amount with its currency.' },
  Price: { description: 'Destination units for one source unit, exact: a ratio of two whole numbers.' },
}

const ofRecords: Record<string, Entry> = {
  AddBankAccount: { description: 'A bank account to register. Other fields are ignored.' },
  AddCryptoWallet: { description: 'A wallet to register. Other fields are ignored.' },
  B2bTransaction: { description: 'An exchange of an institution. It has no checkout, and says where to pay.' },
  B2bTransactionPage: { description: 'A page of B2B transactions.' },
  CategoryCountry: { description: 'What is available in a country for a payment category.' },
  CountryCategory: { description: 'What is available for a payment category in the requested country.' },
  CountryRecord: { description: 'A country of ISO 3166-1.' },
  CreateB2bTransaction: { description: 'What is to be exchanged, and to whom it is paid. Other fields are ignored.' },
  CreateTransaction: {
    description:
      'What is to be exchanged, and what is known of the customer. Empty texts and null count as absent; other fields are ignored.',
  },
  Currencies: { description: 'Fiat currencies and cryptocurrencies.' },
  Currency: { description: 'A currency, its networks and its payment methods.' },
  CurrencyNetwork: { description: 'A network on which a currency lives.' },
  Customer: { description: "A customer's status, risk level and limits. Reasons are not disclosed." },
  ErasedSubject: { description: 'The payload after the person was erased: only the id of its subject.' },
  EndpointNotice: { description: 'The status of one of your webhook endpoints.' },
  Error: {
    description:
      'Every response that is not 2xx. `message` is one plain sentence; `errors` lists each problem and its path.',
  },
  Estimate: { description: 'What an amount comes to: `from_amount = sum(service_fees) + converted_amount`.' },
  EstimateBreakdown: { description: 'The quote that a transaction is made at.' },
  Health: { description: 'Every rule that a create would break, and what the amount comes to.' },
  ImportCustomer: {
    description: 'A shared token and the customer it is for. `kyc_shared_token` or its older name is required.',
  },
  ImportedCustomer: { description: "An imported customer's status, with the e-mail address." },
  Memo: { description: 'A memo or tag that a network requires or allows in addition to the address.' },
  Pagination: { description: 'Where the list continues.' },
  PaymentCategoryRecord: { description: 'A payment category.' },
  PaymentMethod: { description: 'One way to pay or to be paid.' },
  PayoutAddress: { description: 'A registered bank account or wallet.' },
  PayoutAddresses: { description: 'All registered addresses.' },
  Problem: { description: 'One problem with a request: its path, its code and a plain message.' },
  Range: { description: 'The least and the greatest amount, both accepted, in units of `from`.' },
  Refund: { description: 'Money on its way back to the customer.' },
  ServiceFee: { description: 'A fee, in the source currency.' },
  Sides: { description: 'What a currency can be used for now.' },
  Status: { description: 'Whether transactions can be made, and how each part is.' },
  StatusMove: { description: 'When a transaction came to a status.' },
  Transaction: { description: 'An exchange of a customer.' },
  TransactionError: { description: 'What went wrong on the way.' },
  TransactionPage: { description: 'A page of transactions.' },
  TransactionStatus: { description: "A transaction's status." },
  Warning: { description: 'A field that was ignored, because its feature is off for the account.' },
}
