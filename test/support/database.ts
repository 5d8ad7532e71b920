import { cp } from 'node:fs/promises'
import { Socket } from 'node:net'

import pg from 'pg'

import { serviceUrl } from '../../src/platform/db/migrate.ts'
import {
  asOwner,
  dropDatabase,
  namesOf,
  onDatabase,
  startTestServer,
  type TestServer,
  testServicePassword,
} from './server.ts'

/** A database of one test file. It is dropped when the file has ended. */
export type TestDatabase = {
  /** For the service's own role: what the code under test should use. */
  url: string
  /** For the owner of the tables: to read what the service does not show, or to break things. */
  ownerUrl: string
  /** The service's role. */
  serviceRole: string
  /** Drops it now, and ends every connection to it. */
  drop: () => Promise<void>
}

/**
 * Creates a database as a copy of the run's migrated template (about 30 ms): the schema without a row. A file that runs without
 * `npm test` starts its own server.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_RUN: run } = await serverOfThisRun()
  return makeDatabase(namesOf(run).template)
}

/**
 * A database as the first start of a sandbox leaves it, and the files of its data folder in `dataDir`. The first who asks in a run
 * calls `seed` for that; all others get copies.
 */
export async function seededDatabase(seed: Seed, dataDir: string): Promise<TestDatabase> {
  const { TEST_RUN: run, TEST_SEEDS: seeds } = await serverOfThisRun()
  await (seeding ??= seedOnce(seed))
  const [database] = await Promise.all([
    makeDatabase(namesOf(run).seeded),
    cp(seeds, dataDir, { recursive: true, preserveTimestamps: true }),
  ])
  return database
}

/** Starts a service on a database and a data folder, and stops it. */
export type Seed = (database: TestDatabase, dataDir: string) => Promise<void>

let seeding: Promise<void> | undefined

async function seedOnce(seed: Seed): Promise<void> {
  const { TEST_SERVER_URL: server, TEST_RUN: run, TEST_SEEDS: seeds } = await serverOfThisRun()
  const { seeded } = namesOf(run)
  await asOwner(server, async (owner) => {
    // Other processes of the run wait here, and find it made. The lock ends with the connection.
    await owner.query('select pg_advisory_lock(hashtext($1))', [seeded])
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [seeded])
    if (rowCount === 1) return
    const database = await testDatabase()
    await seed(database, seeds)
    await owner.query(`alter database ${new URL(database.ownerUrl).pathname.slice(1)} rename to ${seeded}`)
  })
}

/** Creates an empty database, without the schema. */
export const emptyDatabase = (): Promise<TestDatabase> => makeDatabase('template0')

let created: TestDatabase[] = []
let count = 0
let ownServer: Promise<TestServer> | undefined

async function serverOfThisRun(): Promise<TestServer['env']> {
  const { TEST_SERVER_URL, TEST_RUN, TEST_SEEDS } = process.env
  if (TEST_SERVER_URL && TEST_RUN && TEST_SEEDS) return { TEST_SERVER_URL, TEST_RUN, TEST_SEEDS }
  ownServer ??= startTestServer()
  return (await ownServer).env
}

async function makeDatabase(template: string): Promise<TestDatabase> {
  const { TEST_SERVER_URL: server, TEST_RUN: run } = await serverOfThisRun()
  const names = namesOf(run)
  const name = names.database(`${process.pid}_${count}`)
  count += 1
  await onServer((owner) => owner.query(`create database ${name} template ${template} strategy file_copy`))

  const ownerUrl = onDatabase(server, name)
  const drop = () => onServer((owner) => dropDatabase(owner, name))
  const database = {
    url: serviceUrl(ownerUrl, names.role, testServicePassword),
    ownerUrl,
    serviceRole: names.role,
    drop,
  }
  created.push(database)
  return database
}

/**
 * The owner's connection to the server, for all databases of this process: a new one each time would cost a third of what making or
 * dropping a database does. It keeps no process alive that has nothing else to do.
 */
let connected: Promise<{ owner: pg.Client; socket: Socket }> | undefined
let working = 0

async function onServer<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const { owner, socket } = await (connected ??= connectOwner())
  working += 1
  socket.ref()
  try {
    return await work(owner)
  } finally {
    working -= 1
    if (working === 0) socket.unref()
  }
}

async function connectOwner(): Promise<{ owner: pg.Client; socket: Socket }> {
  const { TEST_SERVER_URL: connectionString } = await serverOfThisRun()
  const socket = new Socket()
  const owner = new pg.Client({ connectionString, stream: () => socket })
  // A server that ends while nothing is asked of it fails nobody. The next who asks connects again.
  owner.on('error', () => undefined)
  owner.once('end', () => (connected = undefined))
  await owner.connect()
  return { owner, socket }
}

// By now everything is closed that a test should close: nothing keeps the process alive.
process.once('beforeExit', () => void dropTestDatabases().then(() => ownServer?.then((server) => server.stop())))

/**
 * Drops the databases that this process has created so far. `bin/test-process.js` does this after each file.
 *
 * @public
 */
export async function dropTestDatabases(): Promise<void> {
  const databases = created
  created = []
  try {
    for (const { drop } of databases) await drop()
  } catch (error) {
    console.error('A test database could not be dropped. The end of the run tries again.', error)
  }
}
