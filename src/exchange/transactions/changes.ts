import type { Ctx } from '../context.ts'
import * as queries from './changes.sql.ts'

/** Notifies listeners when transactions change. */
export type Changes = {
  /**
   * Calls `onChange` soon after any process changes the transaction; and once soon after now, because the caller read the
   * transaction before it began to listen. Returns a function that stops it.
   */
  follow(publicId: bigint, onChange: () => void): () => void
  /** Stops following all transactions. */
  close(): void
}

/** How often a process looks, in real milliseconds: once for all that is followed, and not at all where nothing is. */
const everyMs = 1_000

/** The most transactions of one look. */
const mostAtOnce = 5_000

/**
 * Tells followers when transactions change. One question a second finds all changes of all that is followed, so that a thousand
 * open pages cost the database no more than one.
 */
export function openChanges({ db, log }: Pick<Ctx, 'db' | 'log'>): Changes {
  const followed = new Map<bigint, Set<() => void>>()
  const known = new Map<bigint, number>()
  /** Listeners that have not been called yet. */
  const fresh = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function look(): Promise<void> {
    const ids = [...followed.keys()].slice(0, mostAtOnce)
    // Listeners that join during a look are called by the next one: this one may not see what they have missed.
    const newcomers = new Set(fresh)
    try {
      for (const { public_id: id, updated_at: at } of ids.length > 0 ? await queries.lastChanges(db, ids) : []) {
        const before = known.get(id)
        if (followed.has(id)) known.set(id, at.getTime())
        const hasChanged = before !== undefined && before !== at.getTime()
        for (const tell of followed.get(id) ?? []) if (hasChanged || newcomers.has(tell)) tell()
      }
      for (const listener of newcomers) fresh.delete(listener)
    } catch (error) {
      log.warn({ err: error }, 'Changes of open orders could not be looked for; trying again.')
    }
    timer = undefined
    lookSoon()
  }

  function lookSoon(): void {
    if (!closed && followed.size > 0) timer ??= setTimeout(() => void look(), everyMs)
  }

  return {
    follow: (id, onChange) => {
      const all = followed.get(id) ?? new Set()
      followed.set(id, all.add(onChange))
      fresh.add(onChange)
      lookSoon()
      return () => {
        all.delete(onChange)
        fresh.delete(onChange)
        if (all.size > 0 || followed.get(id) !== all) return
        followed.delete(id)
        known.delete(id)
      }
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      followed.clear()
    },
  }
}
