import { secretIn } from '../../reference/addresses/secret-text.ts'
import { accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { holdsCardNumber, isCardNumber } from '../../platform/lib/card-number.ts'

/** An address or an account is a single value: it is a card number only as a whole. */
const wholeTexts: ReadonlySet<string> = new Set(['payout_address', 'confirms'])

/**
 * Whether a form field holds a card number; `payout` is how the order is paid out. A memo may be any number, and one in ten accounts
 * with that many digits would pass for a card by chance, so an account with valid check digits counts as an account.
 */
export function isCard(payout: Category, name: string, text: string): boolean {
  if (name === 'extra_id' && payout === 'CRYPTO') return false
  if (!wholeTexts.has(name)) return holdsCardNumber(text)
  const form = accountFormOf(payout)
  const isAccount = (form === 'clabe' || form === 'pix') && checkAccount(form, { account: text, bic: '' }).ok
  return !isAccount && isCardNumber(text)
}

/** Fields of addresses and memos, where a private key is looked for. Elsewhere only recovery phrases are: hashes look like keys. */
const destinations: ReadonlySet<string> = new Set(['payout_address', 'refund_address', 'extra_id', 'confirms'])

/** Whether a form field holds a private key or a recovery phrase. */
export function holdsSecret(name: string, text: string): boolean {
  const secret = secretIn(text)
  return secret === 'recovery_phrase' || (secret !== undefined && destinations.has(name))
}
