import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

import { Refusal } from '../../platform/lib/refusal.ts'
import type { KeyRow, Sign } from './approvals.sql.ts'
import { isAssertionBy } from './passkey.ts'

type SigningKey = Pick<KeyRow, 'kind' | 'publicKey' | 'credential' | 'site'>

/** Whether a key signed a hash. What cannot be read is no signature. */
export async function isSignedBy(key: SigningKey, hash: Buffer, signature: string): Promise<boolean> {
  if (key.kind === 'passkey') return isAssertionBy(key, hash, signature)
  const publicKey = createPublicKey({ key: key.publicKey, format: 'der', type: 'spki' })
  return Promise.resolve(verify(null, hash, publicKey, Buffer.from(signature, 'base64')))
}

/** The public half of an Ed25519 key: what its signatures name it by. */
export const credentialOf = (publicKey: KeyObject): Buffer => publicKey.export({ format: 'der', type: 'spki' })

/** Signs with a private Ed25519 key in PEM. BAD_REQUEST for anything else. */
export function signWith(pem: string): Sign {
  const privateKey = readPrivateKey(pem)
  return (hash) => ({
    credential: credentialOf(createPublicKey(privateKey)),
    signature: sign(null, hash, privateKey).toString('base64'),
  })
}

function readPrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below: the file holds something else.
  }
  throw new Refusal(
    'BAD_REQUEST',
    'This is no private Ed25519 key in PEM. Make one with: openssl genpkey -algorithm ed25519',
  )
}

export type { Sign } from './approvals.sql.ts'
