import type { BankAccountInput } from '../../exchange/b2b/add-bank-account.ts'
import type { CryptoWalletInput } from '../../exchange/b2b/add-crypto-wallet.ts'
import { isCardForDestination } from '../../reference/bank/card-for-destination.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { cardSentence, fieldReader, type FieldReader, type Fields, isAbsent, type TextRule } from './fields.ts'

/** Reads a bank account. Refuses with everything that is missing or ill-formed; whether it can be paid is not judged here. */
export function readBankAccount(body: Fields): BankAccountInput {
  const read = fieldReader()
  const address = read.object('address', body.address)
  const input = {
    paymentCategory: required(read, 'payment_category', body.payment_category),
    holder: required(read, 'address.account_name', address.account_name),
    account: required(read, 'address.account_number', address.account_number, destination),
    bic: read.text('address.swift', address.swift) ?? '',
    currency: read.text('currency', body.currency) ?? '',
    intermediary: readIntermediary(read, body.intermediary_address),
    label: read.text('label', body.label) ?? '',
  }
  return whole(read, input)
}

function readIntermediary(read: FieldReader, value: unknown): BankAccountInput['intermediary'] {
  if (isAbsent(value)) return null
  const path = 'intermediary_address'
  const given = read.object(path, value)
  const text = (name: string) => read.text(`${path}.${name}`, given[name]) ?? ''
  return {
    bankName: text('bank_name'),
    bankAddress: text('bank_address'),
    bankCountry: text('bank_country'),
    bic: text('swift_bic_number'),
  }
}

/** Reads a wallet, in the same way. */
export function readCryptoWallet(body: Fields): CryptoWalletInput {
  const read = fieldReader()
  const input = {
    currency: required(read, 'currency', body.currency),
    network: read.text('network', body.network) ?? '',
    address: required(read, 'wallet_address', body.wallet_address, destination),
    extraId:
      read.text('extra_id', body.extra_id, { isCardChecked: false, isNumberRead: true, place: 'destination' }) ?? '',
    label: read.text('label', body.label) ?? '',
    confirmsResembling: read.flag('confirm_resembling', body.confirm_resembling),
  }
  return whole(read, input)
}

/** An address or an account: full of digits, and no card. */
export const destination: TextRule = {
  isCardChecked: false,
  place: 'destination',
  isNumberRead: true,
  check: (text) => (isCardForDestination(text) ? cardSentence : undefined),
}

function required(read: FieldReader, path: string, value: unknown, rule?: TextRule): string {
  if (isAbsent(value)) read.tell(path, 'This is required.', 'REQUIRED')
  return read.text(path, value, rule) ?? ''
}

function whole<Input>({ problems }: FieldReader, input: Input): Input {
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, [...problems])
  return input
}
