import { Refusal } from '../../platform/lib/refusal.ts'
import type { KeyRow, KeySignature, NewKey, Sign } from './approvals.sql.ts'

/** What a browser answers: texts of base64url. */
type Answer = Readonly<Record<string, unknown>>

/** The site that passkeys of an exchange are for, and that of a developer's own machine, whose number browsers accept for none. */
export function passkeySites(publicUrl: string, trustsHostHeader: boolean): string[] {
  const { origin, port } = new URL(publicUrl)
  return trustsHostHeader ? [origin, `http://localhost${port === '' ? '' : `:${port}`}`] : [origin]
}

/** What a page asks a browser for, so that it makes a passkey. */
export const registrationOptions = (
  { id, email, name }: { id: bigint; email: string; name: string },
  challenge: Buffer,
  known: readonly Buffer[],
) => ({
  challenge: challenge.toString('base64url'),
  rp: { name: 'Cambio' },
  user: { id: Buffer.from(String(id)).toString('base64url'), name: email, displayName: name || email },
  // EdDSA, ES256, RS256.
  pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  excludeCredentials: known.map((credential) => ({ type: 'public-key', id: credential.toString('base64url') })),
})

/** Reads the passkey that a browser has made for a challenge. BAD_REQUEST for anything else. */
export async function readPasskey(
  text: string,
  { challenge, sites, name }: { challenge: Buffer; sites: readonly string[]; name: string },
): Promise<NewKey> {
  const { id, clientDataJSON, attestationObject } = parsed(text)
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: textOf(id),
        rawId: textOf(id),
        type: 'public-key',
        response: { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject) },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge.toString('base64url'),
      expectedOrigin: [...sites],
      expectedRPID: sites.map((site) => new URL(site).hostname),
    })
    if (verified) {
      const { credential, origin } = registrationInfo
      return {
        kind: 'passkey',
        name,
        publicKey: Buffer.from(credential.publicKey),
        credential: Buffer.from(credential.id, 'base64url'),
        site: origin,
      }
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // The library says what is wrong by throwing: none of it is the server's fault.
    throw new Refusal('BAD_REQUEST', `This passkey cannot be added: ${error.message}`)
  }
  throw new Refusal('BAD_REQUEST', 'This passkey cannot be added.')
}

/** The signature that a browser made with a passkey; undefined where a form brought none. */
export function signOfBrowser(text: string | null): Sign | undefined {
  return text === null || text === '' ? undefined : () => signatureIn(text)
}

/** The same, read. */
export function signatureIn(text: string): KeySignature {
  const { id, authenticatorData, clientDataJSON, signature } = parsed(text)
  const parts = { authenticatorData: textOf(authenticatorData), clientDataJSON: textOf(clientDataJSON) }
  return {
    credential: Buffer.from(textOf(id), 'base64url'),
    signature: JSON.stringify({ ...parts, signature: textOf(signature) }),
  }
}

/** How often the authenticator of a signature says that it was used; 0 for one that does not count. Where: WebAuthn, 6.1. */
export function usesIn(signature: string): number {
  const data = Buffer.from(textOf(parsed(signature).authenticatorData), 'base64url')
  return data.readUInt32BE(33)
}

/**
 * Whether a passkey signed a hash, as the challenge of an assertion, after its owner was verified. The count of uses that some
 * authenticators keep is looked at where a signature is given (`takeSignature`): it is checked again for as long as it is stored.
 */
export async function isAssertionBy(
  { site, credential, publicKey }: Pick<KeyRow, 'site' | 'credential' | 'publicKey'>,
  hash: Buffer,
  text: string,
): Promise<boolean> {
  if (site === null) return false
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const id = credential.toString('base64url')
  try {
    const { authenticatorData, clientDataJSON, signature } = parsed(text)
    const { verified } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          authenticatorData: textOf(authenticatorData),
          clientDataJSON: textOf(clientDataJSON),
          signature: textOf(signature),
        },
        clientExtensionResults: {},
      },
      expectedChallenge: hash.toString('base64url'),
      expectedOrigin: site,
      expectedRPID: new URL(site).hostname,
      credential: { id, publicKey: Uint8Array.from(publicKey), counter: 0 },
    })
    return verified
  } catch {
    // The library throws for each thing that does not fit: then it is no signature of this hash.
    return false
  }
}

function parsed(text: string): Answer {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null) return answer as Answer
  } catch {
    // Said below.
  }
  throw new Refusal('BAD_REQUEST', 'The browser sent no passkey.')
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && /^[\w-]{1,20000}={0,2}$/.test(value)) return value
  throw new Refusal('BAD_REQUEST', 'The browser sent no passkey.')
}
