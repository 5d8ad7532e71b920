import type { Clock } from '../../platform/lib/clock.ts'
import { detach } from '../../platform/lib/detach.ts'
import { stopwatch } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'

/** What a source is built on. */
export type SourceTools = { clock: Clock; log: Log }

/** The source asks us to come back later. */
export class RateLimited extends Error {
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('The source is limiting requests.')
    this.name = 'RateLimited'
    this.retryAfterMs = retryAfterMs
  }
}

/** However long a source asks us to wait, it is asked again after so long. */
const longestWaitMs = 300_000
const longestRestMs = 2_000

/**
 * Asks a source again and again, one question at a time. After a failure it waits longer each time, up to two seconds (or
 * `everyMs`), and as long as a source asks that limits requests. The first failure of a row and the recovery are logged.
 */
export function poll(
  name: string,
  everyMs: number,
  ask: (signal: AbortSignal) => Promise<void>,
  { log }: Pick<SourceTools, 'log'>,
): { stop(): void } {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let failures = 0

  async function round(): Promise<void> {
    const age = stopwatch()
    const rest = await outcome()
    if (!ended.signal.aborted) timer = setTimeout(() => detach(round()), Math.max(0, rest - age()))
  }

  /** How long after the start of this question the next one is due. */
  async function outcome(): Promise<number> {
    try {
      await ask(ended.signal)
      if (failures > 0) log.info({ source: name, failures }, 'A price source answers again.')
      failures = 0
      return everyMs
    } catch (error) {
      if (ended.signal.aborted) return everyMs
      failures += 1
      if (failures === 1) log.warn({ err: error, source: name }, 'A price source failed; asking again.')
      if (error instanceof RateLimited) return Math.min(Math.max(error.retryAfterMs, everyMs), longestWaitMs)
      return Math.max(everyMs, Math.min(everyMs * 2 ** failures, longestRestMs))
    }
  }
  detach(round())
  return {
    stop: () => {
      ended.abort()
      clearTimeout(timer)
    },
  }
}
