import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import type { Db } from '../../platform/db/sql.ts'
import { whyGapStays } from '../../rails/iso20022/booking/gap.ts'
import { whyContradictionStays } from '../settlement/contradicted.ts'
import * as queries from './breaks.sql.ts'

/** Every break, the newest first, or only those that are open. At most a thousand. */
export const listBreaks = ({ db }: Pick<Ctx, 'db'>, options: { open: boolean }): Promise<queries.BreakRow[]> =>
  queries.listed(db, options)

/** One break. NOT_FOUND if there is none. */
export async function showBreak({ db }: { db: Db }, id: bigint): Promise<queries.BreakRow> {
  const [found] = await queries.byId(db, id)
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such break.')
  return found
}

/** Why a break cannot be resolved; undefined: one person can. */
export async function whyNotResolved(
  { db }: Pick<Ctx, 'db'>,
  { state, kind, account, key }: Pick<queries.BreakRow, 'state' | 'kind' | 'account' | 'key'>,
): Promise<string | undefined> {
  if (state !== 'open') return `This break is ${state}.`
  if (kind !== 'statement') return undefined
  const of = { rail: account, key }
  return (await whyGapStays(db, of)) ?? whyContradictionStays(db, of)
}

/** Marks a break as explained or corrected, with the reason. It comes back if its amount changes. CONFLICT if it is not open, or about a gap. */
export async function resolveBreak(
  ctx: Ctx,
  id: bigint,
  { actor, reason }: { actor: string; reason: string },
): Promise<queries.BreakRow> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const before = await showBreak(ctx, id)
  refuseNow(await whyNotResolved(ctx, before))
  return ctx.db.atomic(async (db) => {
    const [resolved] = await queries.resolve(db, { id, actor, reason, at: ctx.clock.now() })
    if (!resolved) throw new Refusal('CONFLICT', 'This break has ended.')
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
