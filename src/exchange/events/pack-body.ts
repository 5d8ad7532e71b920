import { deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib'

import { bodyDictionaries } from './data/body-dictionaries.ts'

/**
 * Packs a body for storage, before it is sealed: a record is mostly names that every record has, so the deflate algorithm
 * (RFC 1951) with a dictionary of them leaves a fifth of it, in some 10 microseconds. The first byte is the dictionary's
 * number: the newest packs, all of them unpack.
 */
export function packBody(text: string): Buffer {
  const number = bodyDictionaries.length
  return Buffer.concat([Buffer.of(number), deflateRawSync(text, optionsOf(number))])
}

/** Gives the text that was packed, byte for byte, as it is sent (UTF-8). */
export const unpackBody = (packed: Buffer): Buffer => inflateRawSync(packed.subarray(1), optionsOf(packed[0] ?? 0))

const dictionaries = bodyDictionaries.map((text) => Buffer.from(text))

/**
 * A window that holds dictionary and body, and little memory, because it is allocated for each; a record fits into one chunk, and
 * three chunks into one of the pieces of memory that Node hands out to small buffers.
 */
function optionsOf(number: number): ZlibOptions {
  const dictionary = dictionaries[number - 1]
  if (!dictionary) throw new Error(`There is no dictionary ${number} for bodies.`)
  return { level: 3, windowBits: 13, memLevel: 5, chunkSize: 2_560, dictionary }
}
