import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { transition } from '../settlement/transition.ts'
import { type Hedge, hedges, type HedgeState } from './hedge.ts'
import * as queries from './hedges.sql.ts'
import { enqueueHedge } from './propose-hedges.ts'

/** A hedge after an approval: how many operators approved it, and how many must. */
export type ApprovedHedge = { id: bigint; approvals: number; needed: number; isApproved: boolean }

/** How many different people approve a hedge. */
export const approvalsNeeded = ({ config }: Pick<Ctx, 'config'>): number => (config.environment.twoOperators ? 2 : 1)

/**
 * One person's approval of a proposed hedge; the last one that is needed sends it. Audited. Refuses what waits for no approval, and a
 * second approval by the same person.
 */
export function approveHedge(ctx: Ctx, id: bigint, actor: string): Promise<ApprovedHedge> {
  return ctx.db.atomic(async (db) => {
    const hedge = await lock(db, id)
    if (hedge.state !== 'proposed') throw new Refusal('CONFLICT', `This hedge is ${hedge.state}.`)
    const at = ctx.clock.now()
    const isNew = (await queries.insertApproval(db, { hedgeId: id, operator: actor, at })).length > 0
    if (!isNew) throw new Refusal('CONFLICT', 'You have approved this hedge already: another operator must, too.')
    const approvals = await queries.countApprovals(db, id)
    const needed = approvalsNeeded(ctx)
    const isApproved = approvals >= needed
    if (isApproved) {
      transition(db, hedges, [{ id }], 'proposed', 'approved')
      enqueueHedge(ctx, db, id)
    }
    audit(ctx, db, hedge, { actor, action: 'hedge.approved', after: { approvals, needed } })
    return { id, approvals, needed, isApproved }
  })
}

/** Cancels a hedge that was not sent. Audited. */
export function cancelHedge(ctx: Ctx, id: bigint, { reason, actor }: { reason: string; actor: string }): Promise<void> {
  return ctx.db.atomic(async (db) => {
    const hedge = await lock(db, id)
    const { state } = hedge
    if (state !== 'proposed' && state !== 'approved') throw new Refusal('CONFLICT', `This hedge is ${state}.`)
    transition(db, hedges, [{ id, endedAt: ctx.clock.now(), outcome: reason }], state, 'canceled')
    audit(ctx, db, hedge, { actor, action: 'hedge.canceled', after: { reason } })
  })
}

/**
 * Ends a hedge that its venue has not shown for ten minutes, because a person has made sure there that the order does not exist and
 * never traded. Audited. Refuses a hedge that is not unknown, or not for long enough.
 */
export function resolveHedge(
  ctx: Ctx,
  id: bigint,
  { reason, actor }: { reason: string; actor: string },
): Promise<void> {
  return ctx.db.atomic(async (db) => {
    const hedge = await lock(db, id)
    if (hedge.state !== 'unknown') throw new Refusal('CONFLICT', `This hedge is ${hedge.state}, not unknown.`)
    const age = ctx.clock.realNow().getTime() - (hedge.sent_at?.getTime() ?? 0)
    if (age < patienceMs)
      throw new Refusal('CONFLICT', 'The order was sent less than ten minutes ago: wait for the venue.')
    transition(db, hedges, [{ id, endedAt: ctx.clock.realNow(), outcome: reason }], 'unknown', 'canceled')
    audit(ctx, db, hedge, { actor, action: 'hedge.resolved', after: { reason } })
  })
}

const patienceMs = 600_000

async function lock(db: Atomic, id: bigint): Promise<Hedge> {
  const hedge = await queries.lockHedge(db, id)
  if (!hedge) throw new Refusal('NOT_FOUND', 'There is no such hedge.')
  return hedge
}

const audit = (
  { clock }: Ctx,
  db: Atomic,
  { id, state }: Hedge,
  { actor, action, after }: { actor: string; action: string; after: Record<string, unknown> },
): void => recordAudit(db, { at: clock.now(), actor, action, subject: `hedge:${id}`, before: { state }, after })

/** The states in which a hedge may still change. */
export const openStates: readonly HedgeState[] = ['proposed', 'approved', 'sent', 'partly_filled', 'unknown']

/** How many hedges are in each state in which they may still change; a state without any is left out. */
export const countHedges = async ({ db }: Pick<Ctx, 'db'>): Promise<Map<HedgeState, number>> =>
  new Map((await queries.hedgeCounts(db)).map(({ state, count }) => [state, count]))

/** A hedge and who approved it. */
export type ListedHedge = Hedge & { approved_by: string[] }

/** The newest hedges, or only those that have not ended. */
export const listHedges = ({ db }: Pick<Ctx, 'db'>, open: boolean): Promise<ListedHedge[]> =>
  queries.listHedges(db, { open, limit: 200 })
