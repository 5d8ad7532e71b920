import type { Atomic, Database } from '../db/sql.ts'
import { after, type Clock } from '../lib/clock.ts'
import { detach } from '../lib/detach.ts'
import type { Log } from '../lib/log.ts'
import { backoffMs, type Handler, type Job, type NewJob, type Timebase } from './job.ts'
import { type Pace, realPace } from './pace.ts'
import * as queries from './queries.ts'

/** The queue of one process: writes jobs, and does those whose handlers it was given. */
export type Queue = {
  /**
   * Writes jobs inside the caller's atomic block. One that exists already (same kind and key) is left as it is. A job that
   * is due now and that this process can do is taken by it in the same row, so that it starts right after the commit.
   */
  enqueue(db: Atomic, jobs: NewJob[]): void
  /**
   * Runs `work` in an atomic block that holds the jobs and ends them with its commit. `held` are those that are still ours;
   * the others have been claimed by someone else meanwhile and must be left alone.
   */
  finish<T>(jobs: Job[], work: (db: Atomic, held: Job[]) => Promise<T>): Promise<T>
  /** Like `finish`, but the jobs stay, due again at the time that `work` gives for each (undefined: the job is done). */
  revisit(jobs: Job[], work: (db: Atomic, held: Job[]) => Promise<Map<bigint, Again>>): Promise<void>
  /** Looks for due jobs soon: at once, or after some milliseconds. */
  wake(inMs?: number): void
  /** Starts doing jobs. */
  start(): void
  /** Stops claiming and waits for what is under way. What is not finished by then is free for others when its lease ends. */
  stop(): Promise<void>
  /** True when nothing is under way in this process. */
  idle(): boolean
  /** The next business time, up to `until`, at which a job is due, and how many are due by then, whoever does them. */
  nextDue(until: Date): Promise<{ at: Date; count: number } | undefined>
  /** How many jobs that business time made due this process has done since it started. */
  done(): number
}

/** When to look at a job again. */
export type Again = { at: Date; timebase: Timebase }

/** What a queue needs; `handlers` are read when it is started. Kinds without a handler here are left to other processes; `onForeign` is told of such jobs. */
export type QueueOptions = {
  db: Database
  clock: Clock
  log: Log
  handlers: Record<string, Handler>
  leaseMs: number
  pollMs: number
  onForeign?: () => void
  pace?: Pace
}

type Lane = { handler: Handler; ready: Job[]; running: number; single: Job[] }

const mostReady = 256

/** Opens the queue of this process. */
export function openQueue(options: QueueOptions): Queue {
  const { db, clock, log, handlers, leaseMs, pollMs, onForeign, pace = realPace } = options
  const lanes = new Map<string, Lane>()
  const underWay = new Map<bigint, Job>()
  let started = false
  let stopTimer = () => {}
  let timerAt = Infinity
  let looking = false
  let lookAgain = false
  /** More was due than this process took: look again as soon as a lane is empty. */
  let backlog = false
  let done = 0

  const leaseUntil = () => after(clock.realNow(), leaseMs)

  function enqueue(block: Atomic, jobs: NewJob[]): void {
    if (jobs.length === 0) return
    const leases = jobs.map((job) => (takesAtOnce(job) ? leaseUntil() : null))
    const written = queries.insert(block, jobs, leases)
    written.catch(() => undefined)
    block.afterCommit(() => detach(written.then((rows) => handOver(rows, jobs))))
  }

  function takesAtOnce(job: NewJob): boolean {
    const lane = lanes.get(job.kind)
    if (!started || !lane || !isDue(job)) return false
    if (lane.ready.length < mostReady) return true
    backlog = true
    return false
  }

  const isDue = (job: NewJob) => job.runAt <= (job.timebase === 'real' ? clock.realNow() : clock.now())

  function handOver(rows: Job[], jobs: NewJob[]): void {
    for (const row of rows) {
      if (row.fence > 0n) accept(row)
    }
    for (const job of jobs) {
      if (!lanes.has(job.kind)) onForeign?.()
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
    const lane = lanes.get(job.kind)
    const mine = underWay.get(job.id)
    // A job that this process has just put off may be claimed again before its first claim is over here.
    if (!lane || (mine && mine.fence >= job.fence)) return
    underWay.set(job.id, job)
    lane.ready.push(job)
  }

  function dispatch(): void {
    for (const lane of lanes.values()) {
      while (lane.running < lane.handler.concurrency && lane.single.length + lane.ready.length > 0) {
        const alone = lane.single.shift()
        const jobs = alone ? [alone] : lane.ready.splice(0, lane.handler.batch)
        lane.running += 1
        pace.begin(() => run(lane, jobs))
      }
    }
  }

  async function run(lane: Lane, jobs: Job[]): Promise<void> {
    try {
      await lane.handler.run(jobs)
      for (const job of jobs) isOver(job)
      done += jobs.filter(({ timebase }) => timebase === 'business').length
    } catch (error) {
      if (jobs.length > 1) lane.single.push(...jobs)
      else if (jobs[0]) await failed(jobs[0], error)
    } finally {
      lane.running -= 1
      dispatch()
      if (backlog && lane.ready.length === 0) wake()
    }
  }

  /** This claim is over; a later one of the same job may be under way already. */
  function isOver(job: Job): void {
    if (underWay.get(job.id) === job) underWay.delete(job.id)
  }

  async function failed(job: Job, error: unknown): Promise<void> {
    isOver(job)
    log.error(
      { err: error, kind: job.kind, key: job.key, attempts: job.attempts + 1 },
      'A job failed; it will be tried again.',
    )
    const message = error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 500) : 'unknown'
    try {
      const wait = backoffMs(job.attempts)
      await queries.fail(db, job, { business: after(clock.now(), wait), real: after(clock.realNow(), wait) }, message)
    } catch (second) {
      log.error({ err: second, kind: job.kind }, 'The failure could not be written down; the lease will run out.')
    }
  }

  function wake(inMs = 0): void {
    if (!started) return
    if (inMs === 0) {
      pace.begin(look)
      return
    }
    const at = performance.now() + inMs
    if (at >= timerAt) return
    stopTimer()
    timerAt = at
    stopTimer = pace.later(async () => {
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
      log.warn({ err: error }, 'Due jobs could not be claimed; trying again soon.')
    } finally {
      looking = false
      wake(pollMs * (0.8 + 0.4 * Math.random()))
    }
  }

  async function claimDue(): Promise<void> {
    const kinds = [...lanes].filter(([, lane]) => lane.ready.length === 0).map(([kind]) => kind)
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
      const held = await heldOf(block, jobs)
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
      const held = await heldOf(block, jobs)
      const again = await work(block, held)
      const done = held.filter((job) => !again.has(job.id))
      if (done.length > 0)
        queries.remove(
          block,
          done.map((job) => job.id),
        )
      if (again.size === 0) return
      queries.putOff(block, [...again])
      block.afterCommit(() => {
        for (const { at, timebase } of again.values()) wakeAt({ runAt: at, timebase })
      })
    })
  }

  async function heldOf(block: Atomic, jobs: Job[]): Promise<Job[]> {
    const ids = new Set((await queries.hold(block, jobs)).map(({ id }) => id))
    return jobs.filter((job) => ids.has(job.id))
  }

  async function giveUp(jobs: Job[]): Promise<void> {
    try {
      await queries.release(db, jobs)
    } catch (error) {
      log.warn({ err: error }, 'Jobs could not be given back; their leases will run out.')
    }
  }

  async function renewLeases(): Promise<void> {
    const jobs = [...underWay.values()]
    if (jobs.length === 0) return
    try {
      await queries.renew(db, jobs, leaseUntil())
    } catch (error) {
      log.warn({ err: error }, 'Leases could not be renewed.')
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
        lanes.set(kind, { handler, ready: [], running: 0, single: [] })
      }
      started = true
      stopRenewal = pace.every(renewLeases, leaseMs / 3)
      wake()
    },
    stop: async () => {
      started = false
      stopTimer()
      const waiting = [...lanes.values()].flatMap(({ ready, single }) => [...ready.splice(0), ...single.splice(0)])
      for (const job of waiting) underWay.delete(job.id)
      if (waiting.length > 0) await giveUp(waiting)
      while (underWay.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
      stopRenewal()
    },
  }
}
