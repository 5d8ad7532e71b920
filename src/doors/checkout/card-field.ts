import { accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import { holdsCardNumber, isCardNumber } from '../../platform/lib/card-number.ts'

/** An address or an account is one text if it is anything: only digits that stand alone make a card of it. */
const wholeTexts: ReadonlySet<string> = new Set(['payout_address', 'confirms'])

/**
 * Whether a field of a form holds a card's number; `payout` is how the order is paid out. What a network's memo may be is not
 * ours to say, and one in ten accounts of so many digits would be taken for a card by chance: where accounts have check digits
 * of their own that hold, it is an account.
 */
export function isCard(payout: Category, name: string, text: string): boolean {
  if (name === 'extra_id' && payout === 'CRYPTO') return false
  if (!wholeTexts.has(name)) return holdsCardNumber(text)
  const form = accountFormOf(payout)
  const isAccount = (form === 'clabe' || form === 'pix') && checkAccount(form, { account: text, bic: '' }).ok
  return !isAccount && isCardNumber(text)
}
