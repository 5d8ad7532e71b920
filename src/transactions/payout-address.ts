import { checkAddress, type AddressCheck } from '../addresses/address.ts'
import type { Listing } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'

/**
 * Judges where coins are to go: an address of the network, checksum included, of somebody else. Our own wallet and the token's
 * own contract are valid addresses, and what is sent there reaches nobody.
 */
export function checkPayoutAddress(
  { rails }: Pick<Ctx, 'rails'>,
  { network, currency }: Listing,
  text: string,
): AddressCheck {
  const { chain, code, contract } = network
  if (!chain) throw new Error('A bank account is no address.')
  const check = checkAddress(chain.family, text)
  if (!check.ok) return check
  if (check.canonical === contract) {
    return { ok: false, reason: `This is the contract of ${currency.ticker} itself. What is sent there is lost.` }
  }
  return rails.forPayout(code)?.owns(check.canonical)
    ? { ok: false, reason: 'This address belongs to the exchange itself.' }
    : check
}
