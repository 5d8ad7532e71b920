import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { createKey, revokeKey } from '../../exchange/partners/keys.ts'

let api: TestApi

before(async () => {
  api = await openTestApi(
    { TRUSTED_PROXIES: '10.0.0.0/8' },
    {
      v1: [
        (app) =>
          app.get('/for-secrets', { config: { access: 'secret-key' } }, (request) => ({
            who: request.caller?.partner.name,
          })),
      ],
    },
  )
})
after(() => api.close())

type Change = { key?: string | undefined; headers?: Record<string, string>; from?: string }
const estimateUrl = '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC'
const estimate = (change: Change): Promise<ApiAnswer> => api.ask({ url: estimateUrl, ...change })
const secrets = (change: Change): Promise<ApiAnswer> => api.ask({ url: '/v1/for-secrets', ...change })

describe('an API key', () => {
  it('200: a public or a secret one, as x-api-key', async () => {
    for (const key of [api.all.public_key, api.all.secret_key]) assert.equal((await estimate({ key })).status, 200)
  })

  it('200: a secret key as x-secret-key, in addition to its public key', async () => {
    const headers = { 'x-secret-key': api.all.secret_key }
    assert.deepEqual((await secrets({ key: api.all.public_key, headers })).body, { who: 'All' })
  })

  it('401 INVALID_TOKEN: a secret one as x-secret-key alone; where anyone may call, it is judged like any other', async () => {
    const headers = { 'x-secret-key': api.all.secret_key }
    for (const answer of [
      await secrets({ headers }),
      await estimate({ headers }),
      await estimate({ key: '', headers }),
    ]) {
      assert.deepEqual([answer.status, answer.code], [401, 'INVALID_TOKEN'])
    }
    const open = (key: string) => api.ask({ url: '/v1/currencies', headers: { 'x-secret-key': key } })
    assert.equal((await open(api.all.secret_key)).status, 200)
    for (const key of [api.all.public_key, 'nonsense']) assert.equal((await open(key)).status, 401)
  })

  it('401 INVALID_TOKEN: none, an empty one, an unknown one, one of the other mode, two in one', async () => {
    const other = api.all.secret_key.replace('sk_test', 'sk_live')
    const unknown = `sk_test_${'x'.repeat(43)}`
    for (const key of [undefined, '', 'x', unknown, other, `${api.all.secret_key}, ${api.all.secret_key}`]) {
      const answer = await estimate({ key })
      assert.deepEqual([answer.status, answer.code], [401, 'INVALID_TOKEN'], key)
      assert.ok(key === undefined || key === '' || key === 'x' || !answer.text.includes(key))
    }
  })

  it('401 INVALID_TOKEN: keys of two partners, a public key as secret key, a valid key with an invalid one', async () => {
    const secret = { 'x-secret-key': api.all.secret_key }
    const wrong: Change[] = [
      { key: api.plain.public_key, headers: secret },
      { key: 'nonsense', headers: secret },
      { key: api.all.public_key, headers: { 'x-secret-key': api.all.public_key } },
      { key: api.all.public_key, headers: { 'x-secret-key': 'nonsense' } },
    ]
    for (const change of wrong) assert.equal((await estimate(change)).status, 401)
  })

  it('401 INVALID_TOKEN: one that was revoked, once the process has learnt of it', async () => {
    const { key, text } = await createKey(api.ctx, { partnerId: api.all.partner.id, kind: 'secret' }, 'test')
    assert.equal((await estimate({ key: text })).status, 200)
    await revokeKey(api.ctx, key.id, 'test')
    api.accounts.forget()
    assert.equal((await estimate({ key: text })).status, 401)
  })

  it('403 FORBIDDEN: a public one where a secret one is needed', async () => {
    const answer = await secrets({ key: api.all.public_key })
    assert.deepEqual([answer.status, answer.code], [403, 'FORBIDDEN'])
  })

  it('403 FORBIDDEN: one that is used from outside its allow-list, seen through trusted proxies only', async () => {
    const wanted = {
      partnerId: api.all.partner.id,
      kind: 'secret',
      allowIps: ['203.0.113.0/24', '2001:db8::/32'],
    } as const
    const { text: key } = await createKey(api.ctx, wanted, 'test')
    const forwarded = (list: string) => ({ 'x-forwarded-for': list })
    const rows: [Change, number][] = [
      [{ from: '203.0.113.9' }, 200],
      [{ from: '::ffff:203.0.113.9' }, 200],
      [{ from: '2001:db8::5' }, 200],
      [{ from: '198.51.100.1' }, 403],
      [{ from: '198.51.100.1', headers: forwarded('203.0.113.9') }, 403],
      [{ from: '10.1.1.1', headers: forwarded('203.0.113.9') }, 200],
      [{ from: '10.1.1.1', headers: forwarded('203.0.113.9, 198.51.100.1') }, 403],
      [{ from: '10.1.1.1', headers: forwarded('unknown') }, 403],
      [{ from: '10.1.1.1' }, 403],
    ]
    for (const [change, status] of rows)
      assert.equal((await estimate({ key, ...change })).status, status, JSON.stringify(change))
  })

  it('is not asked for where anyone may call', async () => {
    assert.equal((await api.ask({ url: '/v1/currencies' })).status, 200)
    assert.equal((await api.ask({ url: '/v1/currencies', key: api.all.public_key })).status, 200)
    assert.equal((await api.ask({ url: '/v1/currencies', key: 'nonsense' })).status, 401)
  })
})

describe('a browser on another page', () => {
  it('204: preflights allow what a public key may send, and never the secret header', async () => {
    const answer = await api.ask({
      method: 'OPTIONS',
      url: '/v1/transaction',
      headers: { origin: 'https://shop.example' },
    })
    assert.equal(answer.status, 204)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(
      answer.headers['access-control-allow-headers'],
      'x-api-key, content-type, accept, idempotency-key, x-request-id, x-sign-id',
    )
    assert.equal(answer.headers['access-control-allow-methods'], 'OPTIONS, POST')
  })

  it('may read the answers and the refusals', async () => {
    for (const key of [api.all.public_key, undefined]) {
      const { headers } = await estimate({ key })
      assert.equal(headers['access-control-allow-origin'], '*')
      if (key === undefined) assert.match(String(headers['access-control-expose-headers']), /x-request-id.*retry-after/)
    }
  })

  it('405: has no business where a secret key is needed', async () => {
    const answer = await api.ask({ method: 'OPTIONS', url: '/v1/for-secrets' })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers['access-control-allow-origin'], undefined)
    assert.equal((await secrets({ key: api.all.secret_key })).headers['access-control-allow-origin'], undefined)
  })
})
