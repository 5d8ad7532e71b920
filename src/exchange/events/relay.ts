import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import * as queries from './queries.ts'
import type { Sequenced } from './queries.ts'

export type { Sequenced } from './queries.ts'

/** Gives committed events their place in the feed. Any number of processes may have one: they take turns. */
export type Relay = {
  /** Looks for new events soon. Calls that come while a look is under way share the next one. */
  wake(): void
  /** Starts looking: when woken, and every now and then for what a process that died has left. */
  start(): void
  /** Resolves when nothing is in progress. */
  stop(): Promise<void>
  /** True when no look is under way or asked for. */
  idle(): boolean
}

/** What a relay does besides. */
export type RelayOptions = {
  /** Called inside the block that gives the positions, with the events in feed order: what is written here goes with them. */
  onSequenced: (db: Atomic, events: Sequenced[]) => void
  /** How often to look unasked, in real milliseconds; plus or minus a fifth. */
  pollMs?: number
}

/** The most events that one block places. */
const mostAtOnce = 500

/**
 * Waits for the relay that is placing events at this moment, in whatever process. What it writes follows from the state that it
 * read before now; a caller that has changed something since, and must see what follows from the earlier state, waits first.
 */
export const relayAtWork = ({ db }: Pick<Ctx, 'db'>): Promise<void> =>
  db.atomic(async (block) => queries.lockRelay(block))

/** Opens this process's relay. */
export function openRelay({ db, log }: Pick<Ctx, 'db' | 'log'>, { onSequenced, pollMs = 1_500 }: RelayOptions): Relay {
  let started = false
  let asked = false
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function place(): Promise<number> {
    return db.atomic(async (block) => {
      queries.lockRelay(block)
      const events = await queries.feedFresh(block, mostAtOnce)
      if (events.length > 0) onSequenced(block, events)
      return events.length
    })
  }

  async function look(): Promise<void> {
    clearTimeout(timer)
    try {
      while (asked && started) {
        asked = false
        if ((await place()) === mostAtOnce) asked = true
      }
    } catch (error) {
      log.warn({ err: error }, 'Failed to place events in the feed; retrying.')
    } finally {
      looking = undefined
      if (started) timer = setTimeout(wake, pollMs * (0.8 + 0.4 * Math.random()))
    }
  }

  function wake(): void {
    if (!started) return
    asked = true
    looking ??= look()
  }

  return {
    wake,
    idle: () => looking === undefined,
    start: () => {
      started = true
      wake()
    },
    stop: async () => {
      started = false
      clearTimeout(timer)
      await looking
    },
  }
}
