import { sha256 } from '@noble/hashes/sha2.js'
import { base58 } from '@scure/base'

import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'
import { decodePlainBase58 } from './base58.ts'
import { isOnCurve } from './ed25519.ts'

/**
 * Solana: base58 of a public key of 32 bytes. There is no checksum, so the key must be one: addresses off the curve of
 * Ed25519 belong to programs and token accounts, where what is paid may be lost, and half of all slips of the hand end
 * there too (solana.com, "Add Solana to your exchange"). Vaults of programs are refused with them: we can not tell
 * them apart. Canonical is as written.
 */
export const solana: AddressRules = { check, make }

function check(text: string): AddressCheck {
  // 45 characters hold more than 32 bytes, and the curve is not cheap.
  const bytes = text.length > 44 ? undefined : decodePlainBase58(text)
  if (bytes?.length !== 32) return refuse('This is not a Solana address: check every character, letter case included.')
  if (isZero(bytes)) return refuseZero()
  return isOnCurve(bytes)
    ? { ok: true, canonical: text }
    : refuse('This is not the address of a wallet: check every character, or give the address of the wallet itself.')
}

/** Half of all digests are keys, so that a few attempts find one. */
function make(digest: Uint8Array): string {
  let key = digest
  while (!isOnCurve(key)) key = sha256(key)
  return base58.encode(key)
}
