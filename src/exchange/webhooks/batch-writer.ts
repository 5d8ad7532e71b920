import type { Log } from '../../platform/lib/log.ts'

/** Collects items and writes them in batches, one batch at a time. */
export type BatchWriter<Item> = {
  add(item: Item): void
  /** Writes what was added without waiting for more. */
  flush(): void
  /** Resolves when everything was written, or failed once more. */
  drain(): Promise<void>
  idle(): boolean
}

/** How long an item waits for others, how many are enough not to wait, and how many fit into a batch. */
const lingerMs = 20
const enough = 256
const maxBatch = 512
const retryMs = 500

/** SQLSTATE classes of what can never be written: errors in data, constraints, or the statement itself. */
const permanent = /^(21|22|23|42|P0)/

const isPermanent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && permanent.test(error.code)

/** Opens a writer. A batch that fails is written again; one that can never be written is split until only the item at fault is dropped. */
export function openBatchWriter<Item>(
  { write, drop }: { write: (items: Item[]) => Promise<void>; drop: (item: Item) => void },
  log: Log,
): BatchWriter<Item> {
  const items: Item[] = []
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let flushing = false
  let draining = false

  async function run(): Promise<void> {
    // Items added in this same turn of the event loop join the batch.
    await new Promise(setImmediate)
    while (items.length > 0 && (flushing || draining || items.length >= enough)) {
      flushing = false
      await writeBatch(items.splice(0, maxBatch))
    }
    running = undefined
    if (items.length > 0) schedule()
  }

  async function writeBatch(batch: Item[]): Promise<void> {
    try {
      await write(batch)
    } catch (error) {
      if (!draining && isPermanent(error)) return split(batch, error)
      log.warn({ err: error, attempts: batch.length }, 'Failed to record delivery attempts; retrying.')
      if (draining) return
      items.unshift(...batch)
      flushing = true
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }

  async function split(batch: Item[], error: unknown): Promise<void> {
    const half = Math.ceil(batch.length / 2)
    if (batch.length > 1) {
      await writeBatch(batch.slice(0, half))
      return writeBatch(batch.slice(half))
    }
    log.error({ err: error }, 'A delivery attempt cannot be recorded; the event is sent again when its lease expires.')
    for (const item of batch) drop(item)
  }

  function schedule(): void {
    if (flushing || items.length >= enough) running ??= run()
    else timer ??= setTimeout(flush, lingerMs)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (items.length === 0) return
    flushing = true
    schedule()
  }

  return {
    flush,
    add: (item) => {
      items.push(item)
      schedule()
    },
    drain: async () => {
      draining = true
      while (running || items.length > 0) await (running ??= run())
      clearTimeout(timer)
    },
    idle: () => running === undefined && items.length === 0,
  }
}
