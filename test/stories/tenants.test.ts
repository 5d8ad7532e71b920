import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, create, lookup, pay, read, readyToPay, type Refused } from '../support/journey.ts'
import { offences } from '../support/strict-types.ts'
import { table } from '../support/table.ts'
import { startReceiver, until } from '../support/telling.ts'

const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const contact = { contact_info: { email: 'first.customer@example.com', phone_number: '+31 20 1234567' } }

let exchange: Exchange
let second: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  second = exchange.sandbox.second_partner.secret_key
})
after(() => exchange.stop())

describe('another partner', () => {
  it('does not see a transaction, and cannot move it', async () => {
    const { id } = await readyToPay(exchange, { customer: contact })
    const before = await read(exchange, id)
    const attempts: [path: string, body?: unknown][] = [
      [`/v1/transaction/${id}`],
      [`/v1/sandbox/transaction/${id}/checkout`, {}],
      [`/v1/sandbox/transaction/${id}/checkout`, { email: 'thief@example.com', payout_address: address }],
      [`/v1/sandbox/transaction/${id}/deposit`, {}],
      ...['decline', 'timeout', 'duplicate', 'unknown_word'].map((type): [string, unknown] => [
        `/v1/sandbox/transaction/${id}/rail-event`,
        { type },
      ]),
    ]
    for (const key of [second, exchange.sandbox.second_partner.public_key]) {
      for (const [path, body] of attempts) {
        const answer = await exchange.api<Refused>(path, { key, ...(body ? { body } : {}) })
        const isClosed = key !== second && body !== undefined
        assert.deepEqual([answer.status, answer.body.code], isClosed ? [403, 'FORBIDDEN'] : [404, 'NOT_FOUND'], path)
        assert.deepEqual(answer.body.errors, [])
      }
    }
    const unknown = await exchange.api<Refused>('/v1/transaction/4815162342108642359', { key: second })
    const others = await exchange.api<Refused>(`/v1/transaction/${id}`, { key: second })
    assert.equal(others.body.message, unknown.body.message, 'nobody can tell another’s from none')
    assert.deepEqual(await read(exchange, id), before)
  })

  it('does not see e-mails to a customer of both, nor webhooks', async (t) => {
    const receiver = await startReceiver(t)
    const partnerId = BigInt(exchange.sandbox.second_partner.partner_id)
    await addEndpoint(exchange.service.composition.ctx, { partnerId, url: receiver.url }, 'test')

    const mail = `/v1/sandbox/mail?to=${contact.contact_info.email}`
    const before = (await exchange.api<unknown[]>(mail)).body.length
    const { redirect_url: url } = await create(exchange, { customer: contact })
    const body = new URLSearchParams({ do: 'send' })
    assert.equal(
      (await fetch(url, { method: 'POST', redirect: 'manual', headers: { origin: exchange.url }, body })).status,
      303,
    )
    await until(async () => (await exchange.api<unknown[]>(mail)).body.length === before + 1, 'the e-mail')
    for (const path of [mail, '/v1/sandbox/mail'])
      assert.deepEqual((await exchange.api(path, { key: second })).body, [])

    const theirs = await create(exchange, { customer: contact }, { key: second })
    await until(() => receiver.all.length === 1)
    assert.equal((JSON.parse(receiver.all[0]?.body ?? '') as { payload: TransactionRecord }).payload.id, theirs.id)
  })

  it('knows the same customer under another id', async () => {
    const [one, again] = [await create(exchange, { customer: contact }), await create(exchange, { customer: contact })]
    const other = await create(exchange, { customer: contact }, { key: second })
    assert.ok(one.customer_id && other.customer_id)
    assert.equal(one.customer_id, again.customer_id)
    assert.notEqual(one.customer_id, other.customer_id)
  })
})

describe('a public key', () => {
  const payout_info = { payout_address: address, extra_id: 'secret-memo' }

  it('creates and reads without a person in the answer', async () => {
    const key = exchange.sandbox.public_key
    const created = await create(exchange, { customer: contact, payout_info }, { key })
    const { body: seen } = await exchange.api<TransactionRecord>(`/v1/transaction/${created.id}`, { key })
    const headers = { 'idempotency-key': 'from a browser' }
    const asking = {
      key,
      headers,
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer: contact, payout_info },
    }
    const first = await exchange.api<TransactionRecord>('/v1/transaction', asking)
    const again = await exchange.api<TransactionRecord>('/v1/transaction', asking)
    for (const record of [created, seen, first.body, again.body]) {
      assert.deepEqual([record.email, record.payout], [null, { address: 'bc1qw5…f3t4', extra_id: '' }])
      const text = JSON.stringify(record)
      for (const hidden of [contact.contact_info.email, address, 'secret-memo', '1234567'])
        assert.ok(!text.includes(hidden), hidden)
      assert.deepEqual(offences('transaction', record), [])
    }
    const whole = await read(exchange, created.id)
    assert.deepEqual([whole.email, whole.payout], [contact.contact_info.email, { address, extra_id: 'secret-memo' }])
  })

  const accounts = table(`
    currency  account                                 seen
    EUR       DE89 3704 0044 0532 0130 00             …3000
    GBP       00-12-34 56789012                       …9012
    MXN       032180000118359719                      …9719
    USD       12345678                                …
    USD       123456789                               …6789
    BRL       erika.mustermann@example.org            …
    BRL       +5511987654321                          …
    BRL       52998224725                             …
  `)
  for (const { currency = '', account = '', seen = '' } of accounts) {
    const bank = currency === 'USD' ? { extra_id: 'CHASUS33' } : {}
    it(`sees of the account ${account} no more than ${seen}`, async () => {
      const { id } = await create(exchange, {
        from_amount: '0.01',
        from_currency: 'BTC',
        to_currency: currency,
        payout_info: { payout_address: account, full_name: 'Erika Mustermann', ...bank },
      })
      const key = exchange.sandbox.public_key
      const { body } = await exchange.api<TransactionRecord>(`/v1/transaction/${id}`, { key })
      const iban = currency === 'EUR' ? seen : ''
      assert.deepEqual(body.payout, { address: seen, extra_id: '', iban, full_name: '' })
    })
  }

  it('reads no other partner’s, and holds up nothing', async () => {
    const { id } = await buy(exchange)
    const { status } = await exchange.api(`/v1/transaction/${id}`, { key: exchange.sandbox.second_partner.public_key })
    assert.equal(status, 404)
  })
})

describe('one Idempotency-Key', () => {
  const good = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer: contact }
  const post = (key: string, body: object = good, path = '/v1/transaction', apiKey = exchange.sandbox.secret_key) =>
    exchange.api<TransactionRecord & Refused>(path, { body, key: apiKey, headers: { 'idempotency-key': key } })

  it('makes one transaction and gives one answer, asked two thousand times over fifty connections', async () => {
    const counted = async () =>
      (await lookup<{ n: number }>(exchange, 'select count(*)::int as n from transactions'))[0]?.n ?? 0
    const before = await counted()
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const own = []
        for (let asked = 0; asked < 40; asked += 1) own.push(await post('two thousand times'))
        return own
      }),
    )
    const all = answers.flat()
    const waiting = all.filter(({ status }) => status === 409)
    for (const { body, headers } of waiting) {
      assert.equal(body.code, 'IDEMPOTENCY_IN_PROGRESS')
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }
    const done = all.filter(({ status }) => status === 201)
    assert.equal(done.length + waiting.length, 2_000)
    const last = await post('two thousand times')
    assert.equal(last.headers.get('idempotency-replayed'), 'true')
    for (const { body } of done) assert.deepEqual(body, last.body)
    assert.equal(done.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1, 'the first one')
    assert.equal((await counted()) - before, 1)
  })

  it('is not taken for another request, whatever differs', async () => {
    await post('once')
    for (const [body, path] of [
      [{ ...good, from_amount: 101 }, '/v1/transaction'],
      [{ ...good, from_amount: '100' }, '/v1/transaction'],
      [good, '/v1/transaction?locale=de'],
    ] as const) {
      const { status, body: refused } = await post('once', body, path)
      assert.deepEqual([status, refused.code], [422, 'IDEMPOTENCY_MISMATCH'])
    }
  })

  it('is each partner’s own, and free again after a refusal', async () => {
    const mine = await post('shared word')
    const theirs = await post('shared word', good, '/v1/transaction', second)
    assert.equal(theirs.status, 201)
    assert.notEqual(theirs.body.id, mine.body.id)

    assert.equal((await post('corrected', { ...good, from_amount: 1 })).status, 400)
    assert.equal((await post('corrected')).status, 201)
    assert.equal((await post('corrected', { ...good, from_amount: 1 })).status, 422)
  })

  it('gives the first answer again, however far the transaction has come', async () => {
    const { body: first } = await post('the first answer')
    await exchange.api(`/v1/sandbox/transaction/${first.id}/checkout`, { body: {} })
    await pay(exchange, first.id)
    await arrive(exchange, first.id, 'finished')
    const { status, body, headers } = await post('the first answer')
    assert.deepEqual([status, body, headers.get('idempotency-replayed')], [201, first, 'true'])
  })
})
