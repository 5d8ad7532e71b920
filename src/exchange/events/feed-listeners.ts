import type { Atomic } from '../../platform/db/sql.ts'
import type { Sequenced } from './queries.ts'

/** Requests of this process that wait for new events of a partner. A waiting request costs a timer and nothing else. */
export type FeedListeners = {
  /** Starts listening for a partner's events. Call it before the read that finds none, so that nothing is missed in between. */
  listen(partnerId: bigint): FeedListener
  /** Notifies the listeners of these partners, or of all, that their feeds may have new events. */
  notify(partnerIds: Iterable<bigint> | 'all'): void
  /** Releases all listeners, now and from now on: the service stops. */
  stop(): void
  hasStopped(): boolean
  /** How many requests of a partner listen. */
  countOf(partnerId: bigint): number
}

export type FeedListener = {
  /** True when it was notified since the last call; false after so many milliseconds, or when the listeners stop. */
  next(ms: number): Promise<boolean>
  close(): void
}

/** Opens the listeners of this process. */
export function openFeedListeners(): FeedListeners {
  const listeners = new Map<bigint, Set<(isNews: boolean) => void>>()
  let stopped = false

  const callAll = (partnerIds: Iterable<bigint>, isNews: boolean) => {
    for (const partnerId of partnerIds) for (const call of listeners.get(partnerId) ?? []) call(isNews)
  }

  return {
    listen: (partnerId) => {
      let isNotified = false
      let wake: (() => void) | undefined
      const call = (isNews: boolean) => {
        isNotified ||= isNews
        wake?.()
      }
      const others = listeners.get(partnerId) ?? new Set()
      listeners.set(partnerId, others.add(call))
      return {
        next: async (ms) => {
          if (stopped) return false
          if (!isNotified) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, ms)
              wake = () => {
                clearTimeout(timer)
                resolve()
              }
            })
          }
          wake = undefined
          const isNews = isNotified
          isNotified = false
          return isNews
        },
        close: () => {
          others.delete(call)
          if (others.size === 0 && listeners.get(partnerId) === others) listeners.delete(partnerId)
          wake?.()
        },
      }
    },
    notify: (partnerIds) => callAll(partnerIds === 'all' ? listeners.keys() : partnerIds, true),
    stop: () => {
      stopped = true
      callAll(listeners.keys(), false)
    },
    hasStopped: () => stopped,
    countOf: (partnerId) => listeners.get(partnerId)?.size ?? 0,
  }
}

/** Notifies the feed listeners of this process and of others. */
export type FeedNotifier = {
  /** For the relay, in its block: what was placed in the feeds is announced after the commit. */
  onSequenced(db: Atomic, events: readonly Sequenced[]): void
  /** For notifications from other processes; other topics are ignored. */
  onNotification(topic: string): void
}

const prefix = 'feed:'
/** Notifications of so long are sent as one; a longer list of partners is sent as `all`. */
const gatherMs = 15
const maxPartners = 200

/** Opens the notifier; `send` reaches the other processes. */
export function openFeedNotifier(listeners: FeedListeners, send: (topic: string) => void): FeedNotifier {
  const unsent = new Set<bigint>()
  let timer: NodeJS.Timeout | undefined

  function sendAll(): void {
    timer = undefined
    send(prefix + (unsent.size > maxPartners ? 'all' : [...unsent].join()))
    unsent.clear()
  }

  return {
    onSequenced: (db, events) => {
      const partnerIds = new Set(events.map((event) => event.partner_id))
      db.afterCommit(() => {
        listeners.notify(partnerIds)
        for (const id of partnerIds) unsent.add(id)
        timer ??= setTimeout(sendAll, gatherMs)
      })
    },
    onNotification: (topic) => {
      if (topic === 'all' || topic === `${prefix}all`) listeners.notify('all')
      else if (topic.startsWith(prefix)) listeners.notify(topic.slice(prefix.length).split(',').map(BigInt))
    },
  }
}
