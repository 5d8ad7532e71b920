import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { ReviewFact } from '../../identity/provider.ts'
import { applicantHash } from './imported.ts'
import * as imports from './import-identity.sql.ts'
import { reviewDue } from './look-at-reviews.ts'

/**
 * Stores callbacks of identity providers, once each, and enqueues a job that asks the provider for the current status, because
 * callbacks come late, twice and in any order. Callbacks without a change get no job.
 */
export async function receiveReviews(
  ctx: Ctx,
  db: Atomic,
  reports: (ReviewFact & { provider: string })[],
): Promise<void> {
  if (reports.length === 0) return
  const receivedAt = ctx.clock.realNow()
  const facts = reports.map(({ applicantId, ...fact }) => ({
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
