import { createPublicKey, type KeyObject } from 'node:crypto'

import { wrong } from './setting-value.ts'

const block = /-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g

/** Valid at once: the key in use, the next one, and one to spare. */
const mostKeys = 3

/** Every public key in a text of PEM blocks. Throws at a block that is no key, or has no end. */
export function signingKeysIn(pem: string): KeyObject[] {
  const keys = (pem.match(block) ?? []).map((one) => createPublicKey(one))
  if (keys.length !== pem.split('-----BEGIN').length - 1) throw new TypeError('A key in PEM form is cut short.')
  return keys
}

/**
 * Reads a file of public keys. A signature by any of them is valid, so that a partner can rotate its signing key with overlap.
 * Returns them as PEM, one after the other. Refuses invalid and weak keys, and more than three.
 */
export function readSigningKeys(text: string): string {
  const keys = keysIn(text)
  if (keys.length === 0 || keys.length > mostKeys || !keys.every(isStrong)) {
    const sentence = `must hold one to ${mostKeys} public keys in PEM form, each Ed25519 or RSA of at least 2048 bits.`
    throw wrong('signing_key', sentence)
  }
  return keys.map((key) => key.export({ type: 'spki', format: 'pem' }).toString()).join('')
}

function keysIn(text: string): KeyObject[] {
  try {
    return signingKeysIn(text)
  } catch {
    // Whatever it is, it is no key: the refusal says what is wanted.
    return []
  }
}

const isStrong = ({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): boolean =>
  kind === 'ed25519' || (kind === 'rsa' && (details?.modulusLength ?? 0) >= 2048)
