import { randomBytes, randomFillSync } from 'node:crypto'

import { isLuhnValid } from './card-number.ts'

const pool = Buffer.alloc(4096)
let used = pool.length

/** Reads 64 random bits out of a pool, where one call to the system fills 512 of them, and wipes them there. */
function draw<T>(read: (from: Buffer, at: number) => T): T {
  if (used >= pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const value = read(pool, used)
  pool.fill(0, used, used + 8)
  used += 8
  return value
}

const randomUint64 = (): bigint => draw((from, at) => from.readBigUInt64BE(at))

const least = 10n ** 14n
const span = 10n ** 15n - least

/**
 * A public id: 15 decimal digits, drawn at random over the whole range, so that one id or the time leads to no other. Below
 * 2^53, because partners' programs turn ids into JavaScript numbers. Never Luhn-valid: partners write our ids into text
 * fields, and a text that holds a card number is refused. The database's unique key guarantees uniqueness; two equal draws
 * are a fault that a retry resolves.
 */
export function randomId(): bigint {
  for (;;) {
    const id = least + (randomUint64() % span)
    if (!isLuhnValid(String(id))) return id
  }
}

const sixteenLetters = [...'bcdfghjkmnpqrstv']
const lettersOfByte = sixteenLetters.flatMap((first) => sixteenLetters.map((second) => first + second))

/** 64 random bits as 16 letters: no digits, so it never looks like a card number. Made for every request, so it is cheap. */
export const randomLetters = (): string =>
  draw((from, at) => {
    let text = ''
    for (let index = at; index < at + 8; index += 1) text += lettersOfByte[from[index] ?? 0] ?? ''
    return text
  })

/** A random text for references and tokens, `bytes` x 8 bits strong, safe in URLs. */
export const randomToken = (bytes = 24): string => randomBytes(bytes).toString('base64url')

/**
 * Reads a public id from a path or query; anything that cannot be one is undefined, so that it is answered as not found.
 * Ids had 18 or 19 digits before 2026-11-23, and those remain valid.
 */
export function readId(text: string): bigint | undefined {
  if (!/^[1-9]\d{0,18}$/.test(text)) return undefined
  const id = BigInt(text)
  return id < 2n ** 63n ? id : undefined
}
