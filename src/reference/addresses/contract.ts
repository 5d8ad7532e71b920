import { checkAddress } from './address.ts'
import type { AddressFamily } from './address.ts'

/**
 * Whether an address is the token's own contract, or the account that issues it: what is sent there reaches nobody. The
 * address is in its canonical spelling, the contract as its chain spells it (on TON mostly bounceable, which is never
 * canonical; on Stellar `CODE-ISSUER`). False for a native coin and for Algorand, where tokens have numbers.
 */
export function isContractOf(family: AddressFamily, contract: string | null, canonical: string): boolean {
  if (contract === null) return false
  const place = family === 'stellar' ? contract.slice(contract.indexOf('-') + 1) : contract
  const check = checkAddress(family, place)
  return check.ok && check.canonical === canonical
}
