import { sha256 } from '@noble/hashes/sha2.js'
import { base58, base58xrp, createBase58check } from '@scure/base'

const base58check = createBase58check(sha256)

/** Writes bytes, version first, in base58 with the four-byte double SHA-256 checksum (Bitcoin's base58check). */
export const encodeBase58 = (bytes: Uint8Array): string => base58check.encode(bytes)

/** The bytes of a base58check text, version first and checksum cut off; undefined for a wrong character or checksum. */
export const decodeBase58 = (text: string): Uint8Array | undefined => decoded(() => base58check.decode(text))

/** The bytes of a base58 text without checksum; undefined for an invalid character. */
export const decodePlainBase58 = (text: string): Uint8Array | undefined => decoded(() => base58.decode(text))

/** As `encodeBase58`, in the alphabet of the XRP Ledger. */
export function encodeRippleBase58(bytes: Uint8Array): string {
  return base58xrp.encode(Uint8Array.of(...bytes, ...checksum(bytes)))
}

/** As `decodeBase58`, in the alphabet of the XRP Ledger. */
export function decodeRippleBase58(text: string): Uint8Array | undefined {
  const bytes = decoded(() => base58xrp.decode(text))
  const body = bytes?.subarray(0, -4)
  return body && checksum(body).every((byte, at) => byte === bytes?.[body.length + at]) ? body : undefined
}

const checksum = (body: Uint8Array): Uint8Array => sha256(sha256(body)).subarray(0, 4)

function decoded(decode: () => Uint8Array): Uint8Array | undefined {
  try {
    return decode()
  } catch {
    return undefined // the library's only way to say that a text is not what it should be
  }
}
