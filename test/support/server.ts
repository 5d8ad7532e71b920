import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import pg from 'pg'

import { startEmbedded, throwaway } from '../../src/platform/db/embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { useMemoryFolder } from './memory-folder.ts'

/** Where a test run creates its databases. Every test file reads this from its environment. */
export type TestServer = {
  env: { TEST_SERVER_URL: string; TEST_RUN: string; TEST_SEEDS: string }
  /** Drops every database and role of this run, and stops the server if the run started it. */
  stop: () => Promise<void>
}

/** Names that contain the run, so that runs can share an external server. */
export const namesOf = (run: string) => ({
  role: `cambio_test_${run}`,
  template: `cambio_test_${run}_template`,
  seeded: `cambio_test_${run}_seeded`,
  database: (number: string) => `cambio_test_${run}_${number}`,
})

/** The service role's password in tests, on every server. */
export const testServicePassword = 'only-for-tests'

/** The same server's URL for another database. */
export function onDatabase(url: string, database: string): string {
  const other = new URL(url)
  other.pathname = `/${database}`
  return other.href
}

/**
 * Prepares one server for a run: the one at TEST_DATABASE_URL, whose role must be able to create databases and roles, or an
 * embedded one in a temporary folder that trades durability for speed. When this resolves, the template is migrated.
 */
export async function startTestServer(): Promise<TestServer> {
  useMemoryFolder()
  const run = `${process.pid}_${Math.floor(process.uptime() * 1000)}`
  const { url, stop } = await ownOrExternal()
  const names = namesOf(run)
  const seeds = await temporaryFolder('cambio-test-seeds-')
  try {
    await asOwner(url, async (client) => {
      await client.query(`create database ${names.template}`)
    })
    await migrate({
      ownerUrl: onDatabase(url, names.template),
      serviceRole: names.role,
      servicePassword: testServicePassword,
    })
    // An owner who is not a superuser may only end connections of roles it is a member of.
    await asOwner(url, (client) => client.query(`grant ${names.role} to current_user`))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    env: { TEST_SERVER_URL: url, TEST_RUN: run, TEST_SEEDS: seeds },
    stop: async () => {
      await removeAll(url, names.role)
      await stop()
    },
  }
}

/** Runs `work` on a new connection, as the role that owns the test databases. */
export async function asOwner<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Connections that stay for the next `askOwner`: making one costs the server more than most questions do. */
const kept = new Map<string, pg.Pool>()

/** Asks one question as the owner of a database, on a connection that was used before. One on which a question failed is closed. */
export async function askOwner<Row extends object>(url: string, sql: string, values: unknown[]): Promise<Row[]> {
  const pool = kept.get(url) ?? keepConnections(url)
  const client = await pool.connect()
  let hasFailed = true
  try {
    const { rows } = await client.query<Row>(sql, values)
    hasFailed = false
    return rows
  } finally {
    client.release(hasFailed)
  }
}

function keepConnections(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 20, idleTimeoutMillis: 2_000, allowExitOnIdle: true })
  // Idle connections end when their database is dropped or its server stops.
  pool.on('error', () => undefined)
  kept.set(url, pool)
  return pool
}

/** Closes what `askOwner` keeps of a database, which cannot be copied before. */
export async function closeKept(url: string): Promise<void> {
  const pool = kept.get(url)
  kept.delete(url)
  await pool?.end()
}

async function ownOrExternal(): Promise<{ url: string; stop: () => Promise<void> }> {
  const external = process.env.TEST_DATABASE_URL
  if (external) return { url: external, stop: () => Promise.resolve() }

  const dataDir = await temporaryFolder('cambio-test-')
  // Vacuuming would visit every database of the run over and over, though none lives long enough to need it.
  const settings = { ...throwaway, max_connections: '200', max_wal_size: '256MB', autovacuum_naptime: '10min' }
  const server = await startEmbedded({ dataDir, settings })
  return { url: server.url, stop: () => server.stop() }
}

/** A folder that goes with this process, even where the server in it was not stopped. */
async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Drops a database and ends every connection to it. Not with `drop ... with (force)`: PostgreSQL refuses that to an owner who is not
 * a superuser while autovacuum works in the database (TerminateOtherDBBackends in its source), but a plain drop ends autovacuum
 * and waits. So this stops new connections and ends the others first.
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ datconnlimit: number }>(
    'select datconnlimit from pg_database where datname = $1',
    [name],
  )
  const [found] = rows
  if (!found) return
  // Minus two: whatever dropped it before was killed. It can only be dropped.
  if (found.datconnlimit !== -2) await client.query(`alter database ${name} with allow_connections false`)
  await joinConnectedRoles(client, name)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename is not null',
    [name],
  )
  await client.query(`drop database ${name}`)
}

/** Makes the current role a member of every role with a connection to a database: only members may end a role's connections. */
export async function joinConnectedRoles(client: pg.Client, database: string): Promise<void> {
  const roles = await client.query<{ usename: string }>(
    `select distinct usename from pg_stat_activity
     where datname = $1 and usename is not null and not pg_has_role(current_user, usesysid, 'usage')`,
    [database],
  )
  for (const { usename } of roles.rows)
    await client.query(`grant ${pg.escapeIdentifier(usename)} to ${pg.escapeIdentifier(client.user ?? '')}`)
}

/** Drops what is left of a run, including databases that tests left open. */
async function removeAll(url: string, role: string): Promise<void> {
  await asOwner(url, async (client) => {
    const left = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [`${role}_`],
    )
    for (const { datname } of left.rows) await dropDatabase(client, datname)
    const roles = await client.query<{ rolname: string }>(
      'select rolname from pg_roles where rolname = $1 or starts_with(rolname, $2)',
      [role, `${role}_`],
    )
    for (const { rolname } of roles.rows) await client.query(`drop role ${rolname}`)
  })
}
