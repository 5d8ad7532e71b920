import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ErasedPerson } from '../../platform/privacy/data-key.ts'
import { amend } from '../transactions/advance.ts'
import * as queries from './waiting-for-identity.sql.ts'
import { completeDetails } from './checkout.ts'
import { waitsForIdentity } from './identity.ts'
import { lockTransaction } from '../transactions/load.ts'
import { tellOfReview } from './review-email.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * Looks again at orders that wait for somebody's identity, once that person stands otherwise: they go on, end, or wait on. The pages
 * that show them see in each case that something has changed. The job's key is the id of the partner's customer, the number of the
 * change, and how they stood before it. A job that comes after a later change leaves everything to that change's own: only that one
 * knows whether a person had looked.
 */
export const resumeWhenChecked = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    for (const { key } of jobs) {
      const [id = '', changes = '', before] = key.split(':')
      const change = { id: BigInt(id), changes: BigInt(changes), wasReviewed: before === 'in_review' }
      const waiting = await queries.waitingFor(ctx.db, change.id)
      for (const { publicId } of waiting) await lookAgain(ctx, publicId, change)
    }
    await ctx.queue.finish(jobs, () => Promise.resolve())
  },
})

/** The change of how a partner's customer stands, by its number, and whether a person had looked at their documents before it. */
type StandingChange = { id: bigint; changes: bigint; wasReviewed: boolean }

/** Whoever waited while a person looked has been told that the page may be closed, and gets a letter. */
async function lookAgain(ctx: Ctx, publicId: bigint, change: StandingChange): Promise<void> {
  const { wasReviewed } = change
  try {
    await ctx.db.atomic(async (db) => {
      const transaction = await lockWaiting(ctx, db, publicId, change)
      if (!transaction) return
      const moved = await completeDetails(ctx, db, transaction, {})
      if (wasReviewed) await tellOfReview(ctx, db, moved)
    })
  } catch (error) {
    if (error instanceof ErasedPerson) return
    if (!(error instanceof Refusal)) throw error
    // Beyond the limits even so, or no longer served: it waits on, and its page says how it stands.
    await ctx.db.atomic(async (db) => {
      const transaction = await lockWaiting(ctx, db, publicId, change)
      if (!transaction) return
      amend(ctx, db, transaction, {})
      if (wasReviewed) await tellOfReview(ctx, db, transaction)
    })
  }
}

/** The order, as long as it still waits, and the customer kept as they stand; undefined once they stand otherwise again. */
async function lockWaiting(
  ctx: Ctx,
  db: Atomic,
  publicId: bigint,
  { id, changes }: StandingChange,
): Promise<Transaction | undefined> {
  const transaction = await lockTransaction(ctx, db, publicId)
  if (!transaction || !waitsForIdentity(transaction)) return undefined
  const stillSo = await queries.lockStanding(db, id, changes)
  return stillSo.length > 0 ? transaction : undefined
}
