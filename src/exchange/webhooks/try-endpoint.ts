import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { eventId } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { lockEndpoint, type Named } from './manage-endpoints.ts'
import * as queries from './queries.ts'

/**
 * Sends an endpoint a test, `endpoint.test`, whatever types it wants: a real event, signed and tried like every other one.
 * Gives its id, under which its attempts are found. Refuses a paused or disabled endpoint (CONFLICT), and one that is not there.
 */
export async function tryEndpoint(ctx: Ctx, db: Atomic, named: Named): Promise<string> {
  const { id, partnerId, url, status } = await lockEndpoint(db, named)
  if (status === 'paused' || status === 'disabled') {
    throw new Refusal('CONFLICT', `This endpoint is ${status}: make it active first.`)
  }
  const sequence = await queries.countEvent(db, id)
  const payload = { id: String(id), url, status }
  const about = { stream: id, sequence, partnerId, type: 'endpoint.test' as const, at: ctx.clock.now() }
  recordEvents(ctx, db, [{ ...about, dataKey: await ctx.keyring.make(db), payload }])
  return eventId(about)
}
