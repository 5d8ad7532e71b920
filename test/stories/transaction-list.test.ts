import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, buy, create, lookup, pay, read, readyToPay } from '../support/journey.ts'
import { offences } from '../support/strict-types.ts'
import { startTwin } from '../support/twin.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

type Page = {
  data: TransactionRecord[]
  pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null }
}

async function list(query: string, key: string = exchange.sandbox.secret_key, url = exchange.url): Promise<Page> {
  const answer = await fetch(`${url}/v1/transactions?${query}`, { headers: { 'x-api-key': key } })
  const page = (await answer.json()) as Page
  assert.equal(answer.status, 200, JSON.stringify(page))
  return page
}

/** Every page of a list, by the cursor. */
async function walk(query: string, key?: string, url?: string): Promise<TransactionRecord[]> {
  const met: TransactionRecord[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = await list(`${query}&cursor=${cursor}`, key, url)
    met.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return met
}

const idsOf = (records: TransactionRecord[]): string[] => records.map(({ id }) => id)

describe('a partner that keeps its books by the list', () => {
  it('finds every transaction where it stands, whole, as GET shows it', async () => {
    const customer = { contact_info: { email: 'books@example.com' } }
    const finished = await buy(exchange, { customer, external_partner_link_id: 'order-1' })
    const unpaid = await readyToPay(exchange, { external_partner_link_id: 'order-2' })
    const sell = await create(exchange, { from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' })
    const swap = await create(exchange, { from_currency: 'ETH', to_currency: 'BTC', from_amount: '1' })

    const all = await walk('limit=3')
    assert.deepEqual(idsOf(all), idsOf([swap, sell, unpaid, finished]))
    for (const record of all) {
      assert.deepEqual(offences('transaction', record), [])
      assert.deepEqual(record, await read(exchange, record.id))
    }
    for (const [query, expected] of [
      ['status=finished', [finished]],
      ['status=waiting_for_deposit', [unpaid]],
      ['status=new', [swap, sell]],
      ['status=refunded', []],
      ['external_partner_link_id=order-2', [unpaid]],
    ] as const) {
      assert.deepEqual(idsOf((await list(query)).data), idsOf([...expected]), query)
    }
  })

  it('is told by one question of all that has changed since it last asked', async () => {
    const unpaid = await readyToPay(exchange)
    const { updated_at: asked } = (await walk('')).reduce((one, other) =>
      one.updated_at > other.updated_at ? one : other,
    )
    const since = new Date(Date.parse(asked) + 1).toISOString()
    assert.deepEqual((await list(`updated_from_date=${since}`)).data, [])
    await pay(exchange, unpaid.id)
    await arrive(exchange, unpaid.id, 'finished')
    const { id } = await create(exchange)
    assert.deepEqual(idsOf((await list(`updated_from_date=${since}`)).data), [id, unpaid.id])
    assert.deepEqual(idsOf((await list(`updated_from_date=${since}&status=finished`)).data), [unpaid.id])
  })

  it('meets each exactly once while two processes create, and may go on at either', async (t) => {
    const twin = await startTwin(exchange, { RATE_LIMITS: 'off' })
    t.after(() => twin.stop())
    const key = exchange.sandbox.secret_key
    const body = JSON.stringify({ from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' })
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const created: string[] = []
    const createAt = async (url: string): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        const answer = await fetch(`${url}/v1/transaction`, { method: 'POST', headers, body })
        created.push(((await answer.json()) as TransactionRecord).id)
      }
    }
    const there = idsOf(await walk('limit=100'))
    const making = Promise.all([exchange.url, exchange.url, twin.url, twin.url].map(createAt))
    const met: string[] = []
    let passed = 0
    let url = exchange.url
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`sorting=asc&limit=7&cursor=${cursor}`, key, url)
      met.push(...idsOf(page.data))
      cursor = page.pagination.next_cursor
      if (cursor !== null) passed = met.length
      url = url === twin.url ? exchange.url : twin.url
    }
    await making
    const all = idsOf(await walk('sorting=asc&limit=50'))
    assert.equal(new Set(met).size, met.length, 'nothing twice')
    assert.deepEqual(
      there.filter((id) => !met.includes(id)),
      [],
      'nothing missed that was there',
    )
    assert.deepEqual(all.slice(0, passed), met.slice(0, passed), 'nothing comes to stand where the cursor has passed')
    assert.deepEqual(all.toSorted(), [...there, ...created].toSorted())
  })

  it('goes on when a person has been erased: the money stays, the person is gone', async () => {
    const customer = { contact_info: { email: 'gone@example.com' } }
    const { id, from_amount: amount } = await buy(exchange, { customer })
    await lookup(
      exchange,
      `update data_keys set wrapped = null, erased_at = now()
       where id = (select data_key_id from transactions where public_id = $1)`,
      [id],
    )
    const { data } = await list('limit=1')
    const [record] = data
    assert.deepEqual([record?.id, record?.status, record?.from_amount], [id, 'finished', amount])
    assert.deepEqual([record?.email, record?.payout, record?.output_hash], [null, null, null])
    assert.deepEqual(offences('transaction', record), [])
    assert.ok(!JSON.stringify(data).includes('gone@example.com'))
    await assertBooksHold(exchange)
  })
})

describe('the second partner', () => {
  it('has a list of its own, whatever it asks with', async () => {
    const key = exchange.sandbox.second_partner.secret_key
    const theirs = await create(exchange, { external_partner_link_id: 'order-1' }, { key })
    assert.deepEqual(idsOf(await walk('limit=1', key)), [theirs.id])
    assert.deepEqual(idsOf((await list('external_partner_link_id=order-1', key)).data), [theirs.id])
    assert.deepEqual((await list('offset=1', key)).data, [])
    assert.ok(!idsOf(await walk('limit=100')).includes(theirs.id))

    const { pagination } = await list('limit=1')
    const refused = await exchange.api<{ code: string }>(`/v1/transactions?cursor=${pagination.next_cursor}`, { key })
    assert.deepEqual([refused.status, refused.body.code], [400, 'BAD_REQUEST'])
  })
})
