import { hexToBytes } from '@noble/hashes/utils.js'
import { base64, base64url } from '@scure/base'

import { type AddressCheck, type AddressRules, isZero, refuse, refuseZero } from './address-rules.ts'
import { crc16 } from './crc16.ts'

/** First bytes of the friendly form (TEP-2): what to do with money that a contract does not take. */
const [bounceable, nonBounceable] = [0x11, 0x51]
const testOnly = 0x80
/** The two workchains that exist: the basic one, 0, and the masterchain, -1. */
const workchains = [0x00, 0xff]

/**
 * TON (TEP-2): the friendly form, base64 or base64url of 36 bytes with CRC16, and the raw form `0:` and 64 hex digits,
 * which has no checksum and which programs write. Both workchains, bounceable or not; addresses for test networks only
 * are refused. Canonical is friendly, url-safe and non-bounceable (`UQ...`): all forms are the same account, and a
 * payout must reach a wallet that has not been used yet, from where a bounceable message would come back.
 */
export const ton: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const raw = /^(0|-1):([0-9a-fA-F]{64})$/.exec(text)
  if (raw) return accept(raw[1] === '0' ? 0x00 : 0xff, hexToBytes(raw[2] ?? ''))

  const bytes = decode(text)
  if (!bytes) return refuse('This is not a TON address: check every character, letter case included.')
  const [tag = 0, workchain = 0] = bytes
  if (tag === (bounceable | testOnly) || tag === (nonBounceable | testOnly))
    return refuse('This is an address of a test network.')
  if ((tag !== bounceable && tag !== nonBounceable) || !workchains.includes(workchain))
    return refuse('This is not a TON address that can be paid to.')
  return accept(workchain, bytes.subarray(2))
}

function accept(workchain: number, hash: Uint8Array): AddressCheck {
  return isZero(hash) ? refuseZero() : { ok: true, canonical: encode(workchain, hash) }
}

/** Tag, workchain and hash; undefined for a wrong character, length or checksum. */
function decode(text: string): Uint8Array | undefined {
  if (text.length !== 48) return undefined
  try {
    const bytes = (/[-_]/.test(text) ? base64url : base64).decode(text)
    const body = bytes.subarray(0, 34)
    return crc16(body) === (((bytes[34] ?? 0) << 8) | (bytes[35] ?? 0)) ? body : undefined
  } catch {
    return undefined // the library's only way to say that a text is not base64
  }
}

function encode(workchain: number, hash: Uint8Array): string {
  const body = Uint8Array.of(nonBounceable, workchain, ...hash)
  const checksum = crc16(body)
  return base64url.encode(Uint8Array.of(...body, checksum >> 8, checksum & 0xff))
}

function make(digest: Uint8Array): string {
  return encode(0x00, digest)
}
