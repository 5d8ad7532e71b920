import type { Database, Db } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import { detach } from '../lib/detach.ts'
import { randomToken } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import * as queries from './queries.ts'

const role = 'worker'
const everyMs = 5_000
const goodForMs = 15_000

/**
 * Says every few seconds that this process does jobs, for the first time before it resolves. Each such process says it for itself,
 * so that one that begins, ends or is killed leaves no gap in the words of the others.
 */
export async function sayAlive({
  db,
  clock,
  log,
}: {
  db: Database
  clock: Clock
  log: Log
}): Promise<{ stop(): Promise<void> }> {
  const holder = randomToken(9)

  async function say(): Promise<void> {
    const now = clock.realNow()
    try {
      await queries.sayPresent(db, { role, holder, now, until: after(now, goodForMs) })
    } catch (error) {
      log.warn({ err: error }, 'That jobs are done here could not be said; trying again.')
    }
  }
  const timer = setInterval(() => detach(say()), everyMs)
  await say()
  return {
    stop: async () => {
      clearInterval(timer)
      await queries
        .sayGone(db, role, holder)
        .catch((error: unknown) => log.warn({ err: error }, 'That jobs are done here no more could not be said.'))
    },
  }
}

/** Whether some process does jobs. One that was killed counts for fifteen seconds more. */
export const isWorkerAlive = ({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> =>
  queries.isAnyPresent(db, role, clock.realNow())
