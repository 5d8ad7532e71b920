import { bech32, bech32m } from '@scure/base'

import type { AddressCheck, AddressRules } from './address.ts'
import { decodeBase58, encodeBase58 } from './base58.ts'

/**
 * Versions of base58check addresses: pay to public key hash, pay to script hash; and the test networks' (Bitcoin
 * Core, chainparams).
 */
const mainVersions = new Set([0x00, 0x05])
const testVersions = new Set([0x6f, 0xc4])

const refuse = (reason: string): AddressCheck => ({ ok: false, reason })

/**
 * Bitcoin: base58check (`1...`, `3...`) and segregated witness of any version (`bc1...`; BIP-173 for version 0,
 * BIP-350 for later ones). Canonical is lower case for `bc1`, as written for base58.
 */
export const bitcoin: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const lower = text.toLowerCase()
  if (lower.startsWith('bc1')) return checkWitness(text)
  if (lower.startsWith('tb1') || lower.startsWith('bcrt1')) return refuse('This is an address of a test network.')

  const bytes = decodeBase58(text)
  const version = bytes?.[0]
  if (bytes?.length !== 21 || version === undefined)
    return refuse('This is not a Bitcoin address: check every character.')
  if (testVersions.has(version)) return refuse('This is an address of a test network.')
  if (!mainVersions.has(version)) return refuse('This is an address of another network than Bitcoin.')
  return { ok: true, canonical: encodeBase58(bytes) }
}

/**
 * BIP-141: a version from 0 to 16 and a program of 2 to 40 bytes; in version 0 a key's hash (20) or a script's (32).
 */
function checkWitness(text: string): AddressCheck {
  const [legacy, modern] = [bech32.decodeUnsafe(text), bech32m.decodeUnsafe(text)]
  const decoded = legacy ?? modern
  if (!decoded) return refuse('The checksum does not match: check every character.')

  const [version, ...words] = decoded.words
  if (decoded.prefix !== 'bc' || version === undefined || version > 16) return refuse('This is not a Bitcoin address.')
  if ((version === 0) !== (decoded === legacy)) return refuse('The checksum is of the wrong kind for this address.')

  const program = bech32.fromWordsUnsafe(words)
  if (!program || program.length < 2 || program.length > 40) return refuse('This address has the wrong length.')
  if (version === 0 && program.length !== 20 && program.length !== 32)
    return refuse('This address has the wrong length.')
  return { ok: true, canonical: text.toLowerCase() }
}

function make(digest: Uint8Array): string {
  return bech32.encode('bc', [0, ...bech32.toWords(digest.subarray(0, 20))])
}
