import { type AddressFamily, checkAddress } from './address.ts'

const seen = 6

/**
 * Warns of address poisoning: two different addresses, in their canonical spelling, that agree in their first and last
 * six characters, which is all that most people and pages compare. Letter case is put aside: the eye forgives it, and
 * in hex it says nothing. What all addresses of a family begin with (`bc1q`, `0x`, `addr1q`, `bitcoincash:`) counts as
 * seen although it says nothing: less of the rest has to agree then, so that it warns of everything that looks alike
 * behind such a beginning too, and by chance of one pair in a billion at most.
 */
export function resembles(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a !== b && a.slice(0, seen) === b.slice(0, seen) && a.slice(-seen) === b.slice(-seen)
}

/**
 * An address in the spelling in which the eye can compare two of them: the canonical one, in small letters where their case says
 * nothing. Left as it is where it is no address.
 */
export function comparable(family: AddressFamily, text: string): string {
  const check = checkAddress(family, text)
  if (!check.ok) return text
  const small = check.canonical.toLowerCase()
  const again = checkAddress(family, small)
  return again.ok && again.canonical === check.canonical ? small : check.canonical
}
