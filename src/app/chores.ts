import type { Ctx } from '../exchange/context.ts'
import { detach } from '../platform/lib/detach.ts'

const everyMs = 60_000

/**
 * Runs chores every minute: work that nothing waits for, and that any process may do at any time and any number of times. One
 * that fails is run again the next minute.
 */
export function doChores({ log }: Pick<Ctx, 'log'>, chores: Record<string, () => Promise<unknown>>): { stop(): void } {
  async function round(): Promise<void> {
    for (const [name, chore] of Object.entries(chores)) {
      try {
        await chore()
      } catch (error) {
        log.warn({ err: error, chore: name }, 'A chore failed; retrying in a minute.')
      }
    }
  }
  const timer = setInterval(() => detach(round()), everyMs)
  return { stop: () => clearInterval(timer) }
}
