import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { checkUrl } from './check-url.ts'
import type { Endpoint } from './endpoint.ts'
import { audited, lockEndpoint, type Named, recordChange } from './manage-endpoints.ts'
import * as queries from './queries.ts'
import { byIndex } from './replays/queries.ts'
import { wakeWaiting } from './waking/queries.ts'
import { readPerSecond, readTypes } from './wishes.ts'

/** What changes of an endpoint; what is left out stays. */
export type Change = {
  url?: string | undefined
  types?: readonly string[] | undefined
  /** `paused` keeps what comes for later; `active` takes it out of every other state, and its health begins anew. */
  status?: 'active' | 'paused' | undefined
  perSecond?: number | null | undefined
  isOrdered?: boolean | undefined
}

/**
 * Changes an endpoint; in every process within two seconds. What is under way already ends as it began. At another URL, and when
 * it is made active again, its health begins anew and what waits for a later time is due now. Refuses what `addEndpoint`
 * refuses, one that is not there, or not this partner's (NOT_FOUND), and nothing to change (BAD_REQUEST).
 */
export async function changeEndpoint(ctx: Ctx, named: Named, change: Change, actor: string): Promise<Endpoint> {
  const wanted = {
    ...(change.types === undefined ? {} : { types: readTypes(change.types) }),
    ...(change.perSecond === undefined ? {} : { perSecond: readPerSecond(change.perSecond) }),
    ...(change.isOrdered === undefined ? {} : { isOrdered: change.isOrdered }),
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.url === undefined ? {} : { url: await checkUrl(ctx, change.url) }),
  }
  if (Object.keys(wanted).length === 0) throw new Refusal('BAD_REQUEST', 'Nothing to change was named.')
  return ctx.db.atomic(async (db) => {
    const { secret: _secret, ...before } = await lockEndpoint(db, named)
    const isElsewhere = wanted.url !== undefined && wanted.url !== before.url
    const begins = isElsewhere || wanted.status !== undefined
    const status = isElsewhere && before.status === 'failing' ? 'active' : before.status
    const after = { ...before, status, ...wanted, ...(begins ? { failingSince: null } : {}) }
    if (isElsewhere || wanted.status === 'active') await wakeAll(ctx, db, before.id)
    queries.saveEndpoint(db, after)
    const { partner_id: _same, ...rest } = audited(before)
    recordChange(ctx, db, { actor, action: 'endpoint.changed', id: before.id, before: rest, after: audited(after) })
    return after
  })
}

/** Has what waits be due now, as much of it as a success would; the rest follows the first success. */
async function wakeAll({ clock }: Ctx, db: Atomic, id: bigint): Promise<void> {
  byIndex(db)
  await wakeWaiting(db, [id], clock.now())
}
