import type { Ctx } from '../context.ts'
import type { Partner } from './partner.ts'
import * as queries from './partners.sql.ts'

/** One map an exchange: its contexts, also those bound to a block, share their row ids. */
const known = new WeakMap<Ctx['rowIds'], Map<bigint, Partner>>()

/**
 * The partner accounts with these ids, as this process knows them. An account is read once and kept until `forgetPartners`,
 * so that looking one up costs no database round trip.
 */
export async function findPartners(ctx: Ctx, ids: bigint[]): Promise<Map<bigint, Partner>> {
  const kept = known.get(ctx.rowIds) ?? new Map<bigint, Partner>()
  known.set(ctx.rowIds, kept)
  const found = new Map<bigint, Partner>()
  for (const id of ids) {
    const partner = found.get(id) ?? kept.get(id) ?? (await queries.partner(ctx.db, id))
    if (!partner) continue
    found.set(id, partner)
    if (known.get(ctx.rowIds) === kept) kept.set(id, partner)
  }
  return found
}

/** To be called when `service_state.version` has risen: every account is read afresh. */
export function forgetPartners(ctx: Ctx): void {
  known.set(ctx.rowIds, new Map())
}
