import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import pg from 'pg'

import { startEmbedded, throwaway } from '../../src/platform/db/embedded.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { useMemoryFolder } from './memory-folder.ts'

/** Where the databases of a test run are made, told to every test file by its environment. */
export type TestServer = {
  env: { TEST_SERVER_URL: string; TEST_RUN: string }
  /** Removes every database and role of this run, and the server if the run has started it. */
  stop: () => Promise<void>
}

/** The names that belong to one run, so that runs which share an external server do not meet. */
export const namesOf = (run: string) => ({
  role: `cambio_test_${run}`,
  template: `cambio_test_${run}_template`,
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
 * Makes one server ready for a run: the one of TEST_DATABASE_URL, whose role must be able to make databases and roles,
 * else an embedded one in a temporary folder that trades durability for speed. Ends with the template migrated.
 */
export async function startTestServer(): Promise<TestServer> {
  useMemoryFolder()
  const run = `${process.pid}_${Math.floor(process.uptime() * 1000)}`
  const { url, stop } = await ownOrExternal()
  const names = namesOf(run)
  try {
    await asOwner(url, async (client) => {
      await client.query(`create database ${names.template}`)
    })
    await migrate({
      ownerUrl: onDatabase(url, names.template),
      serviceRole: names.role,
      servicePassword: testServicePassword,
    })
    // An owner who is no superuser may end the connections of its members only.
    await asOwner(url, (client) => client.query(`grant ${names.role} to current_user`))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    env: { TEST_SERVER_URL: url, TEST_RUN: run },
    stop: async () => {
      await removeAll(url, names.role)
      await stop()
    },
  }
}

/** Runs `work` on a connection of its own, as the role that owns the test databases. */
export async function asOwner<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function ownOrExternal(): Promise<{ url: string; stop: () => Promise<void> }> {
  const external = process.env.TEST_DATABASE_URL
  if (external) return { url: external, stop: () => Promise.resolve() }

  const dataDir = await mkdtemp(join(tmpdir(), 'cambio-test-'))
  // Should nobody stop it, the server ends with this process; its folder must not stay either.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const settings = { ...throwaway, max_connections: '200', max_wal_size: '256MB' }
  const server = await startEmbedded({ dataDir, settings })
  return { url: server.url, stop: () => server.stop() }
}

/**
 * Removes a database and ends every connection to it. Not by `with (force)`: for an owner who is no superuser that is
 * refused whenever the server's own vacuum happens to be at work there (PostgreSQL source, TerminateOtherDBBackends),
 * while a plain drop ends it and waits. So the connections are ended first, and no new ones let in.
 */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ datconnlimit: number }>(
    'select datconnlimit from pg_database where datname = $1',
    [name],
  )
  const [found] = rows
  if (!found) return
  // Minus two: somebody was killed while dropping it. It can be dropped, and nothing else.
  if (found.datconnlimit !== -2) await client.query(`alter database ${name} with allow_connections false`)
  await joinStrangers(client, name)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename is not null',
    [name],
  )
  await client.query(`drop database ${name}`)
}

/** Who may make roles may join those that it made, and only members may end a role's connections. */
export async function joinStrangers(client: pg.Client, database: string): Promise<void> {
  const strangers = await client.query<{ usename: string }>(
    `select distinct usename from pg_stat_activity
     where datname = $1 and usename is not null and not pg_has_role(current_user, usesysid, 'usage')`,
    [database],
  )
  for (const { usename } of strangers.rows)
    await client.query(`grant ${pg.escapeIdentifier(usename)} to ${pg.escapeIdentifier(client.user ?? '')}`)
}

/** A database that a test has left open is closed: the run is over. */
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
