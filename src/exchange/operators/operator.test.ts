import assert from 'node:assert/strict'
import { test } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import { auditOf } from '../audit/audit.ts'
import { mayAct, strangers } from '../approvals/people.ts'
import { changeRole, createOperator } from './operator.ts'
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

test('an operator whose role is changed may act at every moment of it, and is no stranger', async (t) => {
  const database = await testDatabase()
  const ctx = await testContext(database)
  t.after(async () => {
    await ctx.db.close()
    await database.drop()
  })
  const password = 'nine green lamps'
  await createOperator(ctx, { email: 'bob@example.com', password }, 'test')
  const { id, email } = await createOperator(ctx, { email: 'ann@example.com', password }, 'test')
  let isOver = false
  const changing = (async () => {
    for (let round = 0; round < 300; round += 1)
      await changeRole(ctx, email, round % 2 ? 'admin' : 'finance', 'cli:test')
    isOver = true
  })()
  const looks = { refused: 0, strangers: 0 }
  const look = async (): Promise<void> => {
    while (!isOver) {
      if (!(await mayAct(ctx, ctx.db, id))) looks.refused += 1
      looks.strangers += (await strangers(ctx, ctx.db)).length
    }
  }
  await Promise.all([changing, look(), look(), look()])
  assert.deepEqual(looks, { refused: 0, strangers: 0 })
})

test('a password is found right by its hash, another one is not, and equal passwords have unequal hashes', async () => {
  const [one, other] = await Promise.all([hashPassword('caf\u00e9 au lait 12'), hashPassword('caf\u00e9 au lait 12')])
  assert.notEqual(one, other)
  assert.equal(await isPassword('caf\u00e9 au lait 12', one), true)
  assert.equal(await isPassword('cafe\u0301 au lait 12', one), true)
  assert.equal(await isPassword('cafe au lait 12', one), false)
  await assert.rejects(isPassword('x', 'plain'), /not known/)
})
