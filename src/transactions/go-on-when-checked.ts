import type { Ctx } from '../context.ts'
import type { Handler } from '../jobs/job.ts'
import { Refusal } from '../lib/refusal.ts'
import { ErasedPerson } from '../privacy/data-key.ts'
import { amend } from './advance.ts'
import * as queries from './checked/queries.ts'
import { completeDetails } from './checkout.ts'
import { waitsForIdentity } from './identity-step.ts'
import { lockTransaction } from './load.ts'

/**
 * Looks again at orders that wait for somebody's identity, once that person stands otherwise: they go on, end, or wait on. The pages
 * that show them see in each case that something has changed. The job's key begins with the id of the partner's customer.
 */
export const goOnWhenChecked = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 2,
  run: async (jobs) => {
    for (const { key } of jobs) {
      const waiting = await queries.waitingFor(ctx.db, BigInt(key.split(':')[0] ?? key))
      for (const { publicId } of waiting) await lookAgain(ctx, publicId)
    }
    await ctx.queue.finish(jobs, () => Promise.resolve())
  },
})

async function lookAgain(ctx: Ctx, publicId: bigint): Promise<void> {
  try {
    await ctx.db.atomic(async (db) => {
      const transaction = await lockTransaction(ctx, db, publicId)
      if (transaction && waitsForIdentity(transaction)) await completeDetails(ctx, db, transaction, {})
    })
  } catch (error) {
    if (error instanceof ErasedPerson) return
    if (!(error instanceof Refusal)) throw error
    // Beyond the limits even so, or no longer served: it waits on, and its page says how it stands.
    await ctx.db.atomic(async (db) => {
      const transaction = await lockTransaction(ctx, db, publicId)
      if (transaction && waitsForIdentity(transaction)) amend(ctx, db, transaction, {})
    })
  }
}
