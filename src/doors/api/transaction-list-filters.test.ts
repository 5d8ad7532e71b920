import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { table } from '../../../test/support/table.ts'

let api: TestApi
before(async () => {
  api = await openTestApi()
})
after(() => api.close())

type Pagination = { limit: number; offset: number; has_more: boolean; next_cursor: string | null }

const create = async (key: string, change: object): Promise<string> => {
  const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', ...change }
  return String((await api.ask({ method: 'POST', url: '/v1/transaction', key, body })).body.id)
}
const list = (query: string, key: string): Promise<ApiAnswer> => api.ask({ url: `/v1/transactions?${query}`, key })
const pagination = ({ body }: ApiAnswer): Pagination => body.pagination as Pagination
const linksOf = ({ status, body }: ApiAnswer): string => {
  assert.equal(status, 200, JSON.stringify(body))
  return (body.data as { external_partner_link_id: string }[]).map((row) => row.external_partner_link_id).join('')
}
const change = (id: string, set: string, values: unknown[] = []): Promise<unknown> =>
  asOwner(api.database.ownerUrl, (client) =>
    client.query(`update transactions set ${set} where public_id = $1`, [id, ...values]),
  )

describe('a filter of GET /v1/transactions', () => {
  /** Five transactions of one partner, identified by their links: `a` the oldest. */
  const at = {
    a: '2026-03-01T23:59:59.999Z',
    b: '2026-03-02T00:00:00.000Z',
    c: '2026-03-02T12:00:00.500Z',
    d: '2026-03-02T23:59:59.999Z',
    e: '2026-03-03T00:00:00.000Z',
  }
  const ids: { [link: string]: string } = {}
  before(async () => {
    for (const [link, created] of Object.entries(at)) {
      const id = await create(api.plain.secret_key, { external_partner_link_id: link })
      await change(id, 'created_at = $2, updated_at = $2', [created])
      ids[link] = id
    }
  })
  const links = async (query: string): Promise<string> =>
    linksOf(await list(`sorting=asc&${query}`, api.plain.secret_key))

  it('by time takes both ends in, a date at the end with all of its day, in UTC or the zone that is named', async () => {
    const rows = table(`
      from                            to                               links
      -                               -                               abcde
      2026-03-02                      2026-03-02                      bcd
      2026-03-02                      -                               bcde
      -                               2026-03-01                      a
      2026-03-02T00:00:00.001Z        -                               cde
      2026-03-02T12:00:00.500Z        2026-03-02T12:00:00.500Z        c
      2026-03-02T12:00:00.501Z        2026-03-02T23:59:59.998Z        -
      2026-03-02T12:00:00             2026-03-02T12:00:01             c
      2026-03-02T12:00                2026-03-02T12:01Z               c
      2026-03-02T13:00:00.5%2B01:00   2026-03-02T13:00:00.5+01:00     c
      2026-03-02T07:00:00.500-0500    2026-03-02T17:30:00.500%2B05:30  c
      2026-03-02T12:00:00.500999Z     2026-03-02T12:00:00.500000001Z  c
      2026-03-03                      2026-03-02                      -
      1000-01-01                      9999-12-31                      abcde
      1000-01-01T00:00:00%2B14:00     9999-12-31T23:59:59.999-14:00   abcde
      9999-12-31T23:59:59-14:00       -                               -
      2024-02-29                      2026-03-01T23:59:59.999z        a
    `)
    for (const { from, to, links: expected = '' } of rows) {
      for (const prefix of ['', 'updated_']) {
        const query = [
          from === '-' ? '' : `${prefix}from_date=${from}`,
          to === '-' ? '' : `${prefix}to_date=${to}`,
        ].join('&')
        assert.equal(await links(query), expected.replace('-', ''), query)
      }
    }
  })

  it('by the last change looks at that and not at the creation, and can be joined with every other', async () => {
    await change(ids.a ?? '', "updated_at = '2026-04-01T10:00:00Z', status = 'finished'")
    const rows = table(`
      query                                                                                links
      updated_from_date=2026-03-03                                                         ae
      updated_from_date=2026-03-03&sorting=DESC                                            ea
      updated_from_date=2026-03-03&to_date=2026-03-01                                      a
      updated_from_date=2026-03-03&status=new                                              e
      updated_from_date=2026-03-03&status=Finished                                         a
      status=finished                                                                      a
      status=new&from_date=2026-03-02&to_date=2026-03-02                                   bcd
      status=new&external_partner_link_id=a                                                -
      status=finished&external_partner_link_id=a                                           a
      external_partner_link_id=c                                                           c
      external_partner_link_id=c&updated_from_date=2026-03-03                              -
      external_partner_link_id=C                                                           -
      external_partner_link_id=%25                                                         -
    `)
    for (const { query = '', links: expected = '' } of rows) {
      const sorting = query.includes('sorting') ? '' : 'sorting=asc&'
      assert.equal(linksOf(await list(`${sorting}${query}`, api.plain.secret_key)), expected.replace('-', ''), query)
    }
  })

  it('holds for every page that a cursor leads to, in both orders', async () => {
    for (const [query, expected] of [
      ['sorting=asc', 'abcde'],
      ['sorting=desc', 'edcba'],
      ['sorting=asc&status=new', 'bcde'],
      ['sorting=desc&status=new', 'edcb'],
      ['sorting=asc&updated_from_date=2026-03-02T10:00:00Z', 'acde'],
      ['sorting=desc&updated_from_date=2026-03-02T10:00:00Z', 'edca'],
    ] as const) {
      let met = ''
      let cursor: string | null = ''
      while (cursor !== null) {
        const answer = await list(`${query}&limit=1&cursor=${cursor}`, api.plain.secret_key)
        met += linksOf(answer)
        cursor = pagination(answer).next_cursor
        assert.equal(pagination(answer).has_more, cursor !== null)
      }
      assert.equal(met, expected, query)
    }
  })

  it('that is another than its cursor’s is 400 with that cursor; another limit is not', async () => {
    const key = api.plain.secret_key
    const { next_cursor: cursor } = pagination(await list('limit=2', key))
    assert.equal(linksOf(await list(`limit=3&cursor=${cursor}`, key)), 'cba')
    const others = [
      'sorting=asc',
      'status=new',
      'from_date=2026-03-01',
      'to_date=2026-03-01',
      'external_partner_link_id=a',
    ]
    for (const query of [...others, 'updated_from_date=2026-03-01', 'updated_to_date=2026-03-09']) {
      const answer = await list(`${query}&cursor=${cursor}`, key)
      assert.deepEqual([answer.status, answer.path], [400, 'cursor'], query)
    }
    const behind = await list(`limit=3&offset=4&cursor=${cursor}`, key)
    assert.deepEqual([linksOf(behind), pagination(behind).offset], ['cba', 0], 'the cursor alone says where')
  })

  it('and an offset meet the same rows', async () => {
    for (const [query, expected] of [
      ['offset=1&limit=2', 'bc'],
      ['offset=4', 'e'],
      ['offset=5', ''],
      ['offset=1&status=new&limit=2', 'cd'],
    ] as const) {
      const answer = await list(`sorting=asc&${query}`, api.plain.secret_key)
      assert.equal(linksOf(answer), expected, query)
      assert.equal(pagination(answer).has_more, expected.length === 2, query)
    }
  })
})
