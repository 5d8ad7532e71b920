import { base32nopad } from '@scure/base'

import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'
import { crc16 } from './crc16.ts'

/** Version bytes of SEP-23: what a strkey is, and its first letter. */
const account = 6 << 3 // G
const muxedAccount = 12 << 3 // M
const secretSeed = 18 << 3 // S
const contract = 2 << 3 // C

const keyLength = 32

/**
 * Stellar (SEP-23): accounts (`G...`) and muxed accounts (`M...`), which contain an account and a number. Canonical is the
 * account; the number is the `extraId`, an id for the memo. Contracts (`C...`) cannot receive a plain payment; other SEP-23
 * forms cannot receive money.
 */
export const stellar: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const bytes = decode(text)
  const [version] = bytes ?? []
  const body = bytes?.subarray(1) ?? new Uint8Array()
  if (version === account && body.length === keyLength) return accept(body)
  if (version === muxedAccount && body.length === keyLength + 8)
    return accept(body.subarray(0, keyLength), new DataView(body.buffer, body.byteOffset).getBigUint64(keyLength))
  if (version === secretSeed) return refuse('This is a secret key, not an address. Show it to nobody.')
  if (version === contract) return refuse('This is the address of a contract, which we can not pay to.')
  return refuse('This is not a Stellar address: it begins with G or M; check every character.')
}

function accept(key: Uint8Array, id?: bigint): AddressCheck {
  if (isZero(key)) return refuseZero()
  const canonical = encode(account, key)
  return id === undefined ? { ok: true, canonical } : { ok: true, canonical, extraId: id.toString() }
}

/** Whether a text is a secret seed (`S...`). */
export const isStellarSeed = (text: string): boolean => text.startsWith('S') && decode(text)?.[0] === secretSeed

/** Version byte and body of a whole strkey; undefined for a wrong character, length, padding or checksum. */
function decode(text: string): Uint8Array | undefined {
  try {
    const bytes = base32nopad.decode(text)
    const end = bytes.length - 2
    const checksum = (bytes[end] ?? 0) | ((bytes[end + 1] ?? 0) << 8)
    return end > 0 && crc16(bytes.subarray(0, end)) === checksum ? bytes.subarray(0, end) : undefined
  } catch {
    return undefined // the library's only way to say that a text is not base32
  }
}

function encode(version: number, body: Uint8Array): string {
  const bytes = Uint8Array.of(version, ...body)
  const checksum = crc16(bytes)
  return base32nopad.encode(Uint8Array.of(...bytes, checksum & 0xff, checksum >> 8))
}

function make(digest: Uint8Array): string {
  return encode(account, digest)
}
