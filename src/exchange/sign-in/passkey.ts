import type { KeyRow } from '../approvals/approvals.sql.ts'
import { isAssertionBy, signatureIn } from '../approvals/passkey.ts'
import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { challengeHash, useChallenge } from './challenge.ts'
import { countWrongPasskey } from './limits.ts'

/** What a browser sends to sign somebody in with a passkey. */
export type PasskeySignIn = { challenge: string; made: string; network: string; agent: string }

type PasskeyRow = Pick<KeyRow, 'credential' | 'publicKey' | 'site'>

/**
 * Takes what a passkey has signed of a page's challenge, which is used up. It is looked at before any limit, so that tries of others do
 * not keep out who has the passkey; what it has not signed counts for its network, and costs one signature at most. INVALID_TOKEN for that.
 */
export async function takeAssertion<Key extends PasskeyRow>(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  area: 'console' | 'portal',
  { challenge, made, network }: Omit<PasskeySignIn, 'agent'>,
  find: (credential: Buffer) => Promise<readonly Key[]>,
): Promise<{ key: Key; hash: Buffer; signature: string }> {
  const hash = challengeHash(challenge)
  const signed = async () => {
    const { credential, signature } = signatureIn(made)
    const [key] = await find(credential)
    if (key && (await isAssertionBy(key, hash, signature))) return { key, hash, signature }
    throw doesNotOpen(area)
  }
  const taken = await signed().catch(async (error: unknown) => {
    if (error instanceof Refusal) await countWrongPasskey(ctx, network)
    throw error
  })
  await useChallenge(ctx, area, challenge)
  return taken
}

export const doesNotOpen = (area: string): Refusal =>
  new Refusal('INVALID_TOKEN', `This passkey does not open the ${area}.`)
