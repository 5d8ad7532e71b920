import { detach } from '../platform/lib/detach.ts'

/** A look that is repeated until it is stopped. */
export type Looking = {
  /** True where there is more to read at once; a number is another pause than `everyMs`, in milliseconds. */
  look(): Promise<boolean | number>
  /** A look that failed is tried again after the pause. */
  onError(error: unknown): void
  everyMs: number
  /** Gives back the lease, once the last look is over. */
  release?(): Promise<unknown>
}

/** Repeats a look: at once while there is more to read, else after a pause. */
export function keepLooking({ look, onError, everyMs, release }: Looking): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  async function lookOnce(): Promise<void> {
    let more: boolean | number = false
    try {
      more = await look()
    } catch (error) {
      onError(error)
    }
    if (stopped) return
    timer = setTimeout(() => start(), typeof more === 'number' ? more : more ? 0 : everyMs)
  }
  function start(): void {
    running = lookOnce()
    detach(running)
  }
  start()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
      await release?.()
    },
  }
}
