import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import { reconcileStatements } from './reconcile.ts'

/** The job that compares statements after a file of a bank has come; its key is the file. */
export const bankFileTaken = 'bank_file.taken'

export const enqueueComparison = ({ queue, clock }: Ctx, db: Atomic, file: { id: bigint }): void =>
  queue.enqueue(db, [{ kind: bankFileTaken, key: String(file.id), runAt: clock.now() }])

/** Compares statements once for all files that have come meanwhile. */
export const compareStatements = (ctx: Ctx): Handler => ({
  batch: 100,
  concurrency: 1,
  run: async (jobs) => {
    await reconcileStatements(ctx)
    await ctx.queue.finish(jobs, () => Promise.resolve())
  },
})
