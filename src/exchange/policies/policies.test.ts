import assert from 'node:assert/strict'
import { after as afterAll, before, test } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { after } from '../../platform/lib/clock.ts'
import { vouch } from '../approvals/approve.ts'
import { inForceContent } from './in-force.ts'
import type { Kind } from './kinds.ts'
import { openPolicies, shippedPolicies } from './policies.ts'

let api: TestApi
const start = new Date('2026-11-23T10:00:00Z')

before(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

/** Approves a version, as `policy propose` and `policy approve` would. */
function store(kind: Kind, version: number, document: unknown, { at = start, partner = null as bigint | null } = {}) {
  return api.ctx.db.atomic(async (db) => {
    const [row] = await db.sql<{ id: bigint }>`
    insert into policies (kind, version, partner_id, document, author, reason, proposed_at, effective_at, approved_at, approved_by)
    values (${kind}, ${version}, ${partner}, ${document === null ? null : JSON.stringify(document)}, 'test', 'test',
      ${start}, ${at}, ${start}, 'test') returning id`
    if (row) vouch(api.ctx, db, inForceContent(row), 'test', start)
  })
}

const boundAt = (ms: number, partner?: bigint): [number, number] => {
  const { version, rules } = api.ctx.policies.at(after(start, ms), 'slippage', partner)
  return [version, rules.boundBasisPoints]
}

test('version 1 is what ships, and stays when another release ships something else', async () => {
  const shipped = shippedPolicies(api.ctx.config.environment)
  assert.deepEqual(api.ctx.policies.at(start, 'fees').document, shipped.at(start, 'fees').document)
  const again = await openPolicies(api.ctx.db, {
    ...api.ctx,
    config: { environment: { ...api.ctx.config.environment, twoOperators: true } },
  })
  assert.equal(again.at(start, 'approvals').rules.policiesNeedTwo, false)
})

test('a version holds from its moment on, and a partner has its own until it has not', async () => {
  const partner = api.all.partner.id
  await store('slippage', 2, { bound: '3%' }, { at: after(start, 1_000) })
  await store('slippage', 3, { bound: '1%' }, { at: after(start, 2_000), partner })
  await store('slippage', 4, null, { at: after(start, 3_000), partner })
  assert.deepEqual(boundAt(5_000), [1, 200], 'nothing is read before it is asked for')
  await api.ctx.policies.reload(api.ctx.db)

  assert.deepEqual(boundAt(999), [1, 200])
  assert.deepEqual(boundAt(1_000), [2, 300])
  assert.deepEqual(boundAt(1_999, partner), [2, 300])
  assert.deepEqual(boundAt(2_000, partner), [3, 100])
  assert.deepEqual(boundAt(2_000), [2, 300])
  assert.deepEqual(boundAt(3_000, partner), [2, 300])
})

test('a version is the same object after a reload', async () => {
  const before = api.ctx.policies.at(start, 'fees')
  await api.ctx.policies.reload(api.ctx.db)
  assert.equal(api.ctx.policies.at(start, 'fees'), before)
})
