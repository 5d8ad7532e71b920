import { totpPlace } from '../approvals/people.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import { countAttempt } from '../sign-in/limits.ts'
import { totpStep } from './totp.ts'

type Deps = Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>

/** Uses up a code of an operator's second factor, for an action that asks for one: see `secondFactor`. */
export async function useSecondFactor(ctx: Deps, operatorId: bigint, code: string): Promise<void> {
  await ctx.db.atomic(await secondFactor(ctx, operatorId, code))
}

/**
 * Looks at a code of an operator's second factor, and gives what uses it up in the block of what it proves. Nothing is asked of an
 * operator without one. INVALID_TOKEN for a wrong code, and for one that was used before; RATE_LIMITED after five wrong ones in 15 minutes.
 */
export async function secondFactor(
  ctx: Deps,
  operatorId: bigint,
  code: string,
): Promise<(db: Atomic) => Promise<void>> {
  const [known] = await ctx.db.sql<{ totp_secret: Buffer | null; totp_step: bigint | null }>`
    select totp_secret, totp_step from operators where id = ${operatorId}`
  if (!known?.totp_secret || known.totp_step === null) return () => Promise.resolve()
  const counted = await countAttempt(ctx, { email: '', network: '', device: `factor of ${operatorId}` })
  const secret = unseal(ctx.secrets.sealing, known.totp_secret, totpPlace(operatorId))
  const step = totpStep(secret, code, { now: ctx.clock.realNow(), lastStep: null })
  const message = 'This code is wrong, or was used before. Wait for the next one.'
  const wrong = new Refusal('INVALID_TOKEN', message, [{ path: 'code', code: 'INVALID_VALUE', message }])
  if (step === undefined) throw wrong
  // A code that was used before is no guess: it is of a form that is sent a second time.
  await counted.takeBack(true)
  return async (db) => {
    const used = await db.sql`
      update operators set totp_step = ${step} where id = ${operatorId} and totp_step < ${step} returning id`
    if (used.length === 0) throw wrong
  }
}
