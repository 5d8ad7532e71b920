import { bech32 } from '@scure/base'

import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { checkByron } from './byron.ts'

const mainNetwork = 1
const hashLength = 28
/** Header types of CIP-19: the payment part is followed by a stake part, by a pointer to one, or by nothing. */
const [lastWithStake, lastWithPointer, lastAlone] = [3, 5, 7]

/**
 * Cardano (CIP-19): Shelley addresses (`addr1...`, bech32 of any length, all eight kinds, keys' and scripts') and Byron
 * addresses (base58). Stake addresses take rewards only and are refused, as are test networks. Canonical is lower case
 * for `addr1`, as written for Byron.
 */
export const cardano: AddressRules = { check, make }

function check(text: string): AddressCheck {
  const lower = text.toLowerCase()
  if (lower.startsWith('stake')) return refuse('This is a stake address: give an address that takes payments.')
  if (lower.startsWith('addr_test1')) return refuse('This is an address of a test network.')
  return lower.startsWith('addr1') ? checkShelley(text) : checkByron(text)
}

function checkShelley(text: string): AddressCheck {
  const decoded = bech32.decodeUnsafe(text, false)
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  const [header] = bytes ?? []
  if (decoded?.prefix !== 'addr' || !bytes || header === undefined)
    return refuse('The checksum does not match: check every character.')
  if (header >> 4 > lastAlone) return refuse('This kind of Cardano address can not be paid to.')
  if ((header & 0x0f) !== mainNetwork) return refuse('This is an address of a test network.')
  return hasRightLength(header >> 4, bytes.subarray(1 + hashLength))
    ? { ok: true, canonical: text.toLowerCase() }
    : refuse('This address has the wrong length.')
}

function hasRightLength(type: number, stakePart: Uint8Array): boolean {
  if (type <= lastWithStake) return stakePart.length === hashLength
  if (type <= lastWithPointer) return isPointer(stakePart)
  return stakePart.length === 0
}

/**
 * Slot, transaction and certificate, each in groups of seven bits whose first bit says that more follow; of at most 32,
 * 16 and 16 bits, as the ledger has read them since the Babbage era.
 */
function isPointer(bytes: Uint8Array): boolean {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 0x7f)
    if (byte & 0x80) continue
    numbers.push(number)
    number = 0
  }
  const [slot = 0, transaction = 0, certificate = 0] = numbers
  const isWhole = numbers.length === 3 && (bytes.at(-1) ?? 0x80) < 0x80
  return isWhole && slot < 2 ** 32 && transaction < 2 ** 16 && certificate < 2 ** 16
}

function make(digest: Uint8Array): string {
  const header = (lastAlone - 1) * 16 + mainNetwork
  return bech32.encode('addr', bech32.toWords(Uint8Array.of(header, ...digest.subarray(0, hashLength))), false)
}
