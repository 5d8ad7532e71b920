import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

import { bitcoin } from './bitcoin.ts'
import { evm } from './evm.ts'
import { tron } from './tron.ts'

/** Chains whose addresses follow the same rules, one file each. A network's family is in the catalogue. */
export type AddressFamily = 'bitcoin' | 'evm' | 'tron'

/** An address in the one spelling that we store and compare, or one plain sentence on what is wrong with it. */
export type AddressCheck = { ok: true; canonical: string } | { ok: false; reason: string }

/** What a family's file provides. */
export type AddressRules = {
  /** Never throws, whatever the text; the text has at most 100 characters. */
  check: (text: string) => AddressCheck
  /** A well-formed address of 32 bytes that are as good as random. */
  make: (digest: Uint8Array) => string
}

const rulesOf: Record<AddressFamily, AddressRules> = { bitcoin, evm, tron }

/** Longer than any address of any family: the work below may grow with the square of the length. */
const maxLength = 100

/**
 * Tells whether a text is a payable address of a family, checksum included, and gives its canonical spelling. Only
 * main networks' forms are accepted, in the sandbox too: a partner's form that works there works unchanged in live
 * mode. Nothing is trimmed or mended: the customer confirms what was typed.
 */
export function checkAddress(family: AddressFamily, text: string): AddressCheck {
  if (text === '') return { ok: false, reason: 'The address is empty.' }
  if (text.length > maxLength) return { ok: false, reason: 'The address is too long.' }
  if (!/^[\x21-\x7e]+$/.test(text))
    return { ok: false, reason: 'An address has only letters and digits, and no spaces.' }
  return rulesOf[family].check(text)
}

/**
 * A well-formed address, checksum included, for a sandbox chain or a test customer: the same seed gives the same
 * address, and nobody has its key. It looks like a main network's, so real coins sent to it are lost.
 */
export const makeSandboxAddress = (family: AddressFamily, seed: Uint8Array): string =>
  rulesOf[family].make(sha256(concatBytes(utf8ToBytes(`sandbox ${family} `), seed)))
