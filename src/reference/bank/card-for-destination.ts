import { familiesOf } from '../addresses/address.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'
import { type AccountForm, checkAccount } from './account.ts'

/** Forms of accounts with check digits of their own. */
const checkedForms: readonly AccountForm[] = ['iban', 'clabe', 'pix']

/**
 * Whether somebody has put the number of a payment card where an address or an account belongs. Those are full of digits, so a
 * whole text that is an address by the check of some network, or an account by its own check digits, is judged as that; any
 * other text as every text is.
 */
export const isCardForDestination = (text: string): boolean =>
  holdsCardNumber(text) &&
  familiesOf(text).length === 0 &&
  !checkedForms.some((form) => checkAccount(form, { account: text, bic: '' }).ok)
