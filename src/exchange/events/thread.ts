import type { Tinypool } from 'tinypool'

import { stopwatch } from '../../platform/lib/clock.ts'
import type { Joined } from '../../platform/lib/joined.ts'
import { openBatch, type SealedBatch } from './opening-thread.ts'

/** A thread that opens batches of events: it starts when it is first asked, and ends when it has nothing to do. */
export type Thread = {
  /** What it could open; undefined where it fails or says nothing, and for a while after that. Never rejects. */
  run(batch: SealedBatch): Promise<Joined | undefined>
  /** Ends it, and lets everybody go who waits for it; none is started any more. */
  stop(): Promise<void>
}

/**
 * What may be set besides: the file that the thread runs, how long it may take for a batch, and how long it is left alone after
 * a failure (real milliseconds).
 */
export type ThreadOptions = { file?: URL; answerMs?: number; restMs?: number }

/** A thread that had nothing to do for so long ends. */
const idleMs = 10_000

const ownFile = new URL('opening-thread.js', import.meta.url)

/** A pool of one thread, and what releases each call that waits for it. */
type Running = { pool: Promise<Tinypool>; waiting: Set<() => void> }

/** Makes a thread. Each failure calls `complain` once, however many calls wait. */
export function openThread(
  complain: (error: unknown) => void,
  { file = ownFile, answerMs = 5_000, restMs = 30_000 }: ThreadOptions = {},
): Thread {
  let running: Running | undefined
  let ended = false
  let restedMs = () => Infinity

  function start(): Running {
    const pool = import('tinypool').then(({ Tinypool: Pool }) => {
      const made = new Pool({
        filename: file.href,
        name: openBatch.name,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: idleMs,
      })
      // A thread that dies before it has taken a batch is reported only here; what waits for it would wait forever.
      made.on('error', (error: unknown) => giveUp(started, error))
      return made
    })
    const started = { pool, waiting: new Set<() => void>() }
    return started
  }

  function giveUp(failed: Running, error: unknown): void {
    if (failed !== running) return
    restedMs = stopwatch()
    complain(error)
    end().catch(complain)
  }

  async function end(): Promise<void> {
    const ending = running
    running = undefined
    if (!ending) return
    for (const letGo of ending.waiting) letGo()
    await (await ending.pool).destroy()
  }

  const ask = (asked: Running, batch: SealedBatch): Promise<Joined | undefined> =>
    new Promise((resolve) => {
      const letGo = () => answer(undefined)
      const silence = setTimeout(() => giveUp(asked, new Error(`It has said nothing for ${answerMs} ms.`)), answerMs)
      const answer = (opened: Joined | undefined) => {
        clearTimeout(silence)
        asked.waiting.delete(letGo)
        resolve(opened)
      }
      asked.waiting.add(letGo)
      const opened = asked.pool.then((pool) => pool.run(batch) as Promise<Joined>)
      opened.then(answer, (error: unknown) => giveUp(asked, error))
    })

  return {
    run: async (batch) => {
      if (ended || restedMs() < restMs) return undefined
      running ??= start()
      return ask(running, batch)
    },
    stop: async () => {
      ended = true
      await end().catch(complain)
    },
  }
}
