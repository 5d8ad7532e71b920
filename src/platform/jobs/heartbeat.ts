import type { Database, Db } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import { detach } from '../lib/detach.ts'
import { randomToken } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'

const prefix = 'worker:'
const everyMs = 5_000
const validMs = 15_000

/**
 * Records every few seconds that this process works on jobs, for the first time before it resolves. Each process has a row, so
 * that one which starts, stops or is killed does not affect the others.
 */
export async function startHeartbeat({
  db,
  clock,
  log,
}: {
  db: Database
  clock: Clock
  log: Log
}): Promise<{ stop(): Promise<void> }> {
  const holder = randomToken(9)

  async function beat(): Promise<void> {
    const now = clock.realNow()
    try {
      await heartbeat(db, holder, now)
    } catch (error) {
      log.warn({ err: error }, 'Failed to record worker heartbeat; retrying.')
    }
  }
  const timer = setInterval(() => detach(beat()), everyMs)
  await beat()
  return {
    stop: async () => {
      clearInterval(timer)
      await removeHeartbeat(db, holder).catch((error: unknown) =>
        log.warn({ err: error }, 'Failed to remove worker heartbeat; it expires.'),
      )
    },
  }
}

/** Whether any process works on jobs. One that was killed counts for up to fifteen seconds more. */
export async function isWorkerAlive({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const rows = await db.sql`
    select 1 from leases where starts_with(name, ${prefix}) and until > ${clock.realNow()} limit 1`
  return rows.length > 0
}

/** Also deletes heartbeats that expired an hour ago. Processes do not wait for each other here. */
const heartbeat = (db: Db, holder: string, now: Date): Promise<unknown[]> =>
  db.sql`
    with expired as (
      delete from leases where name in (
        select name from leases where starts_with(name, ${prefix}) and until < ${now}::timestamptz - interval '1 hour'
        for update skip locked)
    )
    insert into leases (name, holder, fence, until) values (${prefix + holder}, ${holder}, 1, ${after(now, validMs)})
    on conflict (name) do update set until = excluded.until`

const removeHeartbeat = (db: Db, holder: string): Promise<unknown[]> =>
  db.sql`delete from leases where name = ${prefix + holder}`
