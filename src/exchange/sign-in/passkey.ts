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
 * Signs somebody in with a passkey. The passkey is checked before any limit: failures of others never keep its owner out. Whatever is
 * refused counts for its network.
 */
export async function signingIn<Result>(
  ctx: Parameters<typeof countWrongPasskey>[0],
  network: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) await countWrongPasskey(ctx, network)
    throw error
  }
}

/** Takes what a passkey has signed of a page's challenge, which is used up. INVALID_TOKEN for anything else. */
export async function takeAssertion<Key extends PasskeyRow>(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>,
  area: 'console' | 'portal',
  { challenge, made }: Pick<PasskeySignIn, 'challenge' | 'made'>,
  find: (credential: Buffer) => Promise<readonly Key[]>,
): Promise<{ key: Key; hash: Buffer; signature: string }> {
  const hash = challengeHash(challenge)
  const { credential, signature } = signatureIn(made)
  const [key] = await find(credential)
  if (!key || !(await isAssertionBy(key, hash, signature))) throw doesNotOpen(area)
  await useChallenge(ctx, area, challenge)
  return { key, hash, signature }
}

export const doesNotOpen = (area: string): Refusal =>
  new Refusal('INVALID_TOKEN', `This passkey does not open the ${area}.`)
