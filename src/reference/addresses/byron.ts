import { crc32 } from 'node:zlib'

import { type AddressCheck, refuse } from './address-rules.ts'
import { decodePlainBase58 } from './base58.ts'

/** Major types of CBOR (RFC 8949, section 3.1). */
const [unsigned, byteString, array, map, tag] = [0, 2, 4, 5, 6]
const embeddedCbor = 24

const rootLength = 28
/** Keys of an address's attributes (CIP-19, annex): the network's number is there on test networks only. */
const networkAttribute = 2
/** The kind that wallets have made. The others are vouchers of the genesis block and scripts that never came to be. */
const standardKind = 0

/**
 * Cardano's older addresses (CIP-19, "Byron"): base58 of CBOR, `[24(bytes), crc32]`, where the bytes are
 * `[root, attributes, kind]`. Canonical is as written.
 */
export function checkByron(text: string): AddressCheck {
  const wrong = refuse('This is not a Cardano address: check every character.')
  const outer = readerOf(decodePlainBase58(text) ?? new Uint8Array())
  if (outer.head(array) !== 2 || outer.head(tag) !== embeddedCbor) return wrong
  const body = outer.bytes()
  if (outer.head(unsigned) !== crc32(body) || !outer.isDone()) return wrong

  const inner = readerOf(body)
  if (inner.head(array) !== 3 || inner.bytes().length !== rootLength) return wrong
  const attributes = readAttributes(inner)
  const kind = inner.head(unsigned)
  if (!inner.isDone()) return wrong
  if (attributes.has(networkAttribute)) return refuse('This is an address of a test network.')
  return kind === standardKind
    ? { ok: true, canonical: text }
    : refuse('This kind of Cardano address can not be paid to.')
}

/** The keys only. A count that promises more than there is ends with what there is. */
function readAttributes(reader: Reader): Set<number> {
  const keys = new Set<number>()
  for (let left = reader.head(map); left > 0 && reader.isWhole(); left--) {
    keys.add(reader.head(unsigned))
    reader.bytes()
  }
  return keys
}

type Reader = ReturnType<typeof readerOf>

/** Reads CBOR piece by piece. Once a piece is not what was asked for, there is nothing left, and it is never done. */
function readerOf(from: Uint8Array) {
  let rest = from
  let isSpoiled = false
  const take = (length: number): Uint8Array => {
    isSpoiled ||= length < 0 || length > rest.length
    const taken = isSpoiled ? new Uint8Array() : rest.subarray(0, length)
    rest = isSpoiled ? new Uint8Array() : rest.subarray(length)
    return taken
  }
  /** The number in a head of this major type: a value, a length, a count. -1 if the head is another. */
  const head = (major: number): number => {
    const [first = 0xff] = take(1)
    const short = first & 31
    const length = short < 24 ? 0 : ({ 24: 1, 25: 2, 26: 4 }[short] ?? -1)
    const long = take(first >> 5 === major ? length : -1)
    if (isSpoiled) return -1
    return short < 24 ? short : long.reduce((sum, byte) => sum * 256 + byte, 0)
  }
  return {
    head,
    bytes: () => take(head(byteString)),
    isWhole: () => !isSpoiled,
    isDone: () => !isSpoiled && rest.length === 0,
  }
}
