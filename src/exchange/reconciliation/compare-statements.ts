import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { reconcileStatements } from './reconcile.ts'

/**
 * The job that compares statements after a file of a bank has come, or what it says was withdrawn; its key begins with the file. Each time
 * is a job: one that is running may have read the statements already.
 */
export const bankFileTaken = 'bank_file.taken'

export const enqueueComparison = ({ queue, clock }: Ctx, db: Atomic, file: { id: bigint }): void =>
  queue.enqueue(db, [{ kind: bankFileTaken, key: `${file.id} ${randomToken(6)}`, runAt: clock.now() }])

/** Compares statements once for all files that have come meanwhile. */
export const compareStatements = (ctx: Ctx): Handler => ({
  batch: 100,
  concurrency: 1,
  run: async (jobs) => {
    await reconcileStatements(ctx)
    await ctx.queue.finish(jobs, () => Promise.resolve())
  },
})
