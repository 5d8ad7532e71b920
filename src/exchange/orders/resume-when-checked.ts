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
 * Re-evaluates orders that wait for an identity check once the customer's status has changed: they continue, end, or keep waiting,
 * and their pages update. The job's key is the partner customer's id, the number of the change, and the previous status. A job that
 * runs after a later change leaves the work to that change's own job, since only that one knows whether there was a manual review.
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

/** A change of a partner customer's status, by its number, and whether it ended a manual review. */
type StandingChange = { id: bigint; changes: bigint; wasReviewed: boolean }

/** After a manual review the customer gets an e-mail, because the page said that it may be closed. */
async function lookAgain(ctx: Ctx, publicId: bigint, change: StandingChange): Promise<void> {
  const { wasReviewed } = change
  try {
    await ctx.db.atomic(async (db) => {
      const transaction = await lockWaiting(ctx, db, publicId, change)
      if (!transaction) return
      const moved = await completeDetails(ctx, db, transaction, {}, undefined)
      if (wasReviewed) await tellOfReview(ctx, db, moved)
    })
  } catch (error) {
    if (error instanceof ErasedPerson) return
    if (!(error instanceof Refusal)) throw error
    // Still above the limits, or no longer served: the order keeps waiting, and its page shows why.
    await ctx.db.atomic(async (db) => {
      const transaction = await lockWaiting(ctx, db, publicId, change)
      if (!transaction) return
      amend(ctx, db, transaction, {})
      if (wasReviewed) await tellOfReview(ctx, db, transaction)
    })
  }
}

/** Locks an order that still waits, and the customer's status; undefined once the status has changed again. */
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
