import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { decodeRippleBase58, encodeRippleBase58 } from './base58.ts'

/** First bytes of what base58 writes on the XRP Ledger (xrpl.org, "base58 encodings"; XLS-5). */
const classicVersion = 0x00
const seedVersion = 0x21
const mainPrefix = [0x05, 0x44]
const testPrefix = [0x04, 0x93]

/** An account's id and, at the end of an X-address, what it says of a tag: a flag and eight bytes. */
const idLength = 20
const taggedLength = 2 + idLength + 9

/**
 * XRP Ledger: classic addresses (`r...`), also with a tag behind them (`r...?dt=7`), and X-addresses (`X...`, XLS-5), which contain one. Canonical is the
 * classic address; the tag is the `extraId`. Test networks (`T...`), tags of more than 32 bits, secret keys, and the accounts
 * 0 and 1, which have no key, are refused.
 */
export const xrp: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const [, classic, tag] = /^(r\w+)\?dt=(\d{1,10})$/.exec(text) ?? []
  if (classic !== undefined && tag !== undefined) return withTag(checkPlain(classic), BigInt(tag))
  return checkPlain(text)
}

function withTag(plain: AddressCheck, tag: bigint): AddressCheck {
  if (!plain.ok) return plain
  return tag > 0xffff_ffffn ? refuseTag() : { ...plain, extraId: tag.toString() }
}

const refuseTag = (): AddressCheck => refuse('The tag in this address is one that we can not read.')

function checkPlain(text: string): AddressCheck {
  const bytes = decodeRippleBase58(text)
  if (!bytes) return refuse('This is not an XRP address: check every character, letter case included.')
  if (bytes[0] === classicVersion && bytes.length === 1 + idLength) return accept(bytes.subarray(1))
  if (bytes.length === taggedLength && begins(bytes, testPrefix)) return refuse('This is an address of a test network.')
  if (bytes.length === taggedLength && begins(bytes, mainPrefix)) return checkTagged(bytes.subarray(2))
  return bytes[0] === seedVersion
    ? refuse('This is a secret key, not an address. Show it to nobody.')
    : refuse('This is not an XRP address: check every character, letter case included.')
}

function checkTagged(bytes: Uint8Array): AddressCheck {
  const [flag, ...tag] = bytes.subarray(idLength)
  const number = tag.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  if (flag === 0 && number === 0n) return accept(bytes.subarray(0, idLength))
  if (flag !== 1 || number > 0xffff_ffffn) return refuseTag()
  return accept(bytes.subarray(0, idLength), number.toString())
}

function accept(id: Uint8Array, tag?: string): AddressCheck {
  if (id.subarray(0, -1).every((byte) => byte === 0) && (id.at(-1) ?? 0) < 2)
    return refuse('Nobody has the key of this address: what is sent there is lost.')
  const canonical = encodeRippleBase58(Uint8Array.of(classicVersion, ...id))
  return tag === undefined ? { ok: true, canonical } : { ok: true, canonical, extraId: tag }
}

const begins = (bytes: Uint8Array, prefix: number[]): boolean => prefix.every((byte, at) => bytes[at] === byte)

function make(digest: Uint8Array): string {
  return encodeRippleBase58(Uint8Array.of(classicVersion, ...digest.subarray(0, idLength)))
}
