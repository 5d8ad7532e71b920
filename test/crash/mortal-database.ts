import pg from 'pg'

import { type Embedded, startEmbedded } from '../../src/platform/db/embedded.ts'

/** A durable PostgreSQL that is killed and started again. */
export type MortalDatabase = {
  /** The owner's URL; the same after every start. */
  url: string
  /** Runs SQL as the owner of the tables. `bigint` and `numeric` come as text. */
  ask<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  /** Kills the server with everything that belongs to it, and starts it again. Resolves when it answers. */
  killAll(): Promise<void>
  /** Kills one of the processes that serve a connection: the server ends all others, recovers and continues by itself. */
  killBackend(): Promise<void>
  stop(): Promise<void>
}

/** Starts it in its own folder, as durable as an operator's. */
export async function openMortalDatabase(dataDir: string): Promise<MortalDatabase> {
  let server: Embedded = await startEmbedded({ dataDir })
  const { url } = server

  async function ask<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Row>(sql, values)).rows
    } finally {
      await client.end()
    }
  }

  return {
    url,
    ask,
    killAll: async () => {
      const family = await ask<{ pid: number }>('select pid from pg_stat_activity where pid <> pg_backend_pid()').catch(
        () => [],
      )
      for (const pid of [server.pid, ...family.map((one) => one.pid)]) killIfThere(pid)
      await server.ended
      server = await startEmbedded({ dataDir })
    },
    killBackend: async () => {
      const [backend] = await ask<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'cambio' order by random() limit 1",
      ).catch(() => [])
      if (backend) killIfThere(backend.pid)
    },
    stop: () => server.stop(),
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
