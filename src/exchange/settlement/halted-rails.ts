import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/** A rail on which nothing is credited, since when, and why: money that was final was reversed there. */
export type HaltedRail = { rail: string; since: Date; reason: string }

/** Stops crediting on a rail, from the caller's block on. A rail that is halted already stays as it is. */
export const haltRail = (db: Atomic, { rail, since, reason }: HaltedRail): void =>
  db.send`
    insert into halted_rails (rail, since, reason) values (${rail}, ${since}, ${reason}) on conflict (rail) do nothing`

/** The rails that are halted, the longest first. */
export const haltedRails = (db: Db): Promise<HaltedRail[]> =>
  db.sql`select rail, since, reason from halted_rails order by since, rail`

/**
 * Credits on a rail again: events that waited are settled soon. Audited. Refuses a rail that is not halted (CONFLICT) and an
 * empty reason.
 */
export async function resumeRail(
  ctx: Ctx,
  rail: string,
  { reason, actor }: { reason: string; actor: string },
): Promise<void> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const [was] = await db.sql<HaltedRail>`
      delete from halted_rails where rail = ${rail} returning rail, since, reason`
    if (!was) throw new Refusal('CONFLICT', `The rail ${rail} is not halted.`)
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'rail.resumed',
      subject: `rail:${rail}`,
      before: { since: was.since.toISOString(), why: was.reason },
      after: { reason },
    })
  })
  ctx.queue.wake()
}
