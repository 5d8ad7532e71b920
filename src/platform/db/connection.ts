import type { Writable } from 'node:stream'

import pg from 'pg'

import { detach } from '../lib/detach.ts'

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

/** One connection. Statements are sent as they come, without waiting for each other's answers (a pipeline). */
export type Connection = {
  /** Statements sent and not yet answered. */
  busy: number
  /** Taken by an atomic block: nobody else may use it. */
  taken: boolean
  /** True from the moment on when it cannot be used any more. */
  lost: boolean
  run(statement: Statement): Promise<Result>
  end(): Promise<void>
}

/** How a connection is opened: where, under what limits, and what to do when it breaks. */
export type ConnectionOptions = {
  url: string
  applicationName: string
  statementTimeoutMs: number
  connectTimeoutMs: number
}

/** What opens connections. */
export type Connect = typeof connect

/** Opens a connection; `onLost` is called once, when it can no longer be used. */
export async function connect(
  options: ConnectionOptions,
  onLost: (connection: Connection) => void,
): Promise<Connection> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    lock_timeout: options.statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    pipeline: true,
    types,
  })

  const connection: Connection = {
    busy: 0,
    taken: false,
    lost: false,
    run: (statement) =>
      new Promise((resolve, reject) => {
        connection.busy += 1
        corkForNow(client)
        client.query(statement, (error: Error | null, result: pg.QueryResult) => {
          connection.busy -= 1
          if (error) {
            if (hasOldPlans(error)) detach(client.end())
            reject(error)
          } else resolve(result)
        })
      }),
    end: () => client.end(),
  }
  const lose = () => {
    if (connection.lost) return
    connection.lost = true
    onLost(connection)
  }
  client.on('error', lose)
  client.on('end', lose)
  await client.connect()
  return connection
}

/** A migration has changed a table under statements that this connection had prepared: only a new connection knows it. */
const hasOldPlans = (error: Error): boolean =>
  'code' in error && error.code === '0A000' && error.message.includes('cached plan')

const corked = new WeakSet<Writable>()

/** What is sent in one turn of the event loop leaves in one piece: the driver would write each statement by itself. */
function corkForNow(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  if (corked.has(stream)) return
  corked.add(stream)
  stream.cork()
  process.nextTick(() => {
    corked.delete(stream)
    stream.uncork()
  })
}
