import { bech32, bech32m, hex } from '@scure/base'

import { decodeBase58, encodeBase58 } from './base58.ts'
import { decodeCashAddr, encodeCashAddr } from './cashaddr.ts'

/** Version bytes and prefixes of the addresses of Bitcoin's family. */
export type AddressForms = {
  keyVersion: number
  scriptVersion: number
  /** Bech32 on chains with segregated witness, CashAddr on Bitcoin Cash. */
  prefix: string | undefined
}

/** What a chain's scripts and addresses are like: with segregated witness, or as Bitcoin Cash writes them. */
export type ScriptRules = { hasWitness: boolean; hasForkId: boolean }

/** The output script that pays to a key's hash (20 bytes), as hex: P2WPKH with segregated witness, P2PKH elsewhere. */
export const keyScript = ({ hasWitness }: Pick<ScriptRules, 'hasWitness'>, keyHash: Uint8Array): string =>
  hasWitness ? `0014${hex.encode(keyHash)}` : `76a914${hex.encode(keyHash)}88ac`

/** The canonical address of a key's hash. */
export function keyAddress(
  { hasWitness, hasForkId }: ScriptRules,
  { keyVersion, prefix = '' }: AddressForms,
  keyHash: Uint8Array,
): string {
  if (hasWitness) return bech32.encode(prefix, [0, ...bech32.toWords(keyHash)])
  if (hasForkId) return encodeCashAddr(prefix, { type: 0, hash: keyHash })
  return encodeBase58(Uint8Array.of(keyVersion, ...keyHash))
}

/** The output script of a canonical address, as hex; undefined where the address is not one of this chain. */
export function scriptOf(address: string, { keyVersion, scriptVersion, prefix }: AddressForms): string | undefined {
  if (prefix !== undefined && address.startsWith(`${prefix}:`)) return cashScript(prefix, address)
  if (prefix !== undefined && address.startsWith(`${prefix}1`)) return witnessScript(address)
  const bytes = decodeBase58(address)
  if (bytes?.length !== 21) return undefined
  const hash = hex.encode(bytes.subarray(1))
  if (bytes[0] === keyVersion) return `76a914${hash}88ac`
  return bytes[0] === scriptVersion ? `a914${hash}87` : undefined
}

function cashScript(prefix: string, address: string): string | undefined {
  const decoded = decodeCashAddr(prefix, address.slice(prefix.length + 1))
  if (!decoded) return undefined
  const hash = hex.encode(decoded.hash)
  if (decoded.type === 0) return `76a914${hash}88ac`
  if (decoded.type !== 1) return undefined
  return decoded.hash.length === 32 ? `aa20${hash}87` : `a914${hash}87`
}

function witnessScript(address: string): string | undefined {
  const decoded = bech32.decodeUnsafe(address) ?? bech32m.decodeUnsafe(address)
  const [version, ...groups] = decoded?.words ?? []
  const program = bech32.fromWordsUnsafe(groups)
  if (version === undefined || version > 16 || !program) return undefined
  const push = program.length.toString(16).padStart(2, '0')
  return `${version === 0 ? '00' : (0x50 + version).toString(16)}${push}${hex.encode(program)}`
}

/**
 * The address that an output script pays to, where it has one of the usual forms; undefined elsewhere. Needed to name where a
 * payment came from.
 */
export function addressOf(script: string, rules: ScriptRules, forms: AddressForms): string | undefined {
  const { keyVersion, scriptVersion, prefix } = forms
  const [, keyHash] = /^76a914([0-9a-f]{40})88ac$/.exec(script) ?? []
  if (keyHash !== undefined) return base(rules, forms, keyVersion, 0, keyHash)
  const [, scriptHash] = /^a914([0-9a-f]{40})87$/.exec(script) ?? []
  if (scriptHash !== undefined) return base(rules, forms, scriptVersion, 1, scriptHash)
  const [, version = '', size = '', program = ''] = /^(00|5[1-9a-f]|60)([0-9a-f]{2})([0-9a-f]+)$/.exec(script) ?? []
  if (!rules.hasWitness || prefix === undefined || program.length !== Number.parseInt(size, 16) * 2) return undefined
  const number = version === '00' ? 0 : Number.parseInt(version, 16) - 0x50
  const coder = number === 0 ? bech32 : bech32m
  return coder.encode(prefix, [number, ...coder.toWords(hex.decode(program))])
}

function base(
  { hasForkId }: ScriptRules,
  { prefix = '' }: AddressForms,
  version: number,
  type: number,
  hash: string,
): string {
  const bytes = hex.decode(hash)
  return hasForkId ? encodeCashAddr(prefix, { type, hash: bytes }) : encodeBase58(Uint8Array.of(version, ...bytes))
}
