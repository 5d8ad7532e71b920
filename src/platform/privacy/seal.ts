import { createCipheriv, createDecipheriv, randomBytes, randomFillSync } from 'node:crypto'

const nonces = Buffer.alloc(12 * 256)
let next = nonces.length

/** 96 random bits; a key of ours encrypts far fewer than 2^32 texts, the bound of NIST SP 800-38D for random nonces. */
function nonce(): Buffer {
  if (next >= nonces.length) {
    randomFillSync(nonces)
    next = 0
  }
  const bytes = Buffer.from(nonces.subarray(next, next + 12))
  next += 12
  return bytes
}

/**
 * Encrypts with AES-256-GCM: nonce, tag, text. `place` says where the sealed bytes belong (a table and a row); bytes that
 * were copied to another place do not open there.
 */
export function seal(key: Buffer, text: string | Buffer, place: string): Buffer {
  const iv = nonce()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(place))
  const body = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text)
  cipher.final()
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

/** Opens what `seal` made for the same place. Bytes that were changed, moved or made with another key are a fault. */
export function unseal(key: Uint8Array, sealed: Buffer, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(12, 28))
  const text = decipher.update(sealed.subarray(28))
  // Nothing is left for the end of a stream cipher: it only says whether the tag is right, and throws if not.
  decipher.final()
  return text
}

/** A new key for one person's data. */
export const newKey = (): Buffer => randomBytes(32)

const keyPlace = 'data_keys'

/** Seals such a key for storage. */
export const wrapKey = (wrapping: Buffer, key: Buffer): Buffer => seal(wrapping, key, keyPlace)

/** Opens a key that was stored. */
export const unwrapKey = (wrapping: Uint8Array, wrapped: Buffer): Buffer => unseal(wrapping, wrapped, keyPlace)
