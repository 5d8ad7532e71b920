import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'

/** First byte of an address on the main network, which makes it begin with `T` (developers.tron.network, "Account"). */
const version = 0x41

/** Tron: base58check of 0x41 and 20 bytes. The zero address is refused. Canonical is as written. */
export const tron: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const bytes = decodeBase58(text)
  if (bytes?.length !== 21) return refuse('This is not a Tron address: check every character, letter case included.')
  if (bytes[0] !== version) return refuse('This is an address of another network than Tron.')
  return isZero(bytes.subarray(1)) ? refuseZero() : { ok: true, canonical: text }
}

function make(digest: Uint8Array): string {
  return encodeBase58(Uint8Array.of(version, ...digest.subarray(0, 20)))
}
