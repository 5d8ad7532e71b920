/** Readers of the feed who wait for what comes, in this process. A waiting reader costs a timer and nothing else. */
export type Waiting = {
  /** Begins to listen for a partner's events. To be called before the look that finds none, so that nothing falls between. */
  listen(partnerId: bigint): Listener
  /** Says that events have got their place in the feeds of these partners, or perhaps of any. */
  tell(partnerIds: readonly bigint[] | 'all'): void
  /** Lets everybody go, now and from now on: the service ends. */
  end(): void
  hasEnded(): boolean
  /** How many readers of a partner wait. */
  countOf(partnerId: bigint): number
}

/** One reader. */
export type Listener = {
  /** Resolves when something was told since the last call, after so many milliseconds (false), or at the end (false). */
  next(ms: number): Promise<boolean>
  /** Stops listening; whoever waits is let go. */
  close(): void
}

/** Opens the waiting room of this process. */
export function openWaiting(): Waiting {
  const rooms = new Map<bigint, Set<() => void>>()
  let ended = false
  const waiters = new Set<() => void>()

  const tellRoom = (partnerId: bigint) => {
    for (const hear of rooms.get(partnerId) ?? []) hear()
  }

  return {
    listen: (partnerId) => {
      let told = false
      let resolve: ((isTold: boolean) => void) | undefined
      const hear = () => {
        told = true
        resolve?.(true)
      }
      const room = rooms.get(partnerId) ?? new Set()
      rooms.set(partnerId, room.add(hear))
      return {
        next: async (ms) => {
          if (ended) return false
          if (!told) {
            const isTold = await new Promise<boolean>((done) => {
              const over = () => answer(false)
              const timer = setTimeout(over, ms)
              const answer = (isTold: boolean) => {
                clearTimeout(timer)
                waiters.delete(over)
                done(isTold)
              }
              waiters.add(over)
              resolve = answer
            })
            resolve = undefined
            if (!isTold) return false
          }
          told = false
          return true
        },
        close: () => {
          room.delete(hear)
          if (room.size === 0 && rooms.get(partnerId) === room) rooms.delete(partnerId)
          resolve?.(false)
        },
      }
    },
    tell: (partnerIds) => {
      for (const partnerId of partnerIds === 'all' ? rooms.keys() : partnerIds) tellRoom(partnerId)
    },
    end: () => {
      ended = true
      for (const over of waiters) over()
    },
    hasEnded: () => ended,
    countOf: (partnerId) => rooms.get(partnerId)?.size ?? 0,
  }
}
