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

/**
 * Encrypts with AES-256-GCM into nonce, tag and ciphertext. `place` is the table and row that the bytes belong to; copied to
 * another place they do not open.
 */
export function seal(key: Buffer, text: string | Buffer, place: string): Buffer {
  const iv = nonce()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(place))
  const body = typeof text === 'string' ? cipher.update(text, 'utf8') : cipher.update(text)
  cipher.final()
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

/** Decrypts what `seal` encrypted for the same place. Changed or moved bytes and another key are a fault. */
export function unseal(key: Uint8Array, sealed: Buffer, place: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(12, 28))
  const text = decipher.update(sealed.subarray(28))
  // A stream cipher has no final bytes: this only checks the tag, and throws if it is wrong.
  decipher.final()
  return text
}

export const newKey = (): Buffer => randomBytes(32)

const keyPlace = 'data_keys'

export const wrapKey = (wrapping: Buffer, key: Buffer): Buffer => seal(wrapping, key, keyPlace)

export const unwrapKey = (wrapping: Uint8Array, wrapped: Buffer): Buffer => unseal(wrapping, wrapped, keyPlace)
