import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { ReviewFact } from '../../identity/provider.ts'
import { applicantHash } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { reviewDue } from './look-at-reviews.ts'

/**
 * Keeps what identity providers told, once per fact, and leaves the work to a job: the provider is asked then how things
 * stand, for callbacks come late, twice and in any order. What moves nothing is kept and makes no job.
 */
export async function receiveReviews(ctx: Ctx, db: Atomic, told: (ReviewFact & { provider: string })[]): Promise<void> {
  if (told.length === 0) return
  const receivedAt = ctx.clock.realNow()
  const facts = told.map(({ applicantId, ...fact }) => ({
    ...fact,
    applicantHash: applicantHash(ctx, fact.provider, applicantId),
    receivedAt,
  }))
  const fresh = await imports.insertFacts(db, facts)
  ctx.queue.enqueue(
    db,
    fresh
      .filter(({ kind }) => kind !== 'other')
      .map(({ id }) => ({ kind: reviewDue, key: `fact:${id}`, runAt: receivedAt, timebase: 'real' as const })),
  )
}
