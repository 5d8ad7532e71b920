import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { createKey } from '../../exchange/partners/keys.ts'
import { forgetOldAnswers } from './idempotency.ts'

let api: TestApi
let realAhead = 0

before(async () => {
  api = await openTestApi()
  const { realNow } = api.ctx.clock
  api.ctx.clock.realNow = () => new Date(realNow().getTime() + realAhead)
})
after(() => api.close())

const valid = {
  from_amount: 100,
  from_currency: 'EUR',
  to_currency: 'BTC',
  customer: { contact_info: { email: 'ann@example.com' } },
}

type Change = { key?: string; query?: string; body?: unknown }
const create = (
  idempotencyKey: string,
  { key = api.all.secret_key, query = '', body = valid }: Change = {},
): Promise<ApiAnswer> =>
  api.ask({ method: 'POST', url: `/v1/transaction${query}`, key, body, headers: { 'idempotency-key': idempotencyKey } })

const owner = <T>(statement: string): Promise<T[]> =>
  asOwner(api.database.ownerUrl, async (client) => (await client.query(statement)).rows as T[])
const made = async () => (await owner('select 1 from transactions')).length

describe('an Idempotency-Key', () => {
  it('gives the first answer again, to the byte, and makes nothing new', async () => {
    const first = await create('again')
    assert.deepEqual([first.status, first.headers['idempotency-replayed']], [201, undefined])
    const before = await made()
    const second = await create('again')
    assert.deepEqual([second.status, second.headers['idempotency-replayed']], [201, 'true'])
    assert.equal(second.text, first.text)
    assert.equal(await made(), before)
  })

  it('belongs to one API key: another one makes its own', async () => {
    const { text: other } = await createKey(api.ctx, { partnerId: api.all.partner.id, kind: 'secret' }, 'test')
    const [one, two] = [await create('shared'), await create('shared', { key: other })]
    assert.deepEqual([one.status, two.status], [201, 201])
    assert.notEqual(one.body.id, two.body.id)
    assert.equal(two.headers['idempotency-replayed'], undefined)
  })

  it('422 IDEMPOTENCY_MISMATCH: with another body, query or spelling of them', async () => {
    await create('mismatch')
    const others: Change[] = [
      { body: { ...valid, from_amount: 101 } },
      { body: { from_amount: 'rubbish' } },
      { body: [] },
      { query: '?customer_country=DE' },
      { body: JSON.stringify(valid, null, 1) },
      { body: '{' },
      { body: '' },
    ]
    for (const change of others) {
      const answer = await create('mismatch', change)
      assert.deepEqual([answer.status, answer.code], [422, 'IDEMPOTENCY_MISMATCH'])
    }
  })

  it('400: is not used up by a refusal, so the corrected request goes through under it', async () => {
    assert.equal((await create('corrected', { body: { ...valid, from_amount: 1 } })).status, 400)
    const answer = await create('corrected')
    assert.deepEqual([answer.status, answer.headers['idempotency-replayed']], [201, undefined])
    assert.equal((await create('x'.repeat(256))).status, 400)
    assert.equal((await create('x'.repeat(255))).status, 201)
  })

  it('409 IDEMPOTENCY_IN_PROGRESS or the first answer, and one transaction, however many come at once', async () => {
    const before = await made()
    const answers = await Promise.all(Array.from({ length: 40 }, () => create('together')))
    const fresh = answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed'])
    assert.equal(fresh.length, 1)
    for (const { status, code, body, headers } of answers) {
      if (status === 409) assert.deepEqual([code, headers['retry-after']], ['IDEMPOTENCY_IN_PROGRESS', '1'])
      else assert.equal(body.id, fresh[0]?.body.id)
    }
    assert.equal(await made(), before + 1)
    assert.equal((await create('together')).body.id, fresh[0]?.body.id)
  })

  it('leaves neither a transaction nor a dead key when the answer cannot be kept', async () => {
    const before = await made()
    await owner(`revoke insert on idempotent_answers from ${api.database.serviceRole}`)
    assert.equal((await create('crash')).status, 500)
    assert.equal(await made(), before)
    await owner(`grant insert on idempotent_answers to ${api.database.serviceRole}`)
    assert.equal((await create('crash')).status, 201)
    assert.equal(await made(), before + 1)
  })

  it('is kept for a day of real time, whatever business time does, and then forgotten', async () => {
    const { id } = (await create('day')).body
    const { now } = api.ctx.clock
    api.ctx.clock.now = () => new Date(now().getTime() + 30 * 86_400_000)
    realAhead = 86_400_000 - 60_000
    assert.equal((await create('day')).body.id, id)
    api.ctx.clock.now = now
    realAhead = 86_400_000 + 60_000
    assert.notEqual((await create('day')).body.id, id)
    const later = (await create('day')).body.id
    assert.ok((await forgetOldAnswers(api.ctx)) > 0)
    assert.equal((await create('day')).body.id, later)
    realAhead = 0
  })

  it('and its answer are stored so that nobody can read a person in them', async () => {
    await create('ann@example.com')
    const rows = await owner<{ row: string }>('select idempotent_answers::text as row from idempotent_answers')
    const hex = Buffer.from('ann@example.com').toString('hex')
    for (const { row } of rows) assert.ok(!row.includes('ann@example.com') && !row.includes(hex))
  })

  it('replays to a public key what a public key may see', async () => {
    const first = await create('public', { key: api.all.public_key })
    const second = await create('public', { key: api.all.public_key })
    assert.equal(second.headers['idempotency-replayed'], 'true')
    assert.equal(second.text, first.text)
    assert.equal(second.body.email, null)
  })
})
