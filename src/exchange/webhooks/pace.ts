import { after, type Clock } from '../../platform/lib/clock.ts'

/** Keeps one endpoint's deliveries apart in time, as its rate limit asks. */
export type Pace = {
  /** Resolves when it is the caller's turn, in the order of the calls; false when the pace has ended before that. */
  turn(perSecond: number): Promise<boolean>
  /** Lets everybody go who waits. */
  end(): void
}

/** Slots that are taken at once last so long: other processes wait no longer for a turn that nobody uses. */
const slotsMs = 250

/**
 * Opens a pace. `reserve` takes the next so many slots of the endpoint for this process, whoever else sends there too, and
 * tells when the first one begins (real time).
 */
export function openPace(reserve: (slots: number, perSecond: number) => Promise<Date>, clock: Clock): Pace {
  let slots: Date[] = []
  let queue: Promise<unknown> = Promise.resolve()
  let ended = false
  const waiting = new Set<() => void>()

  async function nextSlot(perSecond: number): Promise<Date> {
    const everyMs = 1_000 / perSecond
    const stale = after(clock.realNow(), -everyMs)
    slots = slots.filter((at) => at > stale)
    if (slots.length === 0) {
      const count = Math.max(1, Math.floor(slotsMs / everyMs))
      const first = await reserve(count, perSecond)
      slots = Array.from({ length: count }, (_, index) => after(first, index * everyMs))
    }
    return slots.shift() ?? clock.realNow()
  }

  const until = (at: Date): Promise<void> =>
    new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer)
        waiting.delete(over)
        resolve()
      }
      const timer = setTimeout(over, at.getTime() - clock.realNow().getTime())
      waiting.add(over)
    })

  return {
    turn: async (perSecond) => {
      if (ended) return false
      const mine = queue.then(() => nextSlot(perSecond))
      queue = mine.catch(() => undefined)
      const at = await mine
      if (!ended && at > clock.realNow()) await until(at)
      return !ended
    },
    end: () => {
      ended = true
      for (const over of waiting) over()
    },
  }
}
