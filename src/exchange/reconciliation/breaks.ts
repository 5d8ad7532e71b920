import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import * as queries from './breaks.sql.ts'

/** Every break, the newest first, or only those that are open. At most a thousand. */
export const listBreaks = ({ db }: Pick<Ctx, 'db'>, options: { open: boolean }): Promise<queries.BreakRow[]> =>
  queries.listed(db, options)

/** One break. NOT_FOUND if there is none. */
export async function showBreak({ db }: Pick<Ctx, 'db'>, id: bigint): Promise<queries.BreakRow> {
  const [found] = await queries.byId(db, id)
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such break.')
  return found
}

/** Marks a break as explained or corrected, with the reason. It comes back if its amount changes. CONFLICT if it is not open. */
export async function resolveBreak(
  ctx: Ctx,
  id: bigint,
  { actor, reason }: { actor: string; reason: string },
): Promise<queries.BreakRow> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  const before = await showBreak(ctx, id)
  return ctx.db.atomic(async (db) => {
    const [resolved] = await queries.resolve(db, { id, actor, reason, at: ctx.clock.now() })
    if (!resolved) throw new Refusal('CONFLICT', `This break is ${before.state}.`)
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'break.resolved',
      subject: `break:${id}`,
      before: { state: before.state, amount: String(before.amount), asset: before.asset },
      after: { reason },
    })
    return resolved
  })
}
