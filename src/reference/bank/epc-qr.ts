import assert from 'node:assert/strict'

import { formatAmount } from '../../platform/money/amount.ts'
import { isCreditorReference } from './creditor-reference.ts'
import { checkIban, readBic } from './iban.ts'

/** A requested SEPA transfer: payee, euro cents, creditor reference. */
export type EpcTransfer = {
  holder: string
  iban: string
  /** Empty is allowed for accounts inside the European Economic Area. */
  bic: string
  amount: bigint
  reference: string
  /** ISO 20022's purpose of the payment, up to four letters. */
  purpose?: string
}

const greatestAmount = 999_999_999_99n
const greatestBytes = 331

/**
 * What a QR code says so that a bank's app fills in a SEPA transfer: EPC069-12, version 002, UTF-8, structured reference,
 * nothing behind the last line. Show it with error correction M. Whatever can not be written so is a fault.
 */
export function epcQrText({ holder, iban, bic, amount, reference, purpose = '' }: EpcTransfer): string {
  assert(/^\P{Cc}{1,70}$/u.test(holder), 'the holder has 1 to 70 characters on one line')
  const check = checkIban(iban)
  assert(check.ok && check.iban === iban, 'the account is an IBAN without spaces')
  assert(bic === '' || readBic(bic) === bic, 'the BIC is one without spaces, or empty')
  assert(amount >= 1n && amount <= greatestAmount, 'the amount is 0.01 to 999999999.99 euro')
  assert(/^[A-Z]{0,4}$/.test(purpose), 'the purpose has up to four letters')
  assert(isCreditorReference(reference), 'the reference is one of ISO 11649')

  const euro = `EUR${formatAmount(amount, { decimals: 2 })}`
  const text = ['BCD', '002', '1', 'SCT', bic, holder, iban, euro, purpose, reference].join('\n')
  assert(Buffer.byteLength(text) <= greatestBytes, 'the code has at most 331 bytes')
  return text
}
