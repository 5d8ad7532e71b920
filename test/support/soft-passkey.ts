import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

import type { NewKey } from '../../src/exchange/approvals/approvals.sql.ts'
import type { Exchange } from './exchange.ts'
import { lookup } from './journey.ts'

/** An authenticator that is a program: what a browser's answers would be, and what the browser needs to have the same one. */
export type SoftPasskey = {
  key: NewKey
  credential: Buffer
  /** PKCS #8, in DER. */
  privateKey: Buffer
  /** Answers a page: makes the passkey where it asks for one, else signs. */
  answer(asked: string): string
}

/** Present and verified; with a credential, too. */
const [seen, withCredential] = [0x05, 0x45]

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()

/** Makes a passkey for a site, such as `http://localhost:3000`. */
export function softPasskey(site: string, name = 'soft'): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credential = randomBytes(16)
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
  const id = credential.toString('base64url')
  const dataWith = (flags: number, rest = Buffer.alloc(0)): Buffer =>
    Buffer.concat([sha256(new URL(site).hostname), Buffer.from([flags]), Buffer.alloc(4), rest])

  function made(challenge: string): string {
    const length = Buffer.from([0, credential.length])
    const authData = dataWith(withCredential, Buffer.concat([Buffer.alloc(16), length, credential, cose]))
    const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
    const attestation = Buffer.concat([head, Buffer.from([authData.length]), authData])
    const client = JSON.stringify({ type: 'webauthn.create', challenge, origin: site })
    const clientDataJSON = Buffer.from(client).toString('base64url')
    return JSON.stringify({ id, clientDataJSON, attestationObject: attestation.toString('base64url') })
  }

  function signed(challenge: string): string {
    const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: site }))
    const authData = dataWith(seen)
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), privateKey).toString('base64url')
    const [authenticatorData, clientDataJSON] = [authData, client].map((one) => one.toString('base64url'))
    return JSON.stringify({ id, authenticatorData, clientDataJSON, signature })
  }

  return {
    key: { kind: 'passkey', name, publicKey: cose, credential, site },
    credential,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
    answer: (asked) => {
      const { challenge, user } = JSON.parse(asked) as { challenge: string; user?: object }
      return user ? made(challenge) : signed(challenge)
    },
  }
}

/** Gives somebody of a partner a passkey, as if the portal's page had made it. */
export async function addToPortal(
  exchange: Pick<Exchange, 'ownerUrl'>,
  { key }: SoftPasskey,
  email: string,
): Promise<void> {
  await lookup(
    exchange,
    `insert into portal_passkeys (id, user_id, name, public_key, credential, site, added_at)
     select id, id, $1, $2, $3, $4, now() from portal_users where email = $5`,
    [key.name, key.publicKey, key.credential, key.site, email],
  )
}
