import type pg from 'pg'

import { detach } from '../lib/detach.ts'
import type { Log } from '../lib/log.ts'
import { loneClient } from './lone-client.ts'
import type { Database } from './sql.ts'

/** Notifies other processes of work that this one has written and does not do itself. */
export type Notifier = {
  /** Sends a topic soon, once for all calls of the next few milliseconds. Never inside an atomic block, where it would serialize commits. */
  notify(topic: string): void
  /** Sends what is pending. Call it before the database is closed. */
  close(): Promise<void>
}

/** The name stays as it is: older processes listen to it during an upgrade. */
const channel = 'cambio_bell'
const gatherMs = 2
const retryMs = 2_000
const askMs = 5_000

/** Opens a notifier, which does not listen. */
export function openNotifier(db: Database, log: Log): Notifier {
  const topics = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function send(): Promise<void> {
    timer = undefined
    const pending = [...topics]
    topics.clear()
    try {
      await Promise.all(pending.map((topic) => db.sql`select pg_notify(${channel}, ${topic})`))
    } catch (error) {
      log.warn({ err: error }, 'Failed to notify other processes; they will find the work by polling.')
    }
  }
  return {
    notify: (topic) => {
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
 * Listens on a dedicated connection, and reconnects when it breaks. `onNotification` gets each topic, and `all` after connecting,
 * because anything may have been missed.
 */
export function listenForNotifications(
  urls: string[],
  log: Log,
  onNotification: (topic: string) => void,
): { close(): Promise<void> } {
  let client: pg.Client | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function connect(index = 0): Promise<void> {
    const url = urls[index % urls.length]
    const mine = loneClient({ connectionString: url, query_timeout: askMs })
    const ask = () => mine.query('select 1').catch(() => mine.end())
    // A host that vanished says nothing, like one that has nothing to say.
    const pulse = setInterval(() => detach(ask()), askMs)
    mine.on('notification', ({ payload }) => onNotification(payload ?? 'all'))
    mine.on('end', () => {
      clearInterval(pulse)
      if (!closed) timer = setTimeout(() => detach(connect(index + 1)), retryMs)
    })
    try {
      await mine.connect()
      await mine.query(`listen ${channel}`)
      client = mine
      if (closed) await mine.end()
      else onNotification('all')
    } catch (error) {
      log.warn({ err: error }, 'Failed to listen for notifications of other processes; retrying.')
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
