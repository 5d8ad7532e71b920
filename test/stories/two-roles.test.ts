import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import type pg from 'pg'

import { readConfig } from '../../src/app/config/config.ts'
import { startService } from '../../src/app/start.ts'
import { migrate, serviceUrl } from '../../src/platform/db/migrate.ts'
import { silentLog } from '../../src/platform/lib/log.ts'
import { runCommand } from '../support/command.ts'
import { emptyDatabase, testDatabase } from '../support/database.ts'
import { hurriedSandbox } from '../support/exchange.ts'
import { asOwner, testServicePassword } from '../support/server.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-roles-'))
let empty: Awaited<ReturnType<typeof emptyDatabase>>
let role: string
let url: string

/** Drops a role and its rights. An owner who is not a superuser must be a member of it. */
async function dropRole(client: pg.Client, name: string): Promise<void> {
  await client.query(`grant ${name} to current_user`)
  await client.query(`drop owned by ${name}`)
  await client.query(`drop role ${name}`)
}

const settings = (more: Record<string, string>) => ({ DATA_DIR: folder, PORT: '0', DB_POOL_SIZE: '4', ...more })
const start = (more: Record<string, string>) =>
  startService(readConfig(settings(more)), silentLog, hurriedSandbox(250).plugIns)

before(async () => {
  empty = await emptyDatabase()
  role = `${new URL(empty.ownerUrl).pathname.slice(1)}_named`
  url = serviceUrl(empty.ownerUrl, role, 'a password of ours')
})
after(async () => {
  await asOwner(empty.ownerUrl, (client) => dropRole(client, role))
  rmSync(folder, { recursive: true, force: true })
})

it('the owner migrates and makes the role that DATABASE_URL names; the service runs as that role and cannot migrate', async () => {
  const owner = { DATABASE_OWNER_URL: empty.ownerUrl, DATABASE_URL: url }
  const migrated = await runCommand(['migrate'], settings(owner))
  assert.equal(migrated.exitCode, 0, migrated.err)

  const service = await start({ DATABASE_URL: url })
  try {
    const [row] = await service.composition.ctx.db.sql<{ role: string }>`select current_user as role`
    assert.equal(row?.role, role)
  } finally {
    await service.stop()
  }
  const again = await runCommand(['migrate'], settings({ DATABASE_URL: url }))
  assert.match(again.err, /Only the owner of the database can migrate it\. Set DATABASE_OWNER_URL\./)
  const printed = await runCommand(['db', 'url'], settings({ DATABASE_URL: url }))
  assert.equal(printed.out.trim(), url)
})

it('the service and the owner cannot be the same role', async () => {
  const same = { DATABASE_OWNER_URL: empty.ownerUrl, DATABASE_URL: empty.ownerUrl }
  await assert.rejects(start(same), /name the same role/)
})

it('a service that may not migrate refuses a database that lacks migrations, and says what to do', async () => {
  const behind = await testDatabase()
  await asOwner(behind.ownerUrl, (client) =>
    client.query(
      "delete from schema_migrations where name = (select max(name) from schema_migrations where name < 'a')",
    ),
  )
  await assert.rejects(
    start({ DATABASE_URL: behind.url }),
    /The database lacks 1 of \d+ migrations\. Run: DATABASE_OWNER_URL=\.\.\. cambio migrate/,
  )
})

it('a command of an older version refuses a newer database instead of judging it', async () => {
  const newer = await testDatabase()
  await asOwner(newer.ownerUrl, (client) =>
    client.query("insert into schema_migrations (name, checksum) values ('9999-later.sql', 'x')"),
  )
  const { exitCode, out, err } = await runCommand(['verify'], settings({ DATABASE_URL: newer.url }))
  assert.equal(exitCode, 1)
  assert.equal(out, '')
  assert.match(err, /The database has migration 9999-later\.sql, which this version does not know/)
})

it('a dump that is restored into a server without the role gets the role and its rights at the next migration', async () => {
  const restored = await testDatabase()
  const lost = `${new URL(restored.ownerUrl).pathname.slice(1)}_lost`
  const options = { ownerUrl: restored.ownerUrl, serviceRole: lost, servicePassword: testServicePassword }
  await migrate(options)
  await asOwner(restored.ownerUrl, (client) => dropRole(client, lost))

  assert.deepEqual(await migrate(options), { applied: [] })
  const asService = serviceUrl(restored.ownerUrl, lost, testServicePassword)
  await asOwner(asService, (client) => client.query('select count(*) from entries'))
  await asOwner(restored.ownerUrl, (client) => dropRole(client, lost))
})
