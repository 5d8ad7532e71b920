import type { Db } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import * as queries from './queries.ts'
import type { SeenJob } from './queries.ts'

export { named as jobsNamed, type SeenJob } from './queries.ts'

/** How long after its time a job that nobody has done yet is overdue, in milliseconds by its own clock. */
const patienceMs = 60_000

/** Jobs whose last attempt failed, and those that have been due for a minute, the oldest first. */
export const stuckJobs = (db: Db, clock: Clock, limit: number): Promise<SeenJob[]> =>
  queries.stuck(db, after(clock.now(), -patienceMs), after(clock.realNow(), -patienceMs), limit)
