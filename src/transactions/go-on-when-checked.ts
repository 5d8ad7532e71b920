import type { Ctx } from '../context.ts'
import type { Handler } from '../jobs/job.ts'
import { Refusal } from '../lib/refusal.ts'
import { ErasedPerson } from '../privacy/data-key.ts'
import { amend } from './advance.ts'
import * as queries from './checked/queries.ts'
import { completeDetails } from './checkout.ts'
import { waitsForIdentity } from './identity-step.ts'
import { lockTransaction } from './load.ts'
import { tellOfReview } from './review-letter.ts'

/**
 * Looks again at orders that wait for somebody's identity, once that person stands otherwise: they go on, end, or wait on. The pages
 * that show them see in each case that something has changed. The job's key begins with the id of the partner's customer, and ends with
 * how they stood before.
 */
export const goOnWhenChecked = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    for (const { key } of jobs) {
      const [id = key, , before] = key.split(':')
      const waiting = await queries.waitingFor(ctx.db, BigInt(id))
      for (const { publicId } of waiting) await lookAgain(ctx, publicId, before === 'in_review')
    }
    await ctx.queue.finish(jobs, () => Promise.resolve())
  },
})

/** Whoever waited while a person looked has been told that the page may be closed, and gets a letter. */
async function lookAgain(ctx: Ctx, publicId: bigint, wasReviewed: boolean): Promise<void> {
  try {
    await ctx.db.atomic(async (db) => {
      const transaction = await lockTransaction(ctx, db, publicId)
      if (!transaction || !waitsForIdentity(transaction)) return
      const moved = await completeDetails(ctx, db, transaction, {})
      if (wasReviewed) await tellOfReview(ctx, db, moved)
    })
  } catch (error) {
    if (error instanceof ErasedPerson) return
    if (!(error instanceof Refusal)) throw error
    // Beyond the limits even so, or no longer served: it waits on, and its page says how it stands.
    await ctx.db.atomic(async (db) => {
      const transaction = await lockTransaction(ctx, db, publicId)
      if (!transaction || !waitsForIdentity(transaction)) return
      amend(ctx, db, transaction, {})
      if (wasReviewed) await tellOfReview(ctx, db, transaction)
    })
  }
}
