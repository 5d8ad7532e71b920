import { blake2b } from '@noble/hashes/blake2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'

import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'
import { decodePlainBase58 } from './base58.ts'

/** Polkadot's number among the chains that write SS58 (ss58-registry), and the one of addresses for any chain. */
const polkadotPrefix = 0
const genericPrefix = 42

const keyLength = 32
const checksumLength = 2

/**
 * Polkadot: SS58 with the prefix 0, for accounts of 32 bytes (docs.polkadot.com, "SS58 address format"). The generic
 * prefix 42 and those of other chains are refused although the same key could be paid: only the prefix tells that the
 * customer means Polkadot, and every wallet can write it. Canonical is as written.
 */
export const polkadot: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const bytes = decodePlainBase58(text)
  const prefixLength = (bytes?.[0] ?? 0) < 64 ? 1 : 2
  if (bytes?.length !== prefixLength + keyLength + checksumLength)
    return refuse('This is not a Polkadot address: check every character, letter case included.')

  const body = bytes.subarray(0, -checksumLength)
  if (checksum(body).some((byte, at) => byte !== bytes[body.length + at]))
    return refuse('The checksum does not match: check every character, letter case included.')
  if (bytes[0] === genericPrefix)
    return refuse('This address is for any network. Ask your wallet for the Polkadot spelling, which begins with 1.')
  if (bytes[0] !== polkadotPrefix) return refuse('This is an address of another network than Polkadot.')
  return isZero(body) ? refuseZero() : { ok: true, canonical: text }
}

const checksum = (body: Uint8Array): Uint8Array =>
  blake2b(Uint8Array.of(...utf8ToBytes('SS58PRE'), ...body)).subarray(0, checksumLength)

function make(digest: Uint8Array): string {
  const body = Uint8Array.of(polkadotPrefix, ...digest)
  return base58.encode(Uint8Array.of(...body, ...checksum(body)))
}
