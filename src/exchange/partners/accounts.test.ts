import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { testContext } from '../../../test/support/api.ts'
import type { Ctx } from '../context.ts'
import { openPool } from '../../platform/db/pool.ts'
import { type Accounts, openAccounts } from './accounts.ts'
import { switchFeature } from './change.ts'
import { createPartner, type NewPartner } from './create.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'

let database: TestDatabase
let ctx: Ctx
let counted: ReturnType<typeof openPool>
let accounts: Accounts
let made: NewPartner

before(async () => {
  database = await testDatabase()
  ctx = await testContext(database)
  counted = openPool({ urls: [database.url], size: 2 })
  accounts = openAccounts({ ...ctx, db: counted })
  made = await createPartner(ctx, { name: 'Shop' }, 'test')
})

after(async () => {
  await accounts.close()
  await counted.close()
  await ctx.db.close()
  await database.drop()
})

async function statementsOf(work: () => unknown): Promise<number> {
  const before = counted.counts.statements
  await work()
  return counted.counts.statements - before
}

test('a key that was met before costs no database round trip, and is answered at once', async () => {
  accounts.forget()
  assert.equal(await statementsOf(() => accounts.find(made.secret_key)), 1)
  const again = accounts.find(made.secret_key)
  assert.ok(again && !(again instanceof Promise))
  assert.equal(again.partner.id, made.partner.id)
  assert.equal(again.key.kind, 'secret')
  assert.equal(await statementsOf(() => accounts.find(made.secret_key)), 0)
})

test('requests that come together with a new key share one look-up', async () => {
  accounts.forget()
  const asked = await statementsOf(() =>
    Promise.all(Array.from({ length: 20 }, async () => accounts.find(made.public_key))),
  )
  assert.equal(asked, 1)
})

test('a text that has not the form of a key, or is a key of the other mode, is refused without a look-up', async () => {
  const wrong = [
    '',
    'x',
    'pk_test_short',
    made.secret_key.replace('test', 'live'),
    `${made.secret_key} `,
    `${made.secret_key}A`,
  ]
  for (const text of wrong) {
    assert.equal(await statementsOf(async () => assert.equal(await accounts.find(text), undefined)), 0, text)
  }
})

test('an unknown key is looked up once and then known to be unknown', async () => {
  const unknown = `sk_test_${'A'.repeat(43)}`
  assert.equal(await statementsOf(async () => assert.equal(await accounts.find(unknown), undefined)), 1)
  assert.equal(await statementsOf(async () => assert.equal(await accounts.find(unknown), undefined)), 0)
})

test('a revoked key is dead once forgotten, and its partner keeps the others', async () => {
  const { key, text } = await createKey(ctx, { partnerId: made.partner.id, kind: 'secret' }, 'test')
  assert.equal((await accounts.find(text))?.key.id, key.id)
  await revokeKey(ctx, key.id, 'test')
  accounts.forget()
  assert.equal(await accounts.find(text), undefined)
  assert.ok(await accounts.find(made.secret_key))
})

test('what was unknown is looked up again once forgotten', async () => {
  const unknown = `pk_test_${'B'.repeat(43)}`
  await accounts.find(unknown)
  accounts.forget()
  assert.equal(await statementsOf(() => accounts.find(unknown)), 1)
})

test('a look-up that a change overtook is not kept', async () => {
  accounts.forget()
  const under = accounts.find(made.secret_key)
  accounts.forget()
  await under
  await switchFeature(ctx, made.partner.id, { feature: 'b2b', on: true }, 'test')
  assert.equal((await accounts.find(made.secret_key))?.partner.settings.features.b2b, true)
})

test('the use of keys is noted together, when the process ends at the latest', async () => {
  const own = openAccounts(ctx)
  await own.find(made.secret_key)
  await own.find(made.secret_key)
  await own.find(made.public_key)
  await own.close()
  const keys = await listKeys(ctx, made.partner.id)
  const used = keys.filter(({ label }) => label === 'first')
  assert.ok(used.every(({ lastUsedAt }) => lastUsedAt !== null))
})
