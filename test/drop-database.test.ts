import assert from 'node:assert/strict'
import { test } from 'node:test'

import pg from 'pg'

import { testDatabase } from './support/database.ts'
import { asOwner, dropDatabase, onDatabase } from './support/server.ts'

/** The URL by which a role of this file reaches a database. */
function asRole(url: string, role: string): string {
  const other = new URL(url)
  other.username = role
  other.password = 'only-for-tests'
  return other.href
}

// The server's own vacuum, which no test can call, is refused to such an owner by the same rule as a stranger's connection.
test('a database goes though its owner is no superuser and somebody else’s connection is open', async () => {
  const { ownerUrl: url, serviceRole } = await testDatabase()
  const name = `${serviceRole}_${process.pid}`
  const [owner, stranger] = [`${name}_owner`, `${name}_stranger`]
  await asOwner(url, async (client) => {
    await client.query(`create role ${owner} login createdb createrole password 'only-for-tests'`)
  })
  await asOwner(asRole(url, owner), async (client) => {
    await client.query(`create database ${name}`)
    await client.query(`create role ${stranger} login password 'only-for-tests'`)
    const open = new pg.Client({ connectionString: asRole(onDatabase(url, name), stranger) })
    const told: string[] = []
    open.on('error', ({ message }) => told.push(message))
    const ended = new Promise<void>((resolve) => open.once('end', resolve))
    await open.connect()
    await dropDatabase(client, name)
    await ended
    assert.equal(told[0], 'terminating connection due to administrator command')
    assert.equal((await client.query('select 1 from pg_database where datname = $1', [name])).rowCount, 0)
    await client.query(`drop role ${stranger}`)
  })
  await asOwner(url, (client) => client.query(`drop role ${owner}`))
})
