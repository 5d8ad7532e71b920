import { isAnswer } from '../db/pool.ts'
import type { RefusedWrites, WriteFault } from '../db/refused-writes.ts'
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

/** Whether a database takes writes, and if not, why. */
export type WriteState = 'ok' | WriteFault | 'down'

/** What this process sees of its database: it writes there every three seconds. */
export type Heartbeat = {
  /** Beats until `stop`, for the first time before it resolves. */
  start(): Promise<void>
  stop(): Promise<void>
  /**
   * Why the database takes no writes: what it said when it refused one, else `down` while ours fail or are not answered within two
   * seconds. `ok` before the start.
   */
  writes(): WriteState
  /** How far the database's clock is ahead of this machine's, in milliseconds; 0 before the start. */
  skewMs(): number
  /** Whether those differ by more than two seconds. Times are the database's then, too; but what the world says of prices is timed by the machine. */
  isSkewed(): boolean
}

/**
 * Records every few seconds that this process lives, and whether it works on jobs. Each process has a row, so that one which starts,
 * stops or is killed does not affect the others.
 */
export function openHeartbeat(
  { db, refusedWrites, clock, log }: { db: Db; refusedWrites: RefusedWrites; clock: Clock; log: Log },
  { works }: { works: boolean },
): Heartbeat {
  const holder = randomToken(9)
  const name = (works ? prefixes.worker : prefixes.other) + holder
  let timer: NodeJS.Timeout | undefined
  let asked: (() => number) | undefined
  let [isDown, skewMs] = [false, 0]

  async function beat(): Promise<void> {
    if (asked) return
    asked = stopwatch()
    const refused = refusedWrites.last()
    try {
      const sizeBefore = refused && (await leasesSize(db))
      const at = await heartbeat(db, { name, holder: refused ? holder + roomy() : holder, now: clock.realNow() })
      if (refused && (await leasesSize(db)) > (sizeBefore ?? 0n)) refusedWrites.end(refused)
      isDown = false
      learnSkew(clock.follow(at, asked()))
    } catch (error) {
      // Where no host takes writes, none was asked to write. What one has answered is noted already.
      isDown = !isAnswer(error) || refusedWrites.last() === undefined
      log.warn({ err: error }, 'Failed to record heartbeat; retrying.')
    }
    asked = undefined
  }

  function learnSkew(aheadMs: number): void {
    const was = Math.abs(skewMs) > mostSkewMs
    skewMs = aheadMs
    const is = Math.abs(skewMs) > mostSkewMs
    if (is && !was) log.error({ skew_ms: skewMs }, "Our clock and the database's differ: this process prices nothing.")
  }

  return {
    writes: () => {
      if (isDown || (asked?.() ?? 0) > patienceMs) return 'down'
      return refusedWrites.last()?.why ?? 'ok'
    },
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

/**
 * Text that can't be compressed: a short row would find room on a full disk. It may find pages there that earlier ones have left, so
 * that only a table that grew has proven that there is room.
 */
const roomy = (): string => randomToken(192 * 1_024)

async function leasesSize(db: Db): Promise<bigint> {
  const [row] = await db.sql<{ size: bigint }>`select pg_total_relation_size('leases'::regclass) as size`
  return row?.size ?? 0n
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
    on conflict (name) do update set until = excluded.until, holder = excluded.holder
    returning clock_timestamp() as at`
  return row?.at ?? now
}

const removeHeartbeat = (db: Db, name: string): Promise<unknown[]> => db.sql`delete from leases where name = ${name}`
