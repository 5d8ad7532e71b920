import { bodyOf, categoryIn, flagIn, networkIn, partOf, textIn, tickerIn } from './operation.ts'
import { about } from './shape.ts'

// What `b2b-payout-body.ts` reads, for the OpenAPI document.

const text = textIn(255)

const label = about(text, 'A name of your own.')

/** A bank account to register. */
export const bankAccountBody = bodyOf(
  'AddBankAccount',
  {
    payment_category: about(categoryIn, 'The transfer scheme that reaches the account, such as `SEPA`.'),
    address: partOf(
      {
        account_name: about(text, 'The holder.'),
        account_number: about(text, 'An IBAN, or an account in the form of its country.'),
        swift: about(text, 'The BIC of the bank.'),
      },
      { required: ['account_name', 'account_number'] },
    ),
    intermediary_address: partOf(
      { bank_name: text, bank_address: text, bank_country: text, swift_bic_number: text },
      { description: "A bank through which the account's own is reached." },
    ),
    currency: about(tickerIn, 'Which currency is paid to it; any that the category pays, unless named.'),
    label,
  },
  ['payment_category', 'address'],
)

/** A wallet to register. */
export const cryptoWalletBody = bodyOf(
  'AddCryptoWallet',
  {
    currency: tickerIn,
    network: about(networkIn, 'The main one of the currency, unless named.'),
    wallet_address: about(text, 'Checked to its checksum.'),
    extra_id: about(text, 'The memo or tag of the address.'),
    label,
    confirm_resembling: about(flagIn, 'Whether an address that resembles one of yours is meant as it is written.'),
  },
  ['currency', 'wallet_address'],
)
