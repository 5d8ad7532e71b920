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

/** Creates an empty database, without the schema. */
export const emptyDatabase = (): Promise<TestDatabase> => makeDatabase('template0')

let created: TestDatabase[] = []
let count = 0
let ownServer: Promise<TestServer> | undefined

async function serverOfThisRun(): Promise<TestServer['env']> {
  const { TEST_SERVER_URL, TEST_RUN } = process.env
  if (TEST_SERVER_URL && TEST_RUN) return { TEST_SERVER_URL, TEST_RUN }
  ownServer ??= startTestServer()
  return (await ownServer).env
}

async function makeDatabase(template: string): Promise<TestDatabase> {
  const { TEST_SERVER_URL: server, TEST_RUN: run } = await serverOfThisRun()
  const names = namesOf(run)
  const name = names.database(`${process.pid}_${count}`)
  count += 1
  await asOwner(server, (client) => client.query(`create database ${name} template ${template} strategy file_copy`))

  const ownerUrl = onDatabase(server, name)
  const drop = () => asOwner(server, (client) => dropDatabase(client, name))
  const database = {
    url: serviceUrl(ownerUrl, names.role, testServicePassword),
    ownerUrl,
    serviceRole: names.role,
    drop,
  }
  created.push(database)
  return database
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
