import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { moneySeen } from './deposit.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { advance, type Step } from '../transactions/advance.ts'
import { transactionOfDeadline } from '../transactions/deadline.ts'
import { askRails } from './ask-rails.ts'
import { open } from '../transactions/lifecycle.ts'
import { lockTransactions } from '../transactions/load.ts'

/** Ends transactions whose deadline has passed, as long as no money has been seen. The rail is asked first. */
export const expireTransactions = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: async (jobs) => {
    for (const { key } of jobs) await askRails(ctx, transactionOfDeadline(key))
    await ctx.queue.revisit(jobs, (db, held) => expire(ctx, db, held))
  },
})

/** Money that was seen ends the wait for the deadline, unless it never becomes final: then it is looked at again. */
const lookAgainMs = 10_000

async function expire(ctx: Ctx, db: Atomic, jobs: Job[]): Promise<Map<bigint, Again>> {
  const transactions = await lockTransactions(
    ctx,
    db,
    jobs.map(({ key }) => transactionOfDeadline(key)),
  )
  const now = ctx.clock.now()
  const again = new Map<bigint, Again>()
  const steps: Step[] = []
  for (const job of jobs) {
    const transaction = transactions.get(transactionOfDeadline(job.key))
    if (!transaction || !open.has(transaction.status)) continue
    if (transaction.expiresAt > now) again.set(job.id, { at: transaction.expiresAt, timebase: 'business' })
    else if (await moneySeen(db, transaction.id)) {
      again.set(job.id, { at: after(ctx.clock.realNow(), lookAgainMs), timebase: 'real' })
    } else {
      steps.push({
        transaction,
        cause: { kind: 'deadline_passed' },
        to: 'expired',
        reason: 'The time to pay has passed.',
      })
    }
  }
  await advance(ctx, db, steps)
  return again
}
