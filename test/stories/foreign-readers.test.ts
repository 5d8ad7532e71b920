import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Read, unreadable } from '../support/foreign-reader.ts'
import { foreignReaders } from '../support/foreign-readers.ts'
import { advance, arrive, buy, create, pay, railEvent, readyToPay, seen } from '../support/journey.ts'
import { table } from '../support/table.ts'

let exchange: Exchange
/** Transactions that stand everywhere that they can be led to. */
const standing: [where: string, id: string][] = []
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,ETH=1' })
  standing.push(['new', (await create(exchange)).id])
  standing.push(['ready to pay', (await readyToPay(exchange)).id])

  const declined = await readyToPay(exchange)
  await railEvent(exchange, declined.id, 'decline')
  await seen(exchange, declined.id, 'the refusal', ({ errors }) => errors.length > 0)
  standing.push(['declined', declined.id], ['bought', (await buy(exchange)).id])

  const sell = { from_currency: 'BTC', to_currency: 'EUR', from_amount: '0.01' }
  const swap = { from_currency: 'BTC', to_currency: 'ETH', from_amount: '0.01' }
  for (const [where, body] of [
    ['sold to a bank account', sell],
    ['swapped', swap],
  ] as const) {
    const { id } = await readyToPay(exchange, body)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    standing.push([where, id])
  }
  const charged = await buy(exchange)
  await railEvent(exchange, charged.id, 'chargeback')
  await seen(exchange, charged.id, 'the chargeback', ({ errors }) => errors.length > 0)
  standing.push(['charged back', charged.id])
  const late = await readyToPay(exchange)
  await advance(exchange, 'PT2H')
  standing.push(['expired', (await arrive(exchange, late.id, 'expired')).id])
})
after(() => exchange.stop())

const assertReads = (read: Read, value: unknown, what: string) => assert.deepEqual(unreadable(read, value, what), [])

for (const { kind, keys, questions, create: making, transaction, error } of foreignReaders) {
  describe(kind, () => {
    const ask = (path: string, asking: { body?: unknown; headers?: Record<string, string> } = {}) =>
      exchange.api(path, {
        ...asking,
        key: keys === 'public' ? exchange.sandbox.public_key : exchange.sandbox.secret_key,
      })

    it('reads every answer that it asks for', async () => {
      for (const { path, read } of questions) {
        const { status, body } = await ask(path)
        assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
        assertReads(read, body, path)
      }
    })

    it('creates, and reads what it made', async () => {
      if (!making || !transaction) return
      const { status, body } = await ask('/v1/transaction', making)
      assert.equal(status, 201, JSON.stringify(body))
      assertReads(transaction, body, 'create')
      assertReads(transaction, (await ask(`/v1/transaction/${String(body.id)}`)).body, 'get')
      assert.match(String(body.redirect_url), /\/checkout\?tid=[\w-]{24}$/)
    })

    it('reads a transaction wherever it stands', async () => {
      if (!transaction) return
      for (const [where, id] of standing) assertReads(transaction, (await ask(`/v1/transaction/${id}`)).body, where)
    })

    it('reads what is refused', async () => {
      for (const path of [
        '/v1/nothing',
        '/v1/estimate/by-category?from_currency=EUR',
        '/v1/currencies/NOSUCH',
        '/v1/market-info/min-max-range/eur_nosuch',
        '/v1/transaction/1',
        '/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=0.01',
        '/v1/estimate?from_currency=EUR&to_currency=NOSUCH&from_amount=100',
      ]) {
        const { status, body } = await ask(path)
        assert.ok(status >= 400 && status < 500, path)
        assertReads(error, body, path)
      }
      assertReads(error, (await ask('/v1/transaction', { body: {} })).body, 'an empty create')
      assertReads(error, (await exchange.api('/v1/transactions', { key: null })).body, 'without a key')
    })
  })
}

describe('what would break a reader', () => {
  it('is seen', () => {
    const rows = table(`
      read     value                        reads
      text     "1"                          yes
      text     1                            no
      text     null                         no
      text?    null                         yes
      long     "9223372036854775807"        yes
      long     "9223372036854775808"        no
      long     "1.5"                        no
      double   "0"                          yes
      double   "1e5"                        no
      instant  "2026-11-20T10:00:00.000Z"   yes
      instant  "2026-11-20"                 no
      texts    {"a":"b"}                    yes
      texts    {"a":1}                      no
      number   "1"                          no
      int      1.5                          no
      list     {}                           no
      map      []                           no
    `)
    for (const { read = '', value = '', reads } of rows) {
      assert.equal(unreadable(read as Read, JSON.parse(value), 'it').length === 0, reads === 'yes', `${read} ${value}`)
    }
    assert.deepEqual(unreadable({ a: [{ b: 'text' }] }, { a: [{ b: 'c' }, { b: 1 }] }, 'it'), [
      'it.a[1].b is 1, read as text',
    ])
  })
})
