import { randomBytes, randomFillSync } from 'node:crypto'

import { isLuhnValid } from './card-number.ts'

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
