/**
 * Two times. **Business time** is for expiry, quotes, jobs and the times in records: real time plus a stored offset, which only
 * grows and is zero in live mode. **Real time** is for leases, time-outs, rate limits, idempotency, the blocks of sandbox
 * chains and signature timestamps.
 */
export type Clock = {
  /** Business time. */
  now(): Date
  /** Wall-clock time. */
  realNow(): Date
  /** How far business time is ahead, in milliseconds. */
  offsetMs(): number
  /** Takes over the stored offset; a smaller one is ignored, because time never runs back. */
  learnOffset(offsetMs: number): void
  /**
   * Follows the database's time, which it gave within the last `tookMs` milliseconds. Gives how far it is ahead of the machine's: at
   * least that much, because the answer took a while.
   */
  follow(at: Date, tookMs: number): number
}

/** What a machine knows of time, in milliseconds: what somebody sets, and what only goes forward. */
type Machine = { now(): number; steady(): number }

/** Differences below this are not followed: a slow answer would move time. */
const followedMs = 100

/**
 * A clock whose real time is the database's, once that is known. The machine's steady clock carries it forward, so that a machine whose
 * clock is wrong, or is set, decides nothing with it. Before that, it is the machine's.
 */
export function systemClock(machine: Machine = { now: Date.now, steady: () => performance.now() }): Clock {
  let ahead = 0
  let followed: { at: number; steady: number } | undefined
  const real = (): number => (followed ? followed.at + machine.steady() - followed.steady : machine.now())
  return {
    now: () => new Date(real() + ahead),
    realNow: () => new Date(real()),
    offsetMs: () => ahead,
    learnOffset: (offsetMs) => {
      ahead = Math.max(ahead, offsetMs)
    },
    follow: (at, tookMs) => {
      const off = aheadOf(at.getTime() - real(), tookMs)
      if (!followed || Math.abs(off) > followedMs) {
        const steady = machine.steady()
        followed = { at: off === 0 ? real() : at.getTime() + tookMs / 2, steady }
      }
      return aheadOf(at.getTime() - machine.now(), tookMs)
    },
  }
}

/** How far another clock is ahead that was read within the last `tookMs`, if it is `differsMs` ahead of ours now; 0 if it may agree. */
const aheadOf = (differsMs: number, tookMs: number): number =>
  differsMs > 0 ? differsMs : Math.min(0, differsMs + tookMs)

/** Milliseconds that only go forward, for measuring how long something took. */
export const stopwatch = (): (() => number) => {
  const start = performance.now()
  return () => performance.now() - start
}

/** `at` moved by some milliseconds. */
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
