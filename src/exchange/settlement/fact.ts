import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import * as queries from './deposits.sql.ts'
import { type ReportedEvent, stored } from './stored-event.ts'

export type { MatchedRow as MatchedFact } from './deposits.sql.ts'

/** The job that settles what a rail has told. Its key is our id of the fact. */
export const factReceived = 'fact.received'

/**
 * Keeps what rails told, once per fact, and leaves the work to a job: nothing of the business happens here. A fact told
 * again is kept once and makes no second job.
 */
export async function receiveFacts({ queue, clock }: Ctx, db: Atomic, events: ReportedEvent[]): Promise<void> {
  const fresh = await queries.insertFacts(db, events.map(stored), clock.now())
  queue.enqueue(
    db,
    fresh.map(({ id }) => ({ kind: factReceived, key: String(id), runAt: clock.now() })),
  )
}

export { matchFacts } from './deposits.sql.ts'
