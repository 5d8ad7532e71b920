import { bech32 } from '@scure/base'

const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n]
const checksumLength = 8

/** What a CashAddr text says: what it pays to (4 bits), and a hash of the length that its type byte announces. */
export type CashAddr = { type: number; hash: Uint8Array }

/** Bits of the hash for the lowest three bits of the type byte. */
const hashBits = [160, 192, 224, 256, 320, 384, 448, 512]

/**
 * Reads the part of a CashAddr text behind the colon, in lower case, for a prefix; undefined if the checksum, the
 * padding or the length is wrong. Knows nothing of what can be paid to.
 * (spec/cashaddr.md, version 1.1, bitcoincash.org)
 */
export function decodeCashAddr(prefix: string, payload: string): CashAddr | undefined {
  if (!hasCashAddrChecksum(prefix, payload)) return undefined
  const [type = 0x80, ...hash] = bech32.fromWordsUnsafe(wordsOf(payload).slice(0, -checksumLength)) ?? []
  if (type >= 0x80 || hash.length * 8 !== hashBits[type & 7]) return undefined
  return { type: type >> 3, hash: Uint8Array.from(hash) }
}

/** Whether the last eight characters are the checksum of the others and the prefix. */
export function hasCashAddrChecksum(prefix: string, payload: string): boolean {
  const words = wordsOf(payload)
  if (words.length < checksumLength || words.includes(-1)) return false
  return polynomial([...prefixWords(prefix), ...words]) === 0n
}

/** Writes a hash of 20 or 32 bytes as CashAddr, prefix and colon first. */
export function encodeCashAddr(prefix: string, { type, hash }: CashAddr): string {
  const words = bech32.toWords(Uint8Array.of((type << 3) | hashBits.indexOf(hash.length * 8), ...hash))
  const sum = polynomial([...prefixWords(prefix), ...words, ...Array.from({ length: checksumLength }, () => 0)])
  const checksum = sum.toString(32).padStart(checksumLength, '0').split('')
  const letters = [...words, ...checksum.map((digit) => parseInt(digit, 32))].map((word) => alphabet.charAt(word))
  return `${prefix}:${letters.join('')}`
}

const wordsOf = (payload: string): number[] => payload.split('').map((letter) => alphabet.indexOf(letter))

const prefixWords = (prefix: string): number[] => [...prefix.split('').map((letter) => letter.charCodeAt(0) & 31), 0]

/** The specification's `PolyMod`: a BCH code over GF(2^5), zero for what is whole. */
function polynomial(words: number[]): bigint {
  const sum = words.reduce((sum, word) => {
    const top = sum >> 35n
    return generators.reduce(
      (mixed, generator, bit) => ((top >> BigInt(bit)) & 1n ? mixed ^ generator : mixed),
      ((sum & 0x07ffffffffn) << 5n) ^ BigInt(word),
    )
  }, 1n)
  return sum ^ 1n
}
