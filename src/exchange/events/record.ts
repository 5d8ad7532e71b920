import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { bodyOf, bodyPlace, type NewEvent } from './event.ts'
import { packBody } from './pack-body.ts'
import * as queries from './queries.ts'

/**
 * Writes events in the atomic block of the change that they report, with one statement that is not awaited: they commit
 * with the change or not at all, and the relay is woken once they have.
 */
export function recordEvents({ wakeRelay }: Pick<Ctx, 'wakeRelay'>, db: Atomic, events: NewEvent[]): void {
  if (events.length === 0) return
  queries.insert(
    db,
    events.map((event) => ({
      stream: event.stream,
      sequence: event.sequence,
      partnerId: event.partnerId,
      type: event.type,
      at: event.at,
      dataKeyId: event.dataKey.id,
      body: event.dataKey.sealBytes(packBody(bodyOf(event, event.payload)), bodyPlace(event)),
    })),
  )
  db.afterCommit(wakeRelay)
}
