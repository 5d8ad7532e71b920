import type { AddressCheck, AddressRules } from './address.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'

/** First byte of an address on the main network, which makes it begin with `T` (developers.tron.network, "Account"). */
const version = 0x41

const refuse = (reason: string): AddressCheck => ({ ok: false, reason })

/** Tron: base58check of 0x41 and 20 bytes. The zero address is refused. Canonical is as written. */
export const tron: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const bytes = decodeBase58(text)
  if (bytes?.length !== 21) return refuse('This is not a Tron address: check every character, letter case included.')
  if (bytes[0] !== version) return refuse('This is an address of another network than Tron.')
  if (bytes.subarray(1).every((byte) => byte === 0))
    return refuse('This is the zero address: what is sent there is lost.')
  return { ok: true, canonical: encodeBase58(bytes) }
}

function make(digest: Uint8Array): string {
  return encodeBase58(Uint8Array.of(version, ...digest.subarray(0, 20)))
}
