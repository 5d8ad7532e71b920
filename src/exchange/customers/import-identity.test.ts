import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { newEmail, tokenFor } from '../../../test/support/shared-identity.ts'
import { makePartner } from '../../../test/support/telling.ts'
import type { Ctx } from '../context.ts'
import { importIdentity } from './import-identity.ts'
import * as imports from './import-identity.sql.ts'

let database: TestDatabase
let ctx: Ctx
before(async () => {
  database = await testDatabase()
  ctx = await testContext(database)
})
after(async () => {
  await ctx.db.close()
  await database.drop()
})

test('what a provider says of one check is kept once, however many pages ask at the same moment, and none fails', async () => {
  const { id: partnerId } = await makePartner(ctx)
  const email = newEmail()
  const { profile } = await importIdentity(ctx, { partnerId, token: tokenFor('approved'), provider: 'sumsub', email })
  const [known] = await imports.ofPartnerCustomer(ctx.db, profile.id)
  assert.ok(known)
  for (let round = 0; round < 200; round += 1) {
    const id = await ctx.rowIds.next()
    const at = ctx.clock.now()
    const row: imports.NewImport = {
      ...known,
      id,
      tokenHash: randomBytes(32),
      applicantHash: randomBytes(32),
      askedAt: at,
      changedAt: at,
    }
    const kept = await Promise.all(Array.from({ length: 6 }, () => ctx.db.atomic((db) => imports.insert(db, row))))
    assert.deepEqual(kept.flat(), [{ id }])
  }
})
