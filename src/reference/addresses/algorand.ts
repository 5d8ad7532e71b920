import { sha512_256 } from '@noble/hashes/sha2.js'
import { base32nopad } from '@scure/base'

import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'

const keyLength = 32

/**
 * Algorand: base32 of a key of 32 bytes and the last four bytes of its SHA-512/256 hash (dev.algorand.co, "Keys and
 * addressing"). The zero address is refused. Main and test network write the same addresses. Canonical is as written.
 */
export const algorand: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const bytes = decode(text)
  if (!bytes || text !== encode(bytes.subarray(0, keyLength)))
    return refuse('This is not an Algorand address: check every character.')
  return isZero(bytes.subarray(0, keyLength)) ? refuseZero() : { ok: true, canonical: text }
}

function decode(text: string): Uint8Array | undefined {
  try {
    return base32nopad.decode(text)
  } catch {
    return undefined // the library's only way to say that a text is not base32
  }
}

const encode = (key: Uint8Array): string => base32nopad.encode(Uint8Array.of(...key, ...sha512_256(key).subarray(-4)))

function make(digest: Uint8Array): string {
  return encode(digest)
}
