import { setTimeout as wait } from 'node:timers/promises'

import { after, type Clock } from '../../platform/lib/clock.ts'

/** Spaces one endpoint's deliveries in time. */
export type RateLimiter = {
  /** Resolves when it is the caller's turn, in the order of the calls; false when the limiter was stopped before that. */
  turn(): Promise<boolean>
  /** Releases every caller that waits. */
  stop(): void
}

/** Slots reserved at once span this long, so that other processes wait no longer for a slot that goes unused. */
const slotsMs = 250

/** Opens a rate limiter. `reserve` takes the endpoint's next slots for this process and returns when the first one begins (real time). */
export function openRateLimiter(
  perSecond: number,
  reserve: (slots: number) => Promise<Date>,
  clock: Clock,
): RateLimiter {
  const everyMs = 1_000 / perSecond
  const stopped = new AbortController()
  let slots: Date[] = []
  let last: Promise<unknown> = Promise.resolve()

  async function nextSlot(): Promise<Date> {
    const stale = after(clock.realNow(), -everyMs)
    slots = slots.filter((at) => at > stale)
    if (slots.length === 0) {
      const count = Math.max(1, Math.floor(slotsMs / everyMs))
      const first = await reserve(count)
      slots = Array.from({ length: count }, (_, index) => after(first, index * everyMs))
    }
    return slots.shift() ?? clock.realNow()
  }

  async function waitForSlot(): Promise<void> {
    if (stopped.signal.aborted) return
    const at = await nextSlot()
    const ms = at.getTime() - clock.realNow().getTime()
    if (ms > 0) await wait(ms, undefined, { signal: stopped.signal }).catch(() => undefined)
  }

  return {
    turn: async () => {
      const mine = last.then(waitForSlot)
      last = mine.catch(() => undefined)
      await mine
      return !stopped.signal.aborted
    },
    stop: () => stopped.abort(),
  }
}
