import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

import { algorand } from './algorand.ts'
import { bitcoinCash } from './bitcoin-cash.ts'
import { bitcoin, dogecoin, litecoin } from './bitcoin.ts'
import { cardano } from './cardano.ts'
import { evm } from './evm.ts'
import { polkadot } from './polkadot.ts'
import { type AddressCheck, type AddressRules, refuse } from './address-rules.ts'
import { solana } from './solana.ts'
import { stellar } from './stellar.ts'
import { ton } from './ton.ts'
import { tron } from './tron.ts'
import { xrp } from './xrp.ts'

/** Chains whose addresses follow the same rules. A network's family is in the catalog. */
export type AddressFamily =
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'bitcoin-cash'
  | 'evm'
  | 'tron'
  | 'solana'
  | 'xrp'
  | 'stellar'
  | 'cardano'
  | 'polkadot'
  | 'algorand'
  | 'ton'

const rulesOf: Record<AddressFamily, AddressRules> = {
  bitcoin,
  litecoin,
  dogecoin,
  'bitcoin-cash': bitcoinCash,
  evm,
  tron,
  solana,
  xrp,
  stellar,
  cardano,
  polkadot,
  algorand,
  ton,
}

/** The families whose addresses the text is. EVM chains are one family; few texts belong to several. */
export const familiesOf = (text: string): AddressFamily[] =>
  (Object.keys(rulesOf) as AddressFamily[]).filter((family) => checkAddress(family, text).ok)

/**
 * Longer than any address of any family (Cardano's have up to 114 characters): the work below may grow with the square
 * of the length.
 */
const maxLength = 128

/**
 * Tells whether a text is a payable address of a family, checksum included, and gives its canonical spelling: two
 * addresses are one place exactly if their canonical spellings are the same. Only main networks' forms are accepted, in
 * the sandbox too (a partner's form that works there works unchanged in live mode), unless the operator's own rail runs on a
 * test network. Nothing is trimmed or mended: the
 * customer confirms what was typed. Where an address holds a tag or memo, `extraId` has it.
 */
export function checkAddress(family: AddressFamily, text: string): AddressCheck {
  if (text === '') return refuse('The address is empty.')
  if (text.length > maxLength) return refuse('The address is too long.')
  if (!/^[\x21-\x7e]+$/.test(text)) return refuse('An address has only letters and digits, and no spaces.')
  return rulesOf[family].check(text)
}

/**
 * A well-formed address, checksum included, for a sandbox chain or a test customer: the same seed gives the same
 * address, and nobody has its key. It looks like a main network's, so real coins sent to it are lost.
 */
export const makeSandboxAddress = (family: AddressFamily, seed: Uint8Array): string =>
  rulesOf[family].make(sha256(concatBytes(utf8ToBytes(`sandbox ${family} `), seed)))
