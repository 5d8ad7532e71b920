import type { Db } from '../db/sql.ts'
import { after, type Clock, stopwatch } from '../lib/clock.ts'
import { detach } from '../lib/detach.ts'
import { randomToken } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'

/** Processes that work on jobs, and all others. */
const prefixes = { worker: 'worker:', other: 'process:' }
const everyMs = 3_000
const validMs = 15_000
const patienceMs = 2_000
const mostSkewMs = 2_000

/** What this process sees of its database: it writes there every three seconds. */
export type Heartbeat = {
  /** Beats until `stop`, for the first time before it resolves. */
  start(): Promise<void>
  stop(): Promise<void>
  /** False while writes fail or are not answered within two seconds. True before the start. */
  writes(): boolean
  /** How far the database's clock is ahead of ours, in milliseconds: at least that much, as the answer took a while. 0 before the start. */
  skewMs(): number
  /** Whether the clocks differ by more than two seconds: times of ours mean something else to others, so nothing may be priced here. */
  isSkewed(): boolean
}

/**
 * Records every few seconds that this process lives, and whether it works on jobs. Each process has a row, so that one which starts,
 * stops or is killed does not affect the others.
 */
export function openHeartbeat(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  { works }: { works: boolean },
): Heartbeat {
  const holder = randomToken(9)
  const name = (works ? prefixes.worker : prefixes.other) + holder
  let timer: NodeJS.Timeout | undefined
  let asked: (() => number) | undefined
  let [isWritten, skewMs] = [true, 0]

  async function beat(): Promise<void> {
    if (asked) return
    asked = stopwatch()
    const now = clock.realNow()
    try {
      const at = await heartbeat(db, { name, holder, now })
      isWritten = true
      learnSkew(at.getTime() - now.getTime(), asked())
    } catch (error) {
      isWritten = false
      log.warn({ err: error }, 'Failed to record heartbeat; retrying.')
    }
    asked = undefined
  }

  /** The database looked at its clock at some time between question and answer. */
  function learnSkew(aheadMs: number, tookMs: number): void {
    const was = Math.abs(skewMs) > mostSkewMs
    skewMs = aheadMs < 0 ? aheadMs : Math.max(0, aheadMs - tookMs)
    const is = Math.abs(skewMs) > mostSkewMs
    if (is && !was) log.error({ skew_ms: skewMs }, "Our clock and the database's differ: this process prices nothing.")
  }

  return {
    writes: () => isWritten && (asked?.() ?? 0) <= patienceMs,
    skewMs: () => skewMs,
    isSkewed: () => Math.abs(skewMs) > mostSkewMs,
    start: () => {
      timer = setInterval(() => detach(beat()), everyMs)
      return beat()
    },
    stop: async () => {
      if (!timer) return
      clearInterval(timer)
      await removeHeartbeat(db, name).catch((error: unknown) =>
        log.warn({ err: error }, 'Failed to remove heartbeat; it expires.'),
      )
    },
  }
}

/** Whether any process works on jobs. One that was killed counts for up to fifteen seconds more. */
export async function isWorkerAlive({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const rows = await db.sql`
    select 1 from leases where starts_with(name, ${prefixes.worker}) and until > ${clock.realNow()} limit 1`
  return rows.length > 0
}

/** Also deletes heartbeats that expired an hour ago. Processes do not wait for each other here. Gives the database's time. */
async function heartbeat(db: Db, { name, holder, now }: { name: string; holder: string; now: Date }): Promise<Date> {
  const [row] = await db.sql<{ at: Date }>`
    with expired as (
      delete from leases where name in (
        select name from leases
        where (starts_with(name, ${prefixes.worker}) or starts_with(name, ${prefixes.other}))
          and until < ${now}::timestamptz - interval '1 hour'
        for update skip locked)
    )
    insert into leases (name, holder, fence, until) values (${name}, ${holder}, 1, ${after(now, validMs)})
    on conflict (name) do update set until = excluded.until
    returning clock_timestamp() as at`
  return row?.at ?? now
}

const removeHeartbeat = (db: Db, name: string): Promise<unknown[]> => db.sql`delete from leases where name = ${name}`
