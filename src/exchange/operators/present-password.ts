import type { Ctx } from '../context.ts'
import { askPresentPassword } from '../sign-in/present-password.ts'

/** Asks an operator who is signed in for the present password: see `askPresentPassword`. */
export async function usePresentPassword(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  { operatorId, sessionId }: { operatorId: bigint; sessionId: bigint },
  present: string,
): Promise<void> {
  const [known] = await ctx.db.sql<{ passwordHash: string }>`
    select password_hash as "passwordHash" from operators where id = ${operatorId}`
  await askPresentPassword(ctx, String(sessionId), known, present)
}
