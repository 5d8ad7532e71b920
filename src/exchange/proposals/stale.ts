import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Ctx } from '../context.ts'
import { lockPolicies } from '../policies/policies.sql.ts'
import type { ProposalRow } from './proposals.sql.ts'

type Draft = Pick<ProposalRow, 'kind' | 'partnerId' | 'effectiveAt' | 'basedOn'>

/**
 * Two changes of one version would undo each other: the second one is made again, from the version that came in between. A version that is
 * approved for later was made from what holds until then, so a change takes effect after it, or in its place.
 */
export function refuseStale({ policies }: Ctx, { kind, partnerId, effectiveAt, basedOn }: Draft): void {
  const { version } = policies.at(effectiveAt, kind, partnerId ?? undefined)
  const later = policies.next(effectiveAt, kind, partnerId)
  const reason =
    basedOn !== null && basedOn !== version
      ? `It was drafted on version ${basedOn}, and version ${version} holds then. Make the change again from it.`
      : later &&
        `Version ${later.version}, approved for ${later.effectiveAt.toISOString()}, would undo it. Let it take effect after that one, or reject that one first.`
  if (reason) throw new Refusal('CONFLICT', reason, [{ path: 'based_on', code: 'STALE_PROPOSAL', message: reason }])
}

/** The same, with the versions that are approved in the database, at its time or now where that is over. */
export async function refuseIfStale(ctx: Ctx, db: Atomic, row: Draft): Promise<void> {
  await reloadLocked(ctx, db)
  const now = ctx.clock.now()
  refuseStale(ctx, { ...row, effectiveAt: row.effectiveAt > now ? row.effectiveAt : now })
}

/** Reads what is approved; nobody changes it until the block ends. */
export function reloadLocked({ policies }: Ctx, db: Atomic): Promise<void> {
  lockPolicies(db)
  return policies.reload(db)
}
