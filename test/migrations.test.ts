import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'

import { migrate } from '../src/platform/db/migrate.ts'
import { emptyDatabase } from './support/database.ts'
import { asOwner, testServicePassword } from './support/server.ts'
import { filesBelow } from './support/source.ts'

test('an empty database is brought up to date, and a second time nothing happens', async () => {
  const { ownerUrl, serviceRole, url } = await emptyDatabase()
  const options = { ownerUrl, serviceRole, servicePassword: testServicePassword }
  const numbered = filesBelow('migrations')
    .map((path) => basename(path))
    .filter((name) => /^\d/.test(name))

  assert.deepEqual(await migrate(options), { applied: numbered })
  assert.deepEqual(await migrate(options), { applied: [] })

  // The service gets in with what the migration gave it, and may read.
  await asOwner(url, (client) => client.query('select 1 from schema_migrations'))
})

test('two processes that migrate at once do it once', async () => {
  const { ownerUrl, serviceRole } = await emptyDatabase()
  const options = { ownerUrl, serviceRole, servicePassword: testServicePassword }

  const [one, other] = await Promise.all([migrate(options), migrate(options)])
  assert.equal(Math.min(one.applied.length, other.applied.length), 0)
  assert.ok(one.applied.length + other.applied.length > 0)
})

test('functions of ours look for tables where a session can put none, and the service makes no temporary tables', async () => {
  const { ownerUrl, serviceRole, url } = await emptyDatabase()
  await migrate({ ownerUrl, serviceRole, servicePassword: testServicePassword })
  const { rows } = await asOwner(ownerUrl, (client) =>
    client.query<{ name: string; set: string[] | null }>(
      `select proname as name, proconfig as set from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
       where nspname !~ '^pg_' and nspname <> 'information_schema'`,
    ),
  )
  assert.ok(rows.length > 5)
  const other = rows.filter(({ set }) => set?.includes('search_path=pg_catalog, public, pg_temp') !== true)
  assert.deepEqual(other, [])
  await assert.rejects(
    asOwner(url, (client) => client.query('create temporary table halt_seals (nonce uuid)')),
    /permission denied to create temporary tables/,
  )
})
