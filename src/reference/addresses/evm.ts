import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

import { type AddressCheck, type AddressRules, refuse, refuseZero } from './address-rules.ts'

/**
 * Ethereum and its kin: `0x` and 40 hex digits. Mixed case is a checksum (EIP-55) and must match; one case says
 * nothing and is accepted. The zero address, which means "nobody", is refused. Canonical is the checksummed spelling.
 */
export const evm: AddressRules = { check, make }

function check(text: string): AddressCheck {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return refuse('An address here is 0x and 40 digits from 0 to 9 and a to f.')

  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  if (/^0+$/.test(lower)) return refuseZero()

  const canonical = checksummed(lower)
  const isMixed = digits !== lower && digits !== digits.toUpperCase()
  if (isMixed && text !== canonical)
    return refuse('The checksum does not match: check every character, letter case included.')
  return { ok: true, canonical }
}

/** EIP-55: a letter is upper case where the Keccak-256 hash of the lower-case hex text has a digit of 8 or more. */
function checksummed(lower: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)))
  const digits = lower.replace(/[a-f]/g, (letter, at: number) =>
    hash.charAt(at) >= '8' ? letter.toUpperCase() : letter,
  )
  return `0x${digits}`
}

function make(digest: Uint8Array): string {
  return checksummed(bytesToHex(digest.subarray(0, 20)))
}
