import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Asked, openTestApi, type TestApi } from '../support/api.ts'
import { asOwner } from '../support/server.ts'
import { whileStill } from '../support/still-clock.ts'

const inBrazil = '200.160.2.3'

describe('deprecated inputs', () => {
  let api: TestApi
  before(async () => {
    api = await openTestApi({ RATE_LIMITS: 'on', RATE_LIMIT_CREATES_PER_SECOND: '1', RATE_LIMIT_CREATES_BURST: '1' })
  })
  after(() => api.close())

  it('are told of by every refusal: of the key, the type, the size, the body and the pace', async () => {
    const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
    const key = api.plain.secret_key
    const refused = async (status: number, path: string, asked: Partial<Asked>) => {
      for (const [query, headers] of [
        ['', { 'x-forwarded-for': inBrazil }],
        [`?ip=${inBrazil}`, {}],
      ] as const) {
        const told = await api.ask({
          method: 'POST',
          url: `${path}${query}`,
          body,
          ...asked,
          headers: { ...headers, ...asked.headers },
        })
        const { deprecation, link } = told.headers
        assert.deepEqual([told.status, deprecation], [status, '@1790294400'], `${path} ${status}`)
        assert.match(String(link), /rel="deprecation"/)
      }
      const without = await api.ask({ method: 'POST', url: path, body, ...asked })
      assert.deepEqual(
        [without.status, without.headers.deprecation, without.headers.link],
        [status, undefined, undefined],
      )
    }
    for (const path of ['/v1/transaction', '/v1/transaction/health']) {
      await refused(401, path, {})
      await refused(401, path, { key: 'sk_test_unknown' })
    }
    const path = '/v1/transaction/health'
    await refused(413, path, { key, body: `"${'x'.repeat(300_000)}"` })
    await refused(415, path, { key, headers: { 'content-type': 'text/plain' }, body: 'x' })
    await refused(400, path, { key, body: '{' })
    await whileStill(api.ctx, async () => {
      for (let times = 0; times < 3; times += 1) await api.ask({ method: 'POST', url: '/v1/transaction', key, body })
      await refused(429, '/v1/transaction', { key })
    })
  })

  it('are told of by a refusal of the address that the key is used from', async () => {
    const { database, plain } = api
    await asOwner(database.ownerUrl, (owner) =>
      owner.query("update api_keys set allow_ips = '{203.0.113.1/32}' where partner_id = $1 and kind = 'public'", [
        String(plain.partner.id),
      ]),
    )
    const told = await api.ask({
      method: 'POST',
      url: `/v1/transaction?ip=${inBrazil}`,
      key: plain.public_key,
      body: {},
    })
    assert.deepEqual([told.status, told.headers.deprecation], [403, '@1790294400'])
  })
})
