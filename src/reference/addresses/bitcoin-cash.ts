import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { decodeBase58 } from './base58.ts'
import { decodeCashAddr, encodeCashAddr, hasCashAddrChecksum } from './cashaddr.ts'

const prefix = 'bitcoincash'
const testPrefixes = ['bchtest', 'bchreg']

const [key, script] = [0, 1]
/** What a type byte pays to. Types 2 and 3 say besides that the wallet takes tokens (CHIP-2022-02): the same place. */
const places = [key, script, key, script]
/** Versions of Bitcoin's own spelling, which the chain kept. */
const legacyPlaces: Readonly<Record<number, number>> = { 0x00: key, 0x05: script }

/**
 * Bitcoin Cash: CashAddr with or without its prefix, in lower or upper case, and the older spelling `1...`, `3...`,
 * which is Bitcoin's too: the same key can be paid on both chains, and the customer is shown the CashAddr spelling
 * before it is paid. Hashes are of 20 bytes, a script's of 32 too (CHIP-2022-05); the longer ones that CashAddr can
 * write have no meaning on the chain. Canonical is CashAddr in lower case with its prefix.
 */
export const bitcoinCash: AddressRules = { check, make }

const refuseTest = (): AddressCheck => refuse('This is an address of a test network.')

function check(text: string): AddressCheck {
  const legacy = decodeBase58(text)
  if (legacy) return checkLegacy(legacy)

  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase())
    return refuse('Letters in this kind of address are either all lower case or all upper case.')
  const [payload = '', given = prefix, ...rest] = lower.split(':').toReversed()
  if (rest.length > 0) return refuse('This is not a Bitcoin Cash address: check every character.')
  if (testPrefixes.includes(given)) return refuseTest()
  if (given !== prefix) return refuse('This is an address of another network than Bitcoin Cash.')

  const decoded = decodeCashAddr(prefix, payload)
  if (!decoded) {
    return testPrefixes.some((test) => hasCashAddrChecksum(test, payload))
      ? refuseTest()
      : refuse('This is not a Bitcoin Cash address: check every character.')
  }
  const type = places[decoded.type]
  const { hash } = decoded
  if (type === undefined || (hash.length !== 20 && !(type === script && hash.length === 32)))
    return refuse('This kind of Bitcoin Cash address can not be paid to.')
  return { ok: true, canonical: encodeCashAddr(prefix, { type, hash }) }
}

function checkLegacy(bytes: Uint8Array): AddressCheck {
  const version = bytes[0] ?? -1
  const type = legacyPlaces[version]
  if (bytes.length === 21 && (version === 0x6f || version === 0xc4)) return refuseTest()
  if (bytes.length !== 21 || type === undefined)
    return refuse('This is an address of another network than Bitcoin Cash.')
  return { ok: true, canonical: encodeCashAddr(prefix, { type, hash: bytes.subarray(1) }) }
}

function make(digest: Uint8Array): string {
  return encodeCashAddr(prefix, { type: key, hash: digest.subarray(0, 20) })
}
