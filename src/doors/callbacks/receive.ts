import type { Ctx } from '../../exchange/context.ts'
import { receiveReviews } from '../../exchange/customers/receive-reviews.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { receiveRailEvents, type ReportedEvent } from '../../exchange/settlement/rail-event.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/** What a rail or an identity provider sends us: its name, the text as it came, and the headers that prove its sender. */
export type Callback = { rail: string; body: string; headers: Record<string, string | undefined> }

/**
 * Takes callbacks of rails and identity providers inside a block: each is proven, translated, kept once and left to a job. No
 * business runs here. Refuses a name that we do not have, and a callback that its bearer did not send.
 */
export async function receiveCallbacks(ctx: Ctx, db: Atomic, callbacks: Callback[]): Promise<void> {
  const reviews: Parameters<typeof receiveReviews>[2] = []
  const facts: ReportedEvent[] = []
  for (const { rail: name, body, headers } of callbacks) {
    const rail = ctx.rails.deposit.get(name)
    const provider = ctx.identity.named(name)
    if (rail) facts.push({ ...rail.readCallback(body, headers), rail: name })
    else if (provider) reviews.push({ ...provider.readCallback(body, headers), provider: name })
    else throw new Refusal('NOT_FOUND', 'There is no such rail.')
  }
  if (facts.length > 0) await receiveRailEvents(ctx, db, facts)
  await receiveReviews(ctx, db, reviews)
}
