import type { Ctx } from '../context.ts'
import { Refusal } from '../lib/refusal.ts'
import { checkUrl } from './check-url.ts'
import type { Endpoint } from './endpoint.ts'
import { audited, lockEndpoint, type Named, recordChange } from './manage-endpoints.ts'
import * as queries from './queries.ts'
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
 * Changes an endpoint; in every process within two seconds. What is under way already ends as it began. Refuses what
 * `addEndpoint` refuses, one that is not there, or not this partner's (NOT_FOUND), and nothing to change (BAD_REQUEST).
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
    const after = { ...before, ...wanted, ...(change.status === undefined ? {} : { failingSince: null }) }
    queries.saveEndpoint(db, after)
    const { partner_id: _same, ...rest } = audited(before)
    recordChange(ctx, db, { actor, action: 'endpoint.changed', id: before.id, before: rest, after: audited(after) })
    return after
  })
}
