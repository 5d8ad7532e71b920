import { randomBytes, randomFillSync } from 'node:crypto'

import { holdsCardNumber } from './card-number.ts'

const pool = Buffer.alloc(4096)
let used = pool.length

/** 64 random bits at a time out of a pool: one call to the system for 512 ids. */
function randomUint64(): bigint {
  if (used >= pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const value = pool.readBigUInt64BE(used)
  pool.fill(0, used, used + 8)
  used += 8
  return value
}

const least = 10n ** 17n
const span = 2n ** 63n - least

/**
 * A public id: 18 or 19 decimal digits below 2^63, drawn at random, so that knowing one id or the time leads to no other
 * (wire.md, section 1). Never the number of a payment card, which one draw in sixteen would be by chance: partners write our
 * ids into texts of theirs, and a text that holds a card number is refused (section 9). Uniqueness is the database's unique
 * key; two equal draws are a fault that a retry mends.
 */
export function randomId(): bigint {
  for (;;) {
    const id = least + (randomUint64() % span)
    if (!holdsCardNumber(String(id))) return id
  }
}

/** A random text for references and tokens, `bytes` x 8 bits strong, safe in URLs. */
export const randomToken = (bytes = 24): string => randomBytes(bytes).toString('base64url')

/** Reads a public id from a path or query; anything that cannot be one is undefined, so that it is answered as not found. */
export function readId(text: string): bigint | undefined {
  if (!/^[1-9]\d{0,18}$/.test(text)) return undefined
  const id = BigInt(text)
  return id < 2n ** 63n ? id : undefined
}
