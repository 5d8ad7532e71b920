import type pg from 'pg'

import { detach } from '../lib/detach.ts'
import type { Log } from '../lib/log.ts'
import { loneClient } from './lone-client.ts'
import type { Database } from './sql.ts'

/** Wakes other processes: whoever has written work that it does not do itself rings, whoever does such work listens. */
export type Bell = {
  /** Rings soon, once for all calls of the next few milliseconds. Never inside an atomic block: it would queue commits. */
  ring(topic: string): void
  /** Rings what is still to be rung, and ends. To be called before the database is closed. */
  close(): Promise<void>
}

const channel = 'cambio_bell'
const gatherMs = 2
const retryMs = 2_000

/** Who rings only; nothing is listened to. */
export function openBell(db: Database, log: Log): Bell {
  const topics = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function send(): Promise<void> {
    timer = undefined
    const rung = [...topics]
    topics.clear()
    try {
      await Promise.all(rung.map((topic) => db.sql`select pg_notify(${channel}, ${topic})`))
    } catch (error) {
      log.warn({ err: error }, 'Other processes could not be woken; they will find the work by themselves.')
    }
  }
  return {
    ring: (topic) => {
      topics.add(topic)
      timer ??= setTimeout(() => detach(send()), gatherMs)
    },
    close: async () => {
      clearTimeout(timer)
      if (timer) await send()
    },
  }
}

/**
 * Listens on a connection of its own, and again when that breaks. `onRing` is called for each topic, and with every topic
 * that there may have been (`all`) after a break.
 */
export function listenToBell(urls: string[], log: Log, onRing: (topic: string) => void): { close(): Promise<void> } {
  let client: pg.Client | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function connect(index = 0): Promise<void> {
    const url = urls[index % urls.length]
    const mine = loneClient({ connectionString: url, keepAlive: true, connectionTimeoutMillis: 5_000 })
    mine.on('notification', ({ payload }) => onRing(payload ?? 'all'))
    mine.on('end', () => {
      if (!closed) timer = setTimeout(() => detach(connect(index + 1)), retryMs)
    })
    try {
      await mine.connect()
      await mine.query(`listen ${channel}`)
      client = mine
      if (closed) await mine.end()
      else onRing('all')
    } catch (error) {
      log.warn({ err: error }, 'The bell of other processes cannot be heard; trying again.')
      await mine.end().catch(() => undefined)
    }
  }
  detach(connect())
  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
