import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { countAttempt } from './limits.ts'
import { isPasswordOf } from './password.ts'

/**
 * Asks who is signed in for the present password, before something that a stolen session must not do. INVALID_TOKEN for a wrong one, which
 * counts as a wrong attempt of this session; RATE_LIMITED after five in 15 minutes.
 */
export async function askPresentPassword(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  session: string,
  known: { passwordHash: string | null } | undefined,
  present: string,
): Promise<void> {
  const counted = await countAttempt(ctx, { email: '', network: '', device: `session ${session}` })
  if (!(await isPasswordOf(known, present))) {
    const message = 'The present password is wrong.'
    throw new Refusal('INVALID_TOKEN', message, [{ path: 'present', code: 'INVALID_VALUE', message }])
  }
  await counted.takeBack(true)
}
