import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from 'node:crypto'

const nonces = Buffer.alloc(12 * 256)
let next = nonces.length

/** 96 random bits; each key encrypts far fewer than 2^32 texts, the limit of NIST SP 800-38D for random nonces. */
function nonce(): Buffer {
  if (next >= nonces.length) {
    randomFillSync(nonces)
    next = 0
  }
  const bytes = Buffer.from(nonces.subarray(next, next + 12))
  next += 12
  return bytes
}

/** Keys of one purpose by the generation of the master key. The newest seals, and all open. */
export type KeyRing = { newest: number; keys: Map<number, Uint8Array> }

/** One key, or all generations of it. */
export type SealingKey = Uint8Array | KeyRing

/**
 * Encrypts with AES-256-GCM into nonce, tag and ciphertext. `place` is the table and row that the bytes belong to; copied to
 * another place they do not open. A ring puts the generation before them, one byte, but for the first.
 */
export function seal(key: SealingKey, text: string | Buffer, place: string): Buffer {
  if (key instanceof Uint8Array) return sealWith(key, text, place)
  const bytes = sealWith(keyIn(key, key.newest), text, place)
  return key.newest === 0 ? bytes : Buffer.concat([Buffer.of(key.newest), bytes])
}

function keyIn({ keys }: KeyRing, generation: number): Uint8Array {
  const key = keys.get(generation)
  if (!key) throw new Error(`The master key of generation ${generation} is not known.`)
  return key
}

function sealWith(key: Uint8Array, text: string | Buffer, place: string): Buffer {
  const iv = nonce()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(place))
  const body = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text)
  cipher.final()
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

/** Decrypts what `seal` encrypted for the same place. Changed or moved bytes and another key are a fault. */
export function unseal(key: SealingKey, sealed: Buffer, place: string): Buffer {
  if (key instanceof Uint8Array) return unsealWith(key, sealed, place)
  const generation = sealed[0] ?? 0
  if (generation > 0 && key.keys.has(generation)) {
    try {
      return unsealWith(keyIn(key, generation), sealed.subarray(1), place)
    } catch {
      // The first byte of the first generation's nonce may be any.
    }
  }
  return unsealWith(keyIn(key, 0), sealed, place)
}

/** Whether something was sealed with the newest key of a ring. */
export function isNewest(key: KeyRing, sealed: Buffer, place: string): boolean {
  if (key.newest === 0) return true
  if (sealed[0] !== key.newest) return false
  try {
    unsealWith(keyIn(key, key.newest), sealed.subarray(1), place)
    return true
  } catch {
    return false
  }
}

function unsealWith(key: Uint8Array, sealed: Buffer, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(12, 28))
  const text = decipher.update(sealed.subarray(28))
  // A stream cipher has no final bytes: this only checks the tag, and throws if it is wrong.
  decipher.final()
  return text
}

export const newKey = (): Buffer => randomBytes(32)

/** The place that wrapped data keys belong to. */
export const keyPlace = 'data_keys'

export const wrapKey = (wrapping: SealingKey, key: Buffer): Buffer => seal(wrapping, key, keyPlace)

export const unwrapKey = (wrapping: SealingKey, wrapped: Buffer): Buffer => unseal(wrapping, wrapped, keyPlace)
