import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { approve, type Approver, approversOfAll } from '../approvals/approve.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import { transition } from '../settlement/transition.ts'
import { type Hedge, hedges, type HedgeState } from './hedge.ts'
import { approvalsNeeded, automatically, hedgeContent } from './hedge-content.ts'
import * as queries from './hedges.sql.ts'
import { enqueueHedge } from './propose-hedges.ts'

/** A hedge after an approval: how many operators approved it, and how many must. */
export type ApprovedHedge = { id: bigint; approvals: number; needed: number; isApproved: boolean }

/**
 * One person's approval of a proposed hedge; the last one that is needed sends it. Audited. Refuses what waits for no approval, and a
 * second approval by the same person.
 */
export function approveHedge(ctx: Ctx, id: bigint, approver: Approver): Promise<ApprovedHedge> {
  return ctx.db.atomic(async (db) => {
    const hedge = await lock(db, id)
    refuseNow(whyNotApproved(hedge))
    const approvals = (await approve(ctx, db, hedgeContent(hedge), approver)).length
    const needed = approvalsNeeded(ctx)
    const isApproved = approvals >= needed
    if (isApproved) {
      transition(db, hedges, [{ id }], 'proposed', 'approved')
      enqueueHedge(ctx, db, id)
    }
    audit(ctx, db, hedge, { actor: approver.actor, action: 'hedge.approved', after: { approvals, needed } })
    return { id, approvals, needed, isApproved }
  })
}

/** Cancels a hedge that was not sent. Audited. */
export function cancelHedge(ctx: Ctx, id: bigint, { reason, actor }: { reason: string; actor: string }): Promise<void> {
  return ctx.db.atomic(async (db) => {
    const hedge = await lock(db, id)
    const { state } = hedge
    refuseNow(whyNotCanceled(hedge))
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
    refuseNow(whyNotResolved(ctx, hedge))
    transition(db, hedges, [{ id, endedAt: ctx.clock.realNow(), outcome: reason }], 'unknown', 'canceled')
    audit(ctx, db, hedge, { actor, action: 'hedge.resolved', after: { reason } })
  })
}

const patienceMs = 600_000

/** Why a hedge cannot be approved; undefined: it can. */
export const whyNotApproved = ({ state }: Hedge): string | undefined =>
  state === 'proposed' ? undefined : `This hedge is ${state}.`

/** Why a hedge cannot be canceled; undefined: it can. */
export const whyNotCanceled = ({ state }: Hedge): string | undefined =>
  state === 'proposed' || state === 'approved' ? undefined : `This hedge is ${state}.`

/** Why a person cannot end a hedge; undefined: it can be done. */
export function whyNotResolved({ clock }: Pick<Ctx, 'clock'>, { state, sent_at: sentAt }: Hedge): string | undefined {
  if (state !== 'unknown') return `This hedge is ${state}, not unknown.`
  const age = clock.realNow().getTime() - (sentAt?.getTime() ?? 0)
  return age < patienceMs ? 'The order was sent less than ten minutes ago: wait for the venue.' : undefined
}

async function lock(db: Atomic, id: bigint): Promise<Hedge> {
  const hedge = await queries.lockHedge(db, id)
  if (!hedge) throw new Refusal('NOT_FOUND', 'There is no such hedge.')
  return hedge
}

const audit = (
  { clock }: Ctx,
  db: Atomic,
  { id, state }: Hedge,
  { actor, action, after }: { actor: string; action: AuditAction; after: Record<string, unknown> },
): void => recordAudit(db, { at: clock.now(), actor, action, subject: `hedge:${id}`, before: { state }, after })

/** The states in which a hedge may still change. */
export const openStates: readonly HedgeState[] = ['proposed', 'approved', 'sent', 'partly_filled', 'unknown']

/** How many hedges are in each state in which they may still change; a state without any is left out. */
export const countHedges = async ({ db }: Pick<Ctx, 'db'>): Promise<Map<HedgeState, number>> =>
  new Map((await queries.hedgeCounts(db)).map(({ state, count }) => [state, count]))

/** A hedge and who approved it. */
export type ListedHedge = Hedge & { approved_by: string[] }

type Approving = Pick<Ctx, 'db' | 'secrets' | 'config' | 'clock'>

/** The newest hedges, or only those that have not ended. */
export const listHedges = async (ctx: Approving, open: boolean): Promise<ListedHedge[]> =>
  listed(ctx, await queries.listHedges(ctx.db, { open, limit: open ? 1_000 : 200 }))

/** The hedge with an id; undefined for an unknown one. */
export const findHedge = async (ctx: Approving, id: bigint): Promise<ListedHedge | undefined> =>
  (await listed(ctx, await queries.listHedges(ctx.db, { id, limit: 1 })))[0]

async function listed(ctx: Approving, rows: readonly Hedge[]): Promise<ListedHedge[]> {
  const approved = await approversOfAll(ctx, ctx.db, rows.map(hedgeContent))
  return rows.map((row) => {
    const by = (approved.get(String(row.id)) ?? []).filter((approver) => approver !== automatically)
    return { ...row, approved_by: by }
  })
}
