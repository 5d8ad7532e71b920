import type { Duplex } from 'node:stream'

import pg from 'pg'

import { detach } from '../lib/detach.ts'
import { inTime } from '../lib/in-time.ts'

import type { Statement } from './sql.ts'

const INT8 = 20
const NUMERIC = 1700
const XID8 = 5069

/** Every number that SQL may hold beyond 53 bits is read as bigint: nothing of ours is ever a float. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
    oid === INT8 || oid === NUMERIC || oid === XID8 ? BigInt : pg.types.getTypeParser(oid, format),
}

/** What a statement gave back: its rows and the command that the server says it ran (`COMMIT`, `ROLLBACK`, `INSERT` ...). */
export type Result = { rows: unknown[]; command: string }

/**
 * What a host says of itself: the server's system identifier, which every copy of its files shares, and its timeline, which rises
 * with each promotion. Zero on a standby.
 */
export type Host = { system: string; timeline: number }

/** One connection. Statements are sent as they come, without waiting for each other's answers (a pipeline). */
export type Connection = {
  host: Host
  /** Statements answered so far. */
  answered: number
  /** Statements sent and not yet answered. */
  busy: number
  /** Taken by an atomic block: nobody else may use it. */
  taken: boolean
  /** True from the moment on when it cannot be used any more. */
  lost: boolean
  run(statement: Statement): Promise<Result>
  /** Ends it when its statements are done; a host that says no goodbye is waited for two seconds. */
  end(): Promise<void>
  /** Ends it at once: what was sent and not answered fails. For a host that is silent, where `end` would wait. */
  destroy(): void
}

/** How a connection is opened: where, under what limits, and what to do when it breaks. */
export type ConnectionOptions = {
  url: string
  applicationName: string
  statementTimeoutMs: number
  connectTimeoutMs: number
  /** Called with the SQLSTATE of each statement that the server refuses, and its text. */
  onRefused?: (sqlState: string, text: string) => void
  /** Gives up what is not open yet. */
  signal?: AbortSignal
}

/** What opens connections. */
export type Connect = typeof connect

/**
 * Opens a connection; `onLost` is called once, when it can no longer be used. A pooler may refuse limits that a session asks for:
 * then those of our role hold, which `migrate` sets.
 */
export async function connect(options: ConnectionOptions, onLost: OnLost): Promise<Connection> {
  const { statementTimeoutMs: limit } = options
  const limits = { statement_timeout: limit, idle_in_transaction_session_timeout: limit, lock_timeout: limit }
  try {
    return await connectWithin(limits, options, onLost)
  } catch (error) {
    if (!isLimitRefused(error)) throw error
    return connectWithin({}, options, onLost)
  }
}

type OnLost = (connection: Connection) => void

const isLimitRefused = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('unsupported startup parameter')

async function connectWithin(limits: pg.ClientConfig, options: ConnectionOptions, onLost: OnLost): Promise<Connection> {
  const client = new pg.Client({
    ...limits,
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types,
  })

  const lose = () => {
    if (connection.lost) return
    connection.lost = true
    onLost(connection)
  }
  let isPooled = false
  const connection: Connection = {
    host: { system: '', timeline: 0 },
    answered: 0,
    busy: 0,
    taken: false,
    lost: false,
    run: (statement) =>
      new Promise((resolve, reject) => {
        connection.busy += 1
        corkForNow(client)
        client.query(
          isPooled ? { ...statement, name: undefined } : statement,
          (error: Error | null, result: pg.QueryResult) => {
            connection.busy -= 1
            connection.answered += 1
            if (error) {
              if (isUseless(error)) {
                // Before it has ended: nobody is given it meanwhile.
                lose()
                detach(connection.end())
              }
              if ('code' in error) options.onRefused?.(String(error.code), statement.text)
              reject(error)
            } else resolve(result)
          },
        )
      }),
    end: () => {
      const ended = client.end()
      return connection.busy > 0 ? ended : inTime(goodbyeMs, ended).catch(() => connection.destroy())
    },
    destroy: () => void streamOf(client).destroy(new Error('Connection terminated: the host is silent.')),
  }
  client.on('error', lose)
  client.on('end', lose)
  options.signal?.addEventListener('abort', connection.destroy)
  try {
    await client.connect()
    const { pid, ...host } = await inTime(options.connectTimeoutMs, askHost(client))
    connection.host = host
    isPooled = pid !== processIdOf(client)
  } catch (error) {
    connection.destroy()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', connection.destroy)
  }
  return connection
}

/** What the server said when the session began. A pooler says another number, and gives statements to one server or another. */
const processIdOf = (client: pg.Client): number => (client as unknown as { processID: number }).processID

async function askHost(client: pg.Client): Promise<Host & { pid: number }> {
  // The name of the file that is written begins with the timeline, at once after a promotion; the control file follows later.
  const { rows } = await client.query<Host & { pid: number }>(`
    select pg_backend_pid() as pid, system_identifier::text as system, case when pg_is_in_recovery() then 0
      else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline
    from pg_control_system()`)
  const [host] = rows
  if (!host) throw new Error('Connection terminated: the host does not say what it is.')
  return host
}

const goodbyeMs = 2_000

/**
 * Only a new connection helps: a migration has changed a table under statements that this one had prepared, or its session may
 * not write (25006), which is decided when it begins.
 */
const isUseless = (error: Error): boolean =>
  'code' in error && (error.code === '25006' || (error.code === '0A000' && error.message.includes('cached plan')))

const streamOf = (client: pg.Client): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream

const corked = new WeakSet<Duplex>()

/** What is sent in one turn of the event loop leaves in one piece: the driver would write each statement by itself. */
function corkForNow(client: pg.Client): void {
  const stream = streamOf(client)
  if (corked.has(stream)) return
  corked.add(stream)
  stream.cork()
  process.nextTick(() => {
    corked.delete(stream)
    stream.uncork()
  })
}
