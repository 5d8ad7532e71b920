import type { Atomic, Database } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import { detach } from '../lib/detach.ts'
import type { Log } from '../lib/log.ts'
import { backoffMs, type Handler, type Job, type NewJob, type Timebase } from './job.ts'
import { realScheduler, type Scheduler } from './scheduler.ts'
import * as queries from './queries.ts'

/** The job queue of one process: writes jobs, and runs those that it has handlers for. */
export type Queue = {
  /**
   * Writes jobs inside the caller's atomic block. One that exists already (same kind and key) stays as it is. A job that is due
   * now and has a handler here is claimed with the insert, so that it starts right after the commit.
   */
  enqueue(db: Atomic, jobs: NewJob[]): void
  /**
   * Runs `work` in an atomic block that locks the jobs and removes them with its commit. `held` are those that this process still
   * holds; the others have been claimed by another process and must be left alone.
   */
  finish<T>(jobs: Job[], work: (db: Atomic, held: Job[]) => Promise<T>): Promise<T>
  /** Like `finish`, but each job stays for which `work` returns a time, and is due again then. */
  revisit(jobs: Job[], work: (db: Atomic, held: Job[]) => Promise<Map<bigint, Again>>): Promise<void>
  /** Looks for due jobs soon: at once, or after some milliseconds. */
  wake(inMs?: number): void
  /** Starts running jobs. */
  start(): void
  /** Stops claiming, releases what has not begun, and waits for what is in progress. */
  stop(): Promise<void>
  /** True when nothing is in progress in this process. */
  idle(): boolean
  /** The next business time, up to `until`, at which a job is due, and how many are due by then, in any process. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
  /** How many business-time jobs this process has completed since it started. */
  done(): number
}

/** When a job is due again. */
export type Again = { at: Date; timebase: Timebase }

/** `handlers` are read when the queue starts. Kinds without a handler are left to other processes; `onForeign` is called for such jobs. */
export type QueueOptions = {
  db: Database
  clock: Clock
  log: Log
  handlers: Record<string, Handler>
  leaseMs: number
  pollMs: number
  onForeign?: () => void
  scheduler?: Scheduler
}

/** What this process does with the jobs of one kind. `single` are jobs of a failed batch, to be repeated one by one. */
type Worker = { handler: Handler; ready: Job[]; running: number; single: Job[] }

const mostReady = 256

/** Opens the queue of this process. */
export function openQueue(options: QueueOptions): Queue {
  const { db, clock, log, handlers, leaseMs, pollMs, onForeign, scheduler = realScheduler } = options
  const workers = new Map<string, Worker>()
  const underWay = new Map<bigint, Job>()
  let started = false
  let stopTimer = () => {}
  let timerAt = Infinity
  let looking = false
  let lookAgain = false
  /** More was due than this process claimed: claim again as soon as a worker has nothing ready. */
  let backlog = false
  let done = 0

  const leaseUntil = () => after(clock.realNow(), leaseMs)

  function enqueue(block: Atomic, jobs: NewJob[]): void {
    if (jobs.length === 0) return
    const leases = jobs.map((job) => (takesAtOnce(job) ? leaseUntil() : null))
    const written = queries.insert(block, jobs, leases)
    written.catch(() => undefined)
    block.afterCommit(() => detach(written.then((rows) => afterInsert(rows, jobs))))
  }

  function takesAtOnce(job: NewJob): boolean {
    const worker = workers.get(job.kind)
    if (!started || !worker || !isDue(job)) return false
    if (worker.ready.length < mostReady) return true
    backlog = true
    return false
  }

  const isDue = (job: NewJob) => job.runAt <= (job.timebase === 'real' ? clock.realNow() : clock.now())

  function afterInsert(rows: Job[], jobs: NewJob[]): void {
    for (const row of rows) {
      if (row.fence > 0n) accept(row)
    }
    for (const job of jobs) {
      if (!workers.has(job.kind)) onForeign?.()
      else if (!isDue(job)) wakeAt(job)
    }
    dispatch()
  }

  function wakeAt({ runAt, timebase }: Pick<NewJob, 'runAt' | 'timebase'>): void {
    const now = timebase === 'real' ? clock.realNow() : clock.now()
    const inMs = runAt.getTime() - now.getTime()
    if (inMs < pollMs) wake(Math.max(0, inMs))
  }

  function accept(job: Job): void {
    const worker = workers.get(job.kind)
    const mine = underWay.get(job.id)
    // A job that this process has just rescheduled may be claimed again before its first claim is over here.
    if (!worker || (mine && mine.fence >= job.fence)) return
    underWay.set(job.id, job)
    worker.ready.push(job)
  }

  function dispatch(): void {
    for (const worker of workers.values()) {
      while (worker.running < worker.handler.concurrency && worker.single.length + worker.ready.length > 0) {
        const alone = worker.single.shift()
        const jobs = alone ? [alone] : worker.ready.splice(0, worker.handler.batch)
        worker.running += 1
        scheduler.start(() => run(worker, jobs))
      }
    }
  }

  async function run(worker: Worker, jobs: Job[]): Promise<void> {
    try {
      await worker.handler.run(jobs)
      for (const job of jobs) isOver(job)
      done += jobs.filter(({ timebase }) => timebase === 'business').length
    } catch (error) {
      if (jobs.length > 1) worker.single.push(...jobs)
      else if (jobs[0]) await failed(jobs[0], error)
    } finally {
      worker.running -= 1
      dispatch()
      if (backlog && worker.ready.length === 0) wake()
    }
  }

  /** This claim is over; a later one of the same job may be in progress. */
  function isOver(job: Job): void {
    if (underWay.get(job.id) === job) underWay.delete(job.id)
  }

  async function failed(job: Job, error: unknown): Promise<void> {
    isOver(job)
    log.error({ err: error, kind: job.kind, key: job.key, attempts: job.attempts + 1 }, 'Job failed; retrying.')
    const message = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 500) : 'unknown'
    try {
      const wait = backoffMs(job.attempts)
      await queries.fail(db, job, { business: after(clock.now(), wait), real: after(clock.realNow(), wait) }, message)
    } catch (second) {
      log.error({ err: second, kind: job.kind }, 'Failed to record the failure of a job; its lease expires.')
    }
  }

  function wake(inMs = 0): void {
    if (!started) return
    if (inMs === 0) {
      scheduler.start(look)
      return
    }
    const at = performance.now() + inMs
    if (at >= timerAt) return
    stopTimer()
    timerAt = at
    stopTimer = scheduler.later(async () => {
      timerAt = Infinity
      await look()
    }, inMs)
  }

  async function look(): Promise<void> {
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    try {
      do {
        lookAgain = false
        await claimDue()
      } while (lookAgain && started)
    } catch (error) {
      log.warn({ err: error }, 'Failed to claim due jobs; retrying.')
    } finally {
      looking = false
      wake(pollMs * (0.8 + 0.4 * Math.random()))
    }
  }

  async function claimDue(): Promise<void> {
    const kinds = [...workers].filter(([, worker]) => worker.ready.length === 0).map(([kind]) => kind)
    if (kinds.length === 0 || !started) return
    const limit = 64
    const [businessNow, realNow] = [clock.now(), clock.realNow()]
    const jobs = await queries.claim(db, { kinds, businessNow, realNow, leaseUntil: leaseUntil(), limit })
    backlog = jobs.length >= limit
    for (const job of jobs) accept(job)
    dispatch()
  }

  async function finish<T>(jobs: Job[], work: (block: Atomic, held: Job[]) => Promise<T>): Promise<T> {
    return db.atomic(async (block) => {
      const held = await lockHeld(block, jobs)
      const result = await work(block, held)
      queries.remove(
        block,
        held.map((job) => job.id),
      )
      return result
    })
  }

  async function revisit(
    jobs: Job[],
    work: (block: Atomic, held: Job[]) => Promise<Map<bigint, Again>>,
  ): Promise<void> {
    await db.atomic(async (block) => {
      const held = await lockHeld(block, jobs)
      const again = await work(block, held)
      const done = held.filter((job) => !again.has(job.id))
      if (done.length > 0)
        queries.remove(
          block,
          done.map((job) => job.id),
        )
      if (again.size === 0) return
      queries.reschedule(block, [...again])
      block.afterCommit(() => {
        for (const { at, timebase } of again.values()) wakeAt({ runAt: at, timebase })
      })
    })
  }

  async function lockHeld(block: Atomic, jobs: Job[]): Promise<Job[]> {
    const ids = new Set((await queries.lock(block, jobs)).map(({ id }) => id))
    return jobs.filter((job) => ids.has(job.id))
  }

  async function release(jobs: Job[]): Promise<void> {
    try {
      await queries.release(db, jobs)
    } catch (error) {
      log.warn({ err: error }, 'Failed to release jobs; their leases expire.')
    }
  }

  async function renewLeases(): Promise<void> {
    const jobs = [...underWay.values()]
    if (jobs.length === 0) return
    try {
      await queries.renew(db, jobs, leaseUntil())
    } catch (error) {
      log.warn({ err: error }, 'Failed to renew leases of jobs; retrying.')
    }
  }
  let stopRenewal = () => {}

  return {
    enqueue,
    finish,
    revisit,
    wake,
    idle: () => underWay.size === 0,
    nextDue: (until) => queries.nextDue(db, until),
    done: () => done,
    start: () => {
      for (const [kind, handler] of Object.entries(handlers)) {
        workers.set(kind, { handler, ready: [], running: 0, single: [] })
      }
      started = true
      stopRenewal = scheduler.every(renewLeases, leaseMs / 3)
      wake()
    },
    stop: async () => {
      started = false
      stopTimer()
      const waiting = [...workers.values()].flatMap(({ ready, single }) => [...ready.splice(0), ...single.splice(0)])
      for (const job of waiting) underWay.delete(job.id)
      if (waiting.length > 0) await release(waiting)
      while (underWay.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
      stopRenewal()
    },
  }
}
