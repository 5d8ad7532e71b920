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

/** A database of one test file. It goes away by itself when the file has ended and closed what it had opened. */
export type TestDatabase = {
  /** For the service's own role: what the code under test should use. */
  url: string
  /** For the owner of the tables: to look behind the service's back, or to break things. */
  ownerUrl: string
  /** The service's role. */
  serviceRole: string
  /** Removes it now, and ends every connection to it. */
  drop: () => Promise<void>
}

/**
 * Makes a database as a copy of the run's migrated template (some 30 ms): the schema is there, and no row. A file that is
 * run by itself, without `npm test`, starts a server for itself.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_RUN: run } = await serverOfThisRun()
  return makeDatabase(namesOf(run).template)
}

/** Makes a database with nothing in it, not even a schema. */
export const emptyDatabase = (): Promise<TestDatabase> => makeDatabase('template0')

const made: TestDatabase[] = []
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
  const name = names.database(`${process.pid}_${made.length}`)
  await asOwner(server, (client) => client.query(`create database ${name} template ${template} strategy file_copy`))

  const ownerUrl = onDatabase(server, name)
  const drop = () => asOwner(server, (client) => dropDatabase(client, name))
  const database = {
    url: serviceUrl(ownerUrl, names.role, testServicePassword),
    ownerUrl,
    serviceRole: names.role,
    drop,
  }
  made.push(database)
  return database
}

// Only now is every connection closed that a test should close: nothing keeps the process any more.
process.once('beforeExit', () => void removeAll())

/** What cannot be removed now is removed when the run ends: it says nothing against what was tested here. */
async function removeAll(): Promise<void> {
  try {
    if (ownServer) await (await ownServer).stop()
    else for (const { drop } of made) await drop()
  } catch (error) {
    console.error('A database of this file could not be removed; the end of the run tries again.', error)
  }
}
