import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { auditOf } from '../audit/audit.ts'
import { createOperator } from './operator.ts'
import { hashPassword, isPassword } from '../sign-in/password.ts'

test('an operator is made once an address, whatever its letter case, and only with a decent password', async (t) => {
  const database = await testDatabase()
  const ctx = await testContext(database)
  t.after(async () => {
    await ctx.db.close()
    await database.drop()
  })
  const password = 'nine green lamps'
  const made = await createOperator(ctx, { email: 'Ann@Example.com', password }, 'cli:ann')
  assert.equal(made.email, 'ann@example.com')

  await assert.rejects(createOperator(ctx, { email: 'ann@example.com', password }, 'test'), { code: 'CONFLICT' })
  await assert.rejects(createOperator(ctx, { email: 'bob', password }, 'test'), { code: 'BAD_REQUEST' })
  const short = { email: 'bob@example.com', password: 'short' }
  await assert.rejects(createOperator(ctx, short, 'test'), { code: 'BAD_REQUEST' })

  const [row] = await auditOf(ctx.db, `operator:${made.id}`)
  assert.equal(row?.action, 'operator.created')
  assert.ok(!JSON.stringify(row).includes(password))
})

test('a password is found right by its hash, another one is not, and equal passwords have unequal hashes', async () => {
  const [one, other] = await Promise.all([hashPassword('caf\u00e9 au lait 12'), hashPassword('caf\u00e9 au lait 12')])
  assert.notEqual(one, other)
  assert.equal(await isPassword('caf\u00e9 au lait 12', one), true)
  assert.equal(await isPassword('cafe\u0301 au lait 12', one), true)
  assert.equal(await isPassword('cafe au lait 12', one), false)
  await assert.rejects(isPassword('x', 'plain'), /not known/)
})
