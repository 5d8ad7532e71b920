import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { table } from '../../../test/support/table.ts'

let api: TestApi
before(async () => {
  api = await openTestApi()
})
after(() => api.close())

type Pagination = { limit: number; offset: number; has_more: boolean; next_cursor: string | null }
type Record = { id: string }

const create = async (key: string, change: object = {}): Promise<string> => {
  const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', ...change }
  return String((await api.ask({ method: 'POST', url: '/v1/transaction', key, body })).body.id)
}
const list = (query: string, key: string = api.all.secret_key): Promise<ApiAnswer> =>
  api.ask({ url: `/v1/transactions?${query}`, key })
const rowsOf = ({ status, body }: ApiAnswer): Record[] => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.data as Record[]
}
const idsOf = (answer: ApiAnswer): string[] => rowsOf(answer).map(({ id }) => id)
const pagination = ({ body }: ApiAnswer): Pagination => body.pagination as Pagination

const change = (id: string, set: string, values: unknown[] = []): Promise<unknown> =>
  asOwner(api.database.ownerUrl, (client) =>
    client.query(`update transactions set ${set} where public_id = $1`, [id, ...values]),
  )

describe('GET /v1/transactions', () => {
  it('401 and 403 FORBIDDEN: for secret keys only, and for no page of another origin', async () => {
    for (const [key, status, code] of [
      [undefined, 401, 'INVALID_TOKEN'],
      ['sk_test_nonsense', 401, 'INVALID_TOKEN'],
      [api.all.public_key, 403, 'FORBIDDEN'],
    ] as const) {
      const answer = await api.ask({ url: '/v1/transactions?limit=x', key })
      assert.deepEqual([answer.status, answer.code], [status, code])
      assert.deepEqual(offences('error', answer.body), [])
    }
    const headers = { 'x-secret-key': api.plain.secret_key }
    const both = await api.ask({ url: '/v1/transactions', key: api.plain.public_key, headers })
    assert.deepEqual(
      [both.status, both.headers['access-control-allow-origin'], both.body],
      [200, undefined, { data: [], pagination: { limit: 50, offset: 0, has_more: false, next_cursor: null } }],
    )
    const preflight = await api.ask({ method: 'OPTIONS', url: '/v1/transactions' })
    assert.deepEqual([preflight.status, preflight.headers.allow], [405, 'GET, HEAD, OPTIONS'])
  })

  it('counts against the limit of its key', async (t) => {
    const limited = await openTestApi({ RATE_LIMITS: 'on', RATE_LIMIT_KEY_PER_SECOND: '1', RATE_LIMIT_KEY_BURST: '2' })
    t.after(() => limited.close())
    const ask = () => limited.ask({ url: '/v1/transactions', key: limited.all.secret_key })
    await ask()
    // A slow machine may have filled the bucket again by then: of those that come at once only two are taken.
    const answers = await Promise.all(Array.from({ length: 6 }, ask))
    const refused = answers.filter(({ status }) => status === 429)
    assert.ok(refused.length >= 4, `${refused.length} of six were refused`)
    assert.deepEqual(new Set(refused.map(({ code }) => code)), new Set(['RATE_LIMITED']))
  })

  it('200: gives the very records that GET /v1/transaction/{id} gives, the newest first', async () => {
    const customer = { contact_info: { email: 'listed@example.com' } }
    const payout_info = { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }
    const sell = { from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' }
    const made = [await create(api.all.secret_key, { customer, payout_info }), await create(api.all.secret_key, sell)]
    const answer = await list('limit=2')
    assert.deepEqual(idsOf(answer), made.toReversed())
    for (const row of rowsOf(answer)) {
      assert.deepEqual(offences('transaction', row), [])
      assert.deepEqual((await api.ask({ url: `/v1/transaction/${row.id}`, key: api.all.secret_key })).body, row)
    }
  })

  it('400 BAD_REQUEST: what cannot be read or is out of range, with its path', async () => {
    const rows = table(`
      query                                         path
      limit=0                                       limit
      limit=-1                                      limit
      limit=ten                                     limit
      limit=1.0                                     limit
      limit=%2B5                                    limit
      limit=1e1                                     limit
      limit=1&limit=2                               limit
      offset=-1                                     offset
      offset=100001                                 offset
      offset=99999999999999999999999                offset
      offset=x                                      offset
      sorting=newest                                sorting
      status=paid                                   status
      status=new,finished                           status
      status=toString                               status
      from_date=2026-02-30                          from_date
      from_date=20.11.2026                          from_date
      from_date=1700000000                          from_date
      from_date=0000-01-01                          from_date
      to_date=2026-11-20T24:00:00Z                  to_date
      to_date=2026-11-20T23:59:60Z                  to_date
      to_date=2026-11-20T10                         to_date
      to_date=2026-11-20T10:00:00%2B15:00           to_date
      updated_from_date=yesterday                   updated_from_date
      updated_to_date=2026-13-01                    updated_to_date
      external_partner_link_id=a%00b                external_partner_link_id
      external_partner_link_id=4242424242424242     external_partner_link_id
      cursor=nonsense                               cursor
      cursor=%20                                    cursor
    `)
    for (const { query = '', path } of rows) {
      const answer = await list(query)
      assert.deepEqual([answer.status, answer.code, answer.path], [400, 'BAD_REQUEST', path], query)
    }
    const long = await list(`external_partner_link_id=${'x'.repeat(256)}`)
    assert.deepEqual([long.status, long.path], [400, 'external_partner_link_id'])
    const many = await list('limit=0&offset=x&status=paid&cursor=y')
    assert.deepEqual((many.body.errors as { path: string }[]).map(({ path }) => path).toSorted(), [
      'cursor',
      'limit',
      'offset',
      'status',
    ])
  })

  it('200: absent is absent however it is written, what is not known is ignored, over 100 is 100', async () => {
    const names = ['offset', 'limit', 'sorting', 'from_date', 'to_date', 'updated_from_date', 'updated_to_date']
    for (const name of [...names, 'status', 'external_partner_link_id', 'cursor', 'side']) {
      for (const value of ['', 'null']) {
        const { limit, offset } = pagination(await list(`${name}=${value}`))
        assert.deepEqual([limit, offset], [50, 0], name)
      }
    }
    assert.equal(pagination(await list('limit=101')).limit, 100)
    assert.equal(pagination(await list(`limit=${'9'.repeat(30)}&platform=web`)).limit, 100)
    assert.equal(pagination(await list('offset=100000&limit=007')).limit, 7)
  })
})

describe('another partner', () => {
  it('never meets our transactions, by no filter, no offset and no cursor of ours', async () => {
    const mine = await create(api.all.secret_key, { external_partner_link_id: 'mine' })
    const queries = [
      '',
      'external_partner_link_id=mine',
      'status=new',
      'updated_from_date=2020-01-01',
      'sorting=asc&limit=100',
    ]
    for (const query of queries) {
      assert.ok(idsOf(await list(query)).includes(mine), query)
      assert.ok(!idsOf(await list(query, api.plain.secret_key)).includes(mine), query)
      const offset = await list(`${query}&offset=1`, api.plain.secret_key)
      assert.ok(!idsOf(offset).includes(mine), query)
    }
    const { next_cursor: cursor } = pagination(await list('limit=1'))
    assert.ok(cursor)
    const answer = await list(`cursor=${cursor}`, api.plain.secret_key)
    assert.deepEqual([answer.status, answer.path], [400, 'cursor'])
  })

  it('cannot make a cursor: one that was changed anywhere is 400', async () => {
    const { next_cursor: cursor } = pagination(await list('limit=1'))
    const bytes = Buffer.from(String(cursor), 'base64url')
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      assert.equal((await list(`cursor=${changed.toString('base64url')}`)).status, 400)
    }
    for (const wrong of [bytes.subarray(0, -1).toString('base64url'), `${cursor}A`, `${cursor}=`, 'x'.repeat(5_000)])
      assert.equal((await list(`cursor=${wrong}`)).status, 400, wrong)
    assert.ok(!bytes.includes('2026'), 'it can be read by us alone')
  })
})

describe('a list of retail transactions', () => {
  it('has no B2B transaction', async () => {
    const id = await create(api.all.secret_key)
    assert.equal(idsOf(await list('limit=1'))[0], id)
    await asOwner(api.database.ownerUrl, (client) =>
      client.query(
        `insert into payout_addresses (id, partner_id, type, category, status, needs_approval, active_from, same, address_hash,
           data_key_id, details, created_at, updated_at)
         select 1, partner_id, 'bank_account', 'SEPA', 'active', false, created_at, '', '', data_key_id, '', created_at, created_at
         from transactions where public_id = $1`,
        [id],
      ),
    )
    await change(id, "kind = 'b2b', payout_address_id = 1")
    for (const query of ['limit=100', 'limit=100&status=new', 'limit=100&updated_from_date=2020-01-01'])
      assert.ok(!idsOf(await list(query)).includes(id), query)
  })

  it('shows the transaction of a person who has been erased, and nothing of the person', async () => {
    const customer = { contact_info: { email: 'erased@example.com' } }
    const payout_info = { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }
    const link = { external_partner_link_id: 'erased' }
    const [gone, kept] = [
      await create(api.all.secret_key, { customer, payout_info, ...link }),
      await create(api.all.secret_key),
    ]
    await change(gone, "country = 'DE', output_hash = 'hash'")
    await asOwner(api.database.ownerUrl, (client) =>
      client.query(
        'update data_keys set wrapped = null, erased_at = now() where id = (select data_key_id from transactions where public_id = $1)',
        [gone],
      ),
    )
    const answer = await list('limit=2')
    assert.deepEqual(idsOf(answer), [kept, gone])
    const row = rowsOf(answer)[1] as unknown as { [name: string]: unknown }
    assert.deepEqual(offences('transaction', row), [])
    assert.deepEqual(
      [row.email, row.customer_id, row.payout, row.deposit, row.output_hash, row.location],
      [null, null, null, null, null, 'ZZ'],
    )
    assert.deepEqual([row.external_partner_link_id, row.expected_from_amount], ['erased', '100'])
    const single = await api.ask({ url: `/v1/transaction/${gone}`, key: api.all.secret_key })
    assert.equal(single.status, 409)
  })
})
