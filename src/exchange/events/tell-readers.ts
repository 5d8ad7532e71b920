import type { Atomic } from '../../platform/db/sql.ts'
import type { Waiting } from './await.ts'
import type { Sequenced } from './relay.ts'

/** How events that were placed are announced to readers who wait: here, and in other processes. */
export type ToldReaders = {
  /** For the relay: to be called in its block with what it has placed. */
  onSequenced(db: Atomic, events: readonly Sequenced[]): void
  /** For whoever listens to the bell; what concerns somebody else is ignored. */
  onRing(topic: string): void
}

const prefix = 'feed:'
/** Rings of so long are one; and the longest list of partners that is worth its letters. */
const gatherMs = 15
const mostNamed = 200

/** Announces in this process's waiting room, and by `ring` in others. */
export function tellReaders(waiting: Waiting, ring: (topic: string) => void): ToldReaders {
  const unrung = new Set<bigint>()
  let timer: NodeJS.Timeout | undefined

  function ringAll(): void {
    timer = undefined
    ring(prefix + (unrung.size > mostNamed ? 'all' : [...unrung].join()))
    unrung.clear()
  }

  return {
    onSequenced: (db, events) => {
      const partnerIds = [...new Set(events.map((event) => event.partner_id))]
      db.afterCommit(() => {
        waiting.tell(partnerIds)
        for (const id of partnerIds) unrung.add(id)
        timer ??= setTimeout(ringAll, gatherMs)
      })
    },
    onRing: (topic) => {
      if (topic === 'all' || topic === `${prefix}all`) waiting.tell('all')
      else if (topic.startsWith(prefix)) waiting.tell(topic.slice(prefix.length).split(',').map(BigInt))
    },
  }
}
