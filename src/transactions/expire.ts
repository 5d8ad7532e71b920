import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import { moneySeen } from '../deposits/deposit.ts'
import type { Handler, Job } from '../jobs/job.ts'
import type { Again } from '../jobs/queue.ts'
import { advance, type Step } from './advance.ts'
import { open } from './lifecycle.ts'
import { lockTransactions } from './load.ts'

/** Ends transactions whose deadline has passed, as long as no money has been seen. */
export const expireTransactions = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) => ctx.queue.revisit(jobs, (db, held) => expire(ctx, db, held)),
})

async function expire(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<Map<bigint, Again>> {
  const transactions = await lockTransactions(ctx, db, jobs.map(({ key }) => BigInt(key)))
  const now = ctx.clock.now()
  const again = new Map<bigint, Again>()
  const steps: Step[] = []
  for (const job of jobs) {
    const transaction = transactions.get(BigInt(job.key))
    if (!transaction || !open.has(transaction.status)) continue
    if (transaction.expiresAt > now) again.set(job.id, { at: transaction.expiresAt, timebase: 'business' })
    else if (!(await moneySeen(db, transaction.id))) {
      steps.push({ transaction, fact: 'deadline', to: 'expired', reason: 'The time to pay has passed.' })
    }
  }
  await advance(ctx, db, steps)
  return again
}
