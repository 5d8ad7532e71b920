import type { Ctx } from '../exchange/context.ts'
import { detach } from '../platform/lib/detach.ts'

const everyMs = 60_000

/**
 * Does the house's chores every minute: what may be done at any time, by any process, any number of times, and that nothing
 * waits for. One that fails is done again the next minute.
 */
export function doChores({ log }: Pick<Ctx, 'log'>, chores: Record<string, () => Promise<unknown>>): { stop(): void } {
  async function round(): Promise<void> {
    for (const [name, chore] of Object.entries(chores)) {
      try {
        await chore()
      } catch (error) {
        log.warn({ err: error, chore: name }, 'A chore failed; it is done again in a minute.')
      }
    }
  }
  const timer = setInterval(() => detach(round()), everyMs)
  return { stop: () => clearInterval(timer) }
}
