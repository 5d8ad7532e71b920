import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testDatabase } from '../../../test/support/database.ts'
import { asOwner } from '../../../test/support/server.ts'
import { loneClient } from './lone-client.ts'

test('a connection that is cut while nothing is asked fails the next statement, and does not end the process', async () => {
  const database = await testDatabase()
  const client = loneClient({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const gone = new Promise<void>((resolve) => void client.once('end', resolve))
  await asOwner(database.ownerUrl, (owner) => owner.query('select pg_terminate_backend($1)', [rows[0]?.pid]))
  await gone
  await assert.rejects(client.query('select 1'), /not queryable|terminat/)
  await database.drop()
})
