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
}

/** A clock whose real time is the machine's. */
export function systemClock(): Clock {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    realNow: () => new Date(),
    offsetMs: () => ahead,
    learnOffset: (offsetMs) => {
      ahead = Math.max(ahead, offsetMs)
    },
  }
}

/** Milliseconds that only go forward, for measuring how long something took. */
export const stopwatch = (): (() => number) => {
  const start = performance.now()
  return () => performance.now() - start
}

/** `at` moved by some milliseconds. */
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
