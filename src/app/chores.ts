import type { Ctx } from '../exchange/context.ts'
import { detach } from '../platform/lib/detach.ts'

const minuteMs = 60_000

/**
 * Runs chores every minute, or as often as given: work that nothing waits for, and that any process may do at any time and any number
 * of times. One that fails is run again in the next round.
 */
export function doChores(
  { log }: Pick<Ctx, 'log'>,
  chores: Record<string, () => Promise<unknown>>,
  everyMs: number = minuteMs,
): { stop(): void } {
  let isRunning = false
  async function round(): Promise<void> {
    if (isRunning) return
    isRunning = true
    for (const [name, chore] of Object.entries(chores)) {
      try {
        await chore()
      } catch (error) {
        log.warn({ err: error, chore: name }, 'A chore failed; retrying in the next round.')
      }
    }
    isRunning = false
  }
  const timer = setInterval(() => detach(round()), everyMs)
  return { stop: () => clearInterval(timer) }
}
