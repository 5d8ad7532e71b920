import type { Log } from '../../platform/lib/log.ts'
import { streamKey } from './delivery.ts'
import type { Attempt } from './settle.ts'

/** Gathers what came of attempts and has it written down in batches. */
export type Recorder = {
  note(attempt: Attempt): void
  /** Further events of these streams (`endpoint:stream`) wait for what is before them: attempts there are written at once. */
  hurryFor(streams: string[]): void
  /** Resolves when all that was noted is written down, or could not be. */
  drain(): Promise<void>
  idle(): boolean
}

/** How long an attempt that nobody waits for waits for others to be written down with it, and how many go together. */
const lingerMs = 20
const mostTogether = 512
const enoughTogether = 256
const mostHurried = 4_096
const pauseAfterFailureMs = 500

/** What PostgreSQL answers where what is to be written can never be: errors in data, constraints, the statement itself. */
const refusals = /^(21|22|23|42|P0)/

/**
 * Opens a recorder that hands batches to `record`, one after the other; one that fails is handed over again. One that the database
 * refuses is handed over in parts, so that one attempt that cannot be written down holds up no other; that one goes to `giveUp`.
 */
export function openRecorder(
  { record, giveUp }: { record: (attempts: Attempt[]) => Promise<void>; giveUp: (attempt: Attempt) => void },
  log: Log,
): Recorder {
  const noted: Attempt[] = []
  const hurried = new Set<string>()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let hurry = false
  let draining = false

  async function run(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // Attempts that end in this same turn of the event loop come along.
    await new Promise(setImmediate)
    while (noted.length > 0 && (hurry || draining || noted.length >= enoughTogether)) {
      hurry = false
      await handOver(noted.splice(0, mostTogether))
    }
    running = undefined
    if (noted.length > 0) soon()
  }

  async function handOver(batch: Attempt[]): Promise<void> {
    try {
      await record(batch)
    } catch (error) {
      if (!draining && isRefusal(error)) return handOverParts(batch, error)
      log.warn({ err: error, attempts: batch.length }, 'Attempts could not be written down; trying again soon.')
      if (draining) return
      noted.unshift(...batch)
      hurry = true
      await new Promise((resolve) => setTimeout(resolve, pauseAfterFailureMs))
    }
  }

  async function handOverParts(batch: Attempt[], error: unknown): Promise<void> {
    const [first] = batch
    if (batch.length > 1) {
      const half = Math.ceil(batch.length / 2)
      await handOver(batch.slice(0, half))
      return handOver(batch.slice(half))
    }
    log.error(
      { err: error },
      'An attempt cannot be written down; the delivery is made once more when its lease has run out.',
    )
    if (first) giveUp(first)
  }

  function soon(): void {
    if (hurry || noted.length >= enoughTogether) running ??= run()
    else timer ??= setTimeout(hurryUp, lingerMs)
  }

  function hurryUp(): void {
    clearTimeout(timer)
    timer = undefined
    hurry = true
    running ??= run()
  }

  return {
    note: (attempt) => {
      noted.push(attempt)
      if (hurried.size > 0 && hurried.has(streamKey(attempt.delivery))) hurry = true
      soon()
    },
    hurryFor: (streams) => {
      for (const stream of streams) hurried.add(stream)
      for (const oldest of hurried) {
        if (hurried.size <= mostHurried) break
        hurried.delete(oldest)
      }
      if (streams.length > 0 && noted.length > 0) hurryUp()
    },
    drain: async () => {
      draining = true
      while (running || noted.length > 0) await (running ??= run())
      clearTimeout(timer)
    },
    idle: () => running === undefined && noted.length === 0,
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && refusals.test(error.code)
