import type { Db } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import type { Timebase } from './job.ts'

/** A job as it is shown. `lastError` stays until the job ends, so only `attempts` shows whether the last attempt failed. */
export type SeenJob = {
  kind: string
  key: string
  timebase: Timebase
  attempts: number
  runAt: Date
  lastError: string | null
}

/** A job is overdue when it has been due for so long by its own clock. */
const overdueMs = 60_000

/** Jobs whose last attempt failed, and overdue ones, the oldest first. Three looks, each by its index: most jobs are due later. */
export const stuckJobs = (db: Db, clock: Clock, limit: number): Promise<SeenJob[]> =>
  db.sql`
    with stuck as (
      (select * from jobs where attempts > 0 order by run_at, id limit ${limit})
      union
      (select * from jobs where timebase = 'business' and run_at < ${after(clock.now(), -overdueMs)} order by run_at, id limit ${limit})
      union
      (select * from jobs where timebase = 'real' and run_at < ${after(clock.realNow(), -overdueMs)} order by run_at, id limit ${limit}))
    select kind, key, timebase, attempts, run_at as "runAt", last_error as "lastError" from stuck order by run_at, id limit ${limit}`

/** Those of these jobs that are not done, in the order in which they are due. */
export const jobsNamed = (db: Db, jobs: { kind: string; key: string }[]): Promise<SeenJob[]> =>
  db.sql`
    select jobs.kind, jobs.key, timebase, attempts, run_at as "runAt", last_error as "lastError"
    from jobs join unnest(${jobs.map((job) => job.kind)}::text[], ${jobs.map((job) => job.key)}::text[]) as wanted (kind, key)
      on wanted.kind = jobs.kind and wanted.key = jobs.key
    order by run_at, id`
