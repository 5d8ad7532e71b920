import type { Log } from '../lib/log.ts'
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

/** Opens a recorder that hands batches to `record`, one after the other; one that fails is handed over again. */
export function openRecorder(record: (attempts: Attempt[]) => Promise<void>, log: Log): Recorder {
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
      log.warn({ err: error, attempts: batch.length }, 'Attempts could not be written down; trying again soon.')
      if (draining) return
      noted.unshift(...batch)
      hurry = true
      await new Promise((resolve) => setTimeout(resolve, pauseAfterFailureMs))
    }
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
