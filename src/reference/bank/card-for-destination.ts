import { type AddressFamily, checkAddress } from '../addresses/address.ts'
import { holdsCardNumber } from '../../platform/lib/card-number.ts'
import { type AccountForm, checkAccount } from './account.ts'

const families = Object.keys({
  bitcoin: true,
  litecoin: true,
  dogecoin: true,
  'bitcoin-cash': true,
  evm: true,
  tron: true,
  solana: true,
  xrp: true,
  stellar: true,
  cardano: true,
  polkadot: true,
  algorand: true,
  ton: true,
} satisfies Record<AddressFamily, true>) as AddressFamily[]

/** Forms of accounts with check digits of their own. */
const checkedForms: readonly AccountForm[] = ['iban', 'clabe', 'pix']

/**
 * Whether somebody has put the number of a payment card where an address or an account belongs. Those are full of digits, so a
 * whole text that is an address by the check of some network, or an account by its own check digits, is judged as that; any
 * other text as every text is.
 */
export const isCardForDestination = (text: string): boolean =>
  holdsCardNumber(text) &&
  !families.some((family) => checkAddress(family, text).ok) &&
  !checkedForms.some((form) => checkAccount(form, { account: text, bic: '' }).ok)
