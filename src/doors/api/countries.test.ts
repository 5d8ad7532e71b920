import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { offences } from '../../../test/support/strict-types.ts'

let api: TestApi
before(async () => {
  api = await openTestApi()
})
after(() => api.close())

type Row = { id: string; code_iso_alpha_2: string; supported: boolean }

describe('GET /v1/countries', () => {
  it('200: every country of ISO 3166-1, in a form that strict readers take, without a key', async () => {
    const { status, body } = await api.ask({ url: '/v1/countries' })
    const rows = body as unknown as Row[]
    assert.equal(status, 200)
    assert.equal(rows.length, 249)
    for (const row of rows) assert.deepEqual(offences('country', row), [])
    assert.deepEqual(
      rows.find((row) => row.code_iso_alpha_2 === 'AF'),
      {
        id: '4',
        country_name: 'Afghanistan',
        code_iso_alpha_2: 'AF',
        code_iso_alpha_3: 'AFG',
        code_iso_numeric: '004',
        supported: rows.find((row) => row.code_iso_alpha_2 === 'AF')?.supported,
      },
    )
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
  })

  it('200: a country is supported exactly when an estimate for it is not refused for the country', async () => {
    const { body } = await api.ask({ url: '/v1/countries' })
    for (const { code_iso_alpha_2: code, supported } of body as unknown as Row[]) {
      const url = `/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC&customer_country=${code}`
      const answer = await api.ask({ url, key: api.all.secret_key })
      assert.equal(answer.code === 'COUNTRY_NOT_SUPPORTED', !supported, code)
      if (supported) assert.equal(answer.status, 200, code)
    }
  })

  it('401 INVALID_TOKEN: a key that is not valid', async () => {
    const answer = await api.ask({ url: '/v1/countries', key: 'sk_test_nonsense' })
    assert.deepEqual([answer.status, answer.code], [401, 'INVALID_TOKEN'])
  })
})
