import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './deposits.sql.ts'

/** A rail on which nothing is credited: money that was final was taken back there. */
export type HaltedRail = queries.HaltedRow

/** Stops crediting on a rail, from the caller's block on. A rail that has stopped already stays as it is. */
export const haltRail = (db: Atomic, halted: HaltedRail): void => queries.insertHalted(db, halted)

/** The rails that have stopped, the longest first. */
export const haltedRails = (db: Db): Promise<HaltedRail[]> => queries.halted(db)

/**
 * Credits on a rail again: facts that waited are settled soon. Audited. Refuses a rail that has not stopped (CONFLICT) and an
 * empty reason.
 */
export async function resumeRail(
  ctx: Ctx,
  rail: string,
  { reason, actor }: { reason: string; actor: string },
): Promise<void> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const [was] = await queries.removeHalted(db, rail)
    if (!was) throw new Refusal('CONFLICT', `The rail ${rail} has not stopped.`)
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
