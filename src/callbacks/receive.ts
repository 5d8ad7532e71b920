import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { receiveFacts } from '../deposits/fact.ts'
import { Refusal } from '../lib/refusal.ts'

/** What a rail sends us: its name, the text as it came, and the headers that prove its sender. */
export type Callback = { rail: string; body: string; headers: Record<string, string | undefined> }

/**
 * Takes callbacks of rails inside a block: each is proven, translated, kept once and left to a job. No business runs here.
 * Refuses a rail that we do not have, and a callback that its rail did not send.
 */
export async function receiveCallbacks(ctx: Ctx, db: Atomic, callbacks: Callback[]): Promise<void> {
  const facts = callbacks.map(({ rail: name, body, headers }) => {
    const rail = ctx.rails.deposit.get(name)
    if (!rail) throw new Refusal('NOT_FOUND', 'There is no such rail.')
    return { ...rail.readCallback(body, headers), rail: name }
  })
  await receiveFacts(ctx, db, facts)
}
