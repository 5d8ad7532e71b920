import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { decodeBase58 } from './base58.ts'
import { testNetworkOf } from './test-network.ts'
import { decodeCashAddr, encodeCashAddr, hasCashAddrChecksum } from './cashaddr.ts'

const prefixes = { mainnet: 'bitcoincash', testnet: 'bchtest', regtest: 'bchreg' } as const
const inUse = () => testNetworkOf('bitcoin-cash') ?? 'mainnet'

const [key, script] = [0, 1]
/** What a type byte pays to. Types 2 and 3 say besides that the wallet takes tokens (CHIP-2022-02): the same place. */
const places = [key, script, key, script]
/** Versions of Bitcoin's own spelling, which the chain kept. */
const legacyPlaces: Readonly<Record<number, number>> = { 0x00: key, 0x05: script }
const legacyTestPlaces: Readonly<Record<number, number>> = { 0x6f: key, 0xc4: script }

/**
 * Bitcoin Cash: CashAddr with or without its prefix, in lower or upper case, and the older spelling `1...`, `3...`,
 * which is Bitcoin's too: the same key can be paid on both chains, and the customer is shown the CashAddr spelling
 * before it is paid. Hashes are of 20 bytes, a script's of 32 too (CHIP-2022-05); the longer ones that CashAddr can
 * write have no meaning on the chain. Canonical is CashAddr in lower case with its prefix.
 */
export const bitcoinCash: AddressRules = { check, make }

const refuseOther = (): AddressCheck =>
  refuse(
    inUse() === 'mainnet'
      ? 'This is an address of a test network.'
      : 'This is an address of another network than the one in use here.',
  )

function check(text: string): AddressCheck {
  const legacy = decodeBase58(text)
  if (legacy) return checkLegacy(legacy)

  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase())
    return refuse('Letters in this kind of address are either all lower case or all upper case.')
  const prefix = prefixes[inUse()]
  const otherPrefixes = Object.values(prefixes).filter((one) => one !== prefix)
  const [payload = '', given = prefix, ...rest] = lower.split(':').toReversed()
  if (rest.length > 0) return refuse('This is not a Bitcoin Cash address: check every character.')
  if (otherPrefixes.some((one) => one === given)) return refuseOther()
  if (given !== prefix) return refuse('This is an address of another network than Bitcoin Cash.')

  const decoded = decodeCashAddr(prefix, payload)
  if (!decoded) {
    return otherPrefixes.some((other) => hasCashAddrChecksum(other, payload))
      ? refuseOther()
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
  const [ours, others] = inUse() === 'mainnet' ? [legacyPlaces, legacyTestPlaces] : [legacyTestPlaces, legacyPlaces]
  const type = ours[version]
  if (bytes.length === 21 && others[version] !== undefined) return refuseOther()
  if (bytes.length !== 21 || type === undefined)
    return refuse('This is an address of another network than Bitcoin Cash.')
  return { ok: true, canonical: encodeCashAddr(prefixes[inUse()], { type, hash: bytes.subarray(1) }) }
}

function make(digest: Uint8Array): string {
  return encodeCashAddr(prefixes[inUse()], { type: key, hash: digest.subarray(0, 20) })
}
