import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'

const base58check = createBase58check(sha256)

/** Writes bytes, version first, in base58 with the four-byte double SHA-256 checksum (Bitcoin's base58check). */
export const encodeBase58 = (bytes: Uint8Array): string => base58check.encode(bytes)

/** The bytes of a base58check text, version first and checksum cut off; undefined for a wrong character or checksum. */
export function decodeBase58(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text)
  } catch {
    return undefined // the library's only way to say that a text is not base58check
  }
}
