import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { testContext } from '../../../test/support/api.ts'
import { type TestDatabase, testDatabase } from '../../../test/support/database.ts'
import { auditOf } from '../audit/audit.ts'
import { readVersion } from '../audit/version.ts'
import type { Ctx } from '../context.ts'
import { createPartner, type NewPartner } from '../partners/create.ts'
import { listEndpoints } from './endpoint.ts'
import { addEndpoint, removeEndpoint, rotateSecret } from './manage-endpoints.ts'

const url = 'http://127.0.0.1:4000/hook'

describe('a webhook endpoint', () => {
  let database: TestDatabase
  let ctx: Ctx
  let partner: NewPartner
  let other: NewPartner

  before(async () => {
    database = await testDatabase()
    ctx = await testContext(database)
    partner = await createPartner(ctx, { name: 'One' }, 'test')
    other = await createPartner(ctx, { name: 'Other' }, 'test')
  })
  after(async () => {
    await ctx.db.close()
    await database.drop()
  })

  const add = (types?: string[]) => addEndpoint(ctx, { partnerId: partner.partner.id, url, types }, 'test')

  it('gets the partner’s own secret when it is the only one, else a separate one', async () => {
    const first = await add()
    const second = await add()
    assert.equal(first.secret, partner.webhook_secret)
    assert.match(second.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.notEqual(second.secret, first.secret)

    for (const { endpoint } of [first, second]) await removeEndpoint(ctx, { id: endpoint.id }, 'test')
    const third = await add()
    assert.equal(third.secret, partner.webhook_secret)
    await removeEndpoint(ctx, { id: third.endpoint.id }, 'test')
  })

  it('never gets the partner’s own secret again once it was rotated, however often', async () => {
    const { partner: rotating, webhook_secret: known } = await createPartner(ctx, { name: 'Rotating' }, 'test')
    const addOne = () => addEndpoint(ctx, { partnerId: rotating.id, url }, 'test')
    const { endpoint, secret } = await addOne()
    assert.equal(secret, known)
    const given = [known]
    for (let round = 0; round < 2; round += 1) {
      given.push((await ctx.db.atomic((db) => rotateSecret(ctx, db, { id: endpoint.id }, 'test'))).secret)
    }
    await removeEndpoint(ctx, { id: endpoint.id }, 'test')
    assert(!given.includes((await addOne()).secret))
  })

  it('stores no secret that can be read', async () => {
    const { endpoint, secret } = await add()
    const [row] = await ctx.db.sql<{ secret: Buffer; text: string }>`
      select secret, e::text as text from webhook_endpoints as e where id = ${endpoint.id}`
    const bytes = Buffer.from(secret.slice(6), 'base64')
    assert(row && !row.secret.includes(bytes) && !row.secret.includes(Buffer.from(secret)))
    await removeEndpoint(ctx, { id: endpoint.id }, 'test')
  })

  it('wants the four events of transactions unless it says what it wants', async () => {
    const plain = await add()
    const choosy = await add(['endpoint.test', 'customer.status_changed', 'endpoint.test'])
    assert.deepEqual(plain.endpoint.types, [
      'transaction.created',
      'transaction.status_changed',
      'transaction.amounts_changed',
      'transaction.refund_changed',
    ])
    assert.deepEqual(choosy.endpoint.types, ['endpoint.test', 'customer.status_changed'])
    assert.deepEqual(await listEndpoints(ctx, partner.partner.id), [plain.endpoint, choosy.endpoint])
    assert.deepEqual(await listEndpoints(ctx, other.partner.id), [])
    for (const { endpoint } of [plain, choosy]) await removeEndpoint(ctx, { id: endpoint.id }, 'test')
    assert.deepEqual(await listEndpoints(ctx, partner.partner.id), [])
  })

  it('is refused with a bad URL, unknown types, for an unknown partner, and beyond the twentieth', async () => {
    const partnerId = other.partner.id
    const refuses = (wanted: { partnerId: bigint; url: string; types?: string[] }, code: string) =>
      assert.rejects(addEndpoint(ctx, wanted, 'test'), { code })
    await refuses({ partnerId, url: 'http://10.0.0.1/' }, 'BAD_REQUEST')
    await refuses({ partnerId, url, types: ['transaction.created', 'everything'] }, 'BAD_REQUEST')
    await refuses({ partnerId, url, types: [] }, 'BAD_REQUEST')
    await refuses({ partnerId: 1n, url }, 'NOT_FOUND')
    for (let count = 0; count < 20; count += 1) await addEndpoint(ctx, { partnerId, url }, 'test')
    await refuses({ partnerId, url }, 'CONFLICT')
  })

  it('is removed once, by its own partner only', async () => {
    const { endpoint } = await add()
    const code = 'NOT_FOUND'
    await assert.rejects(removeEndpoint(ctx, { id: endpoint.id, partnerId: other.partner.id }, 'test'), { code })
    assert.equal(
      (await removeEndpoint(ctx, { id: endpoint.id, partnerId: partner.partner.id }, 'test')).status,
      'removed',
    )
    await assert.rejects(removeEndpoint(ctx, { id: endpoint.id }, 'test'), { code })
    await assert.rejects(removeEndpoint(ctx, { id: 1n }, 'test'), { code })
  })

  it('leaves a trace of each change, and tells running processes', async () => {
    const before = await readVersion(ctx.db)
    const { endpoint } = await add()
    await removeEndpoint(ctx, { id: endpoint.id }, 'operator:7')
    assert.equal(await readVersion(ctx.db), before + 2n)
    const trace = await auditOf(ctx.db, `endpoint:${endpoint.id}`)
    assert.deepEqual(
      trace.map(({ actor, action }) => ({ actor, action })),
      [
        { actor: 'test', action: 'endpoint.added' },
        { actor: 'operator:7', action: 'endpoint.removed' },
      ],
    )
    assert(!JSON.stringify(trace, (_, value: unknown) => (value instanceof Date ? '' : value)).includes('whsec_'))
  })
})
