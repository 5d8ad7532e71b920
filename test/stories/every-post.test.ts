import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, it } from 'node:test'

import type { FastifyInstance } from 'fastify'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { bankAccount, callsOf, halfBitcoin, ibanOf, made, wallet } from '../support/b2b.ts'
import { type Answer, type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, checkOut, create, lookup, readyToPay, type Refused } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

/** How long a process keeps a key that fell silent. */
const leaseMs = 4_000

let exchange: Exchange
const posts: string[] = []

/** Every POST that the service serves under /v1, whoever registered it. */
const listen = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    if ([method].flat().includes('POST') && url.startsWith('/v1/')) posts.push(url)
  })
}
before(async () => {
  subscribe('fastify.initialization', listen)
  exchange = await startExchange({ RATE_LIMITS: 'off', JOB_LEASE: `PT${leaseMs / 1_000}S` })
  unsubscribe('fastify.initialization', listen)
})
after(() => exchange.stop())

/** What it is answered with is 201, unless it makes nothing. */
type Sample = { path: string; body: object; status?: 200 }

/** How each is asked so that it is done. A new POST is named here, or the first test fails. */
const samples: Record<string, () => Promise<Sample>> = {
  '/v1/transaction': () =>
    Promise.resolve({
      path: '/v1/transaction',
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer: { contact_info: { email } } },
    }),
  '/v1/transaction/health': () =>
    Promise.resolve({
      path: '/v1/transaction/health',
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' },
      status: 200,
    }),
  '/v1/estimate': () =>
    Promise.resolve({
      path: '/v1/estimate',
      body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' },
      status: 200,
    }),
  '/v1/customer/by-shared-token': () =>
    Promise.resolve({
      path: '/v1/customer/by-shared-token',
      body: { kyc_shared_token: `_act-sandbox-approved-${(named += 1)}`, email: `shared-${named}@example.com` },
    }),
  '/v1/b2b/add-bank-account': () => Promise.resolve({ path: '/v1/b2b/add-bank-account', body: bankAccount(newName()) }),
  '/v1/b2b/add-crypto-wallet': () => Promise.resolve({ path: '/v1/b2b/add-crypto-wallet', body: wallet(newName()) }),
  '/v1/b2b/transaction': async () => {
    const name = newName()
    await made(callsOf(exchange).addBank(bankAccount(name)))
    return {
      path: '/v1/b2b/transaction',
      body: { ...halfBitcoin, payout_account_address: ibanOf(name) },
    }
  },
  '/v1/webhook-endpoints': async () => {
    await removeAll()
    return { path: '/v1/webhook-endpoints', body: { url: closedPort } }
  },
  '/v1/webhook-endpoints/:id/rotate-secret': async () => ({ path: `${await endpoint()}/rotate-secret`, body: {} }),
  '/v1/webhook-endpoints/:id/test': async () => ({ path: `${await endpoint()}/test`, body: {} }),
  '/v1/webhook-endpoints/:id/replay': async () => ({
    path: `${await endpoint()}/replay`,
    body: { since: '2026-01-01' },
  }),
  '/v1/sandbox/clock': () => Promise.resolve({ path: '/v1/sandbox/clock', body: { advance: 'PT1S' } }),
  '/v1/sandbox/transaction/:id/checkout': async () => {
    const { id } = await create(exchange)
    return { path: `/v1/sandbox/transaction/${id}/checkout`, body: { email } }
  },
  '/v1/sandbox/transaction/:id/deposit': async () => {
    const { id } = await readyToPay(exchange)
    return { path: `/v1/sandbox/transaction/${id}/deposit`, body: {} }
  },
  '/v1/sandbox/transaction/:id/rail-event': async () => {
    const { id } = await readyToPay(exchange)
    return { path: `/v1/sandbox/transaction/${id}/rail-event`, body: { type: 'decline' } }
  },
  '/v1/sandbox/scenarios/:name': () => Promise.resolve({ path: '/v1/sandbox/scenarios/never-opened', body: {} }),
}
const email = 'every-post@example.com'
const closedPort = 'http://127.0.0.1:9/hook'

/** An endpoint of the partner's that nobody answers at. */
async function endpoint(): Promise<string> {
  await removeAll()
  const { body } = await exchange.api<{ id: string }>('/v1/webhook-endpoints', { body: { url: closedPort } })
  return `/v1/webhook-endpoints/${body.id}`
}

/** Makes room: a partner has so many endpoints and no more. */
async function removeAll(): Promise<void> {
  const { body } = await exchange.api<{ data: { id: string }[] }>('/v1/webhook-endpoints')
  for (const { id } of body.data) await exchange.api(`/v1/webhook-endpoints/${id}`, { method: 'DELETE' })
}
let named = 0
const newName = (): string => `every post ${(named += 1)}`

const post = <Body = Refused>(path: string, key: string, asking: Asking = {}): Promise<Answer<Body>> =>
  exchange.api<Body>(path, {
    method: 'POST',
    body: {},
    ...asking,
    headers: { 'idempotency-key': key, ...asking.headers },
  })

/** What came of a request, beside its body. */
const told = ({ status, body, headers }: Answer<Refused>) => [status, body.code, headers.get('idempotency-replayed')]

describe('every POST under /v1', () => {
  it('is known here', () => {
    assert.deepEqual([...new Set(posts)].toSorted(), Object.keys(samples).toSorted())
  })

  it('is done once for its Idempotency-Key, and answers the same again', async () => {
    for (const [route, sample] of Object.entries(samples)) {
      const { path, body, status = 201 } = await sample()
      const first = await post(path, route, { body })
      assert.deepEqual(told(first), [status, undefined, null], route)
      const left = await traces()
      const again = await post(path, route, { body })
      assert.deepEqual(told(again), [status, undefined, 'true'], route)
      assert.deepEqual(again.body, first.body, route)
      assert.deepEqual(await traces(), left, route)
    }
    await assertBooksHold(exchange)
  })

  it('413, 415, then 422: what else comes under a used key, even if it cannot be read', async () => {
    for (const [route, sample] of Object.entries(samples)) {
      const { path, body, status: done = 201 } = await sample()
      const key = `other ${route}`
      assert.equal((await post(path, key, { body })).status, done)
      const text = { 'content-type': 'text/plain' }
      const others: [what: string, path: string, asking: Asking, code: string][] = [
        ['too large', path, { body: `"${'x'.repeat(262_144)}"`, headers: text }, 'PAYLOAD_TOO_LARGE'],
        ['no JSON by its type', path, { body, headers: text }, 'UNSUPPORTED_MEDIA_TYPE'],
        ['another body', path, { body: { ...body, note: 1 } }, 'IDEMPOTENCY_MISMATCH'],
        ['another query', `${path}?a=1`, { body }, 'IDEMPOTENCY_MISMATCH'],
        ['another path', '/v1/sandbox/scenarios/nothing', { body }, 'IDEMPOTENCY_MISMATCH'],
        ['broken JSON', path, { body: '{' }, 'IDEMPOTENCY_MISMATCH'],
        ['no object', path, { body: '[]' }, 'IDEMPOTENCY_MISMATCH'],
        ['no body', path, { body: '' }, 'IDEMPOTENCY_MISMATCH'],
      ]
      for (const [what, where, asking, code] of others) {
        const { status, body: refused } = await post(where, key, asking)
        assert.deepEqual([refused.code, status], [code, refused.statusCode], `${route}: ${what}`)
      }
      assert.equal((await post(path, `unused ${key}`, { body: '{' })).body.code, 'BAD_REQUEST', route)
    }
  })

  it('keeps no refusal: the key goes on to the request that can be done', async () => {
    const { id } = await create(exchange)
    const path = `/v1/sandbox/transaction/${id}/deposit`
    assert.deepEqual(told(await post(path, 'refused')), [409, 'CONFLICT', null])
    assert.deepEqual(told(await post('/v1/sandbox/scenarios/nothing', 'refused')), [404, 'NOT_FOUND', null])
    assert.deepEqual(told(await post(path, 'refused', { body: '{' })), [400, 'BAD_REQUEST', null])
    await checkOut(exchange, id)
    assert.deepEqual(told(await post(path, 'refused')), [201, undefined, null])
    assert.deepEqual(told(await post(path, 'x'.repeat(256))), [400, 'BAD_REQUEST', null])
  })

  it('seals its answer with the key of the person it tells of, else with the house’s', async () => {
    const rows = await lookup<{ owned: boolean; count: string }>(
      exchange,
      `select coalesce(transactions.id, partner_customers.id) is not null as owned, count(*) from idempotent_answers
       left join transactions using (data_key_id) left join partner_customers using (data_key_id) group by 1 order by 1`,
    )
    assert.deepEqual(
      rows.map(({ owned, count }) => [owned, count]),
      [
        [false, '25'],
        [true, '8'],
      ],
    )
    const [row] = await lookup<{ dump: string }>(
      exchange,
      "select string_agg(idempotent_answers::text, '') as dump from idempotent_answers",
    )
    for (const word of [email, 'transaction_id', 'deposit_id']) {
      assert.ok(!row?.dump.includes(word) && !row?.dump.includes(Buffer.from(word).toString('hex')), word)
    }
  })
})

describe('work that takes long under an Idempotency-Key', () => {
  const path = '/v1/sandbox/scenarios/card-buy'
  type Played = { transaction_id: string }
  const running = async () =>
    Number((await lookup<{ count: string }>(exchange, 'select count(*) from idempotent_work'))[0]?.count)

  it('holds the key until it is done, longer than its lease, and no block of the database', async () => {
    const { second_partner: other } = exchange.sandbox
    const clock = (asking: Asking = {}) => post('/v1/sandbox/clock', 'long', { body: { advance: 'PT1S' }, ...asking })
    const first = await asOwner(exchange.ownerUrl, async (owner) => {
      await owner.query('begin')
      await owner.query('select from service_state for update')
      const working = clock()
      await until(async () => (await running()) === 1, 'the work to begin')
      for (const begun = performance.now(); performance.now() - begun < 1.5 * leaseMs;) {
        const answer = await clock()
        assert.deepEqual(
          [...told(answer), answer.headers.get('retry-after')],
          [409, 'IDEMPOTENCY_IN_PROGRESS', null, '1'],
        )
        assert.equal((await post('/v1/transaction', 'long')).status, 409, 'the key is taken for any POST')
        assert.equal((await clock({ key: other.secret_key, body: {} })).status, 400, 'for nobody else')
        assert.deepEqual(await openBlocks(), [])
      }
      await owner.query('commit')
      return working
    })
    assert.equal(first.status, 201)
    const again = await clock()
    assert.deepEqual([...told(again), again.body], [201, undefined, 'true', first.body])
    assert.equal(await running(), 0)
  })

  it('does not starve the others, however many work at once, nor hold back what partners are told', async () => {
    const { id } = await create(exchange)
    const scenarios = Array.from({ length: 24 }, (_, number) => post<Played>(path, `many ${number}`))
    const clock = post('/v1/sandbox/clock', 'many clock', { body: { advance: 'PT1S' } })
    await until(async () => (await running()) > 10, 'them to begin')
    const begun = performance.now()
    await checkOut(exchange, id)
    await until(
      async () =>
        (
          await lookup(
            exchange,
            `select 1 from events join event_feed on event_id = events.id where stream = $1 and sequence > 1`,
            [id],
          )
        ).length > 0,
      'the feed to tell of it',
    )
    assert.ok(performance.now() - begun < promised(5_000))
    for (const { status } of [...(await Promise.all(scenarios)), await clock]) assert.equal(status, 201)
    assert.equal(await running(), 0)
    await assertBooksHold(exchange)
  })

  it('that died leaves the key free when its lease has run out, and keeps no answer that came too late', async () => {
    const dead = post<Played>(path, 'dead')
    await until(async () => (await running()) === 1, 'the work to begin')
    await lookup(exchange, "update idempotent_work set lease_until = '2020-01-01', fence = -1")
    const living = await post<Played>(path, 'dead')
    assert.equal(living.status, 201)
    assert.equal((await dead).body.transaction_id, living.body.transaction_id, 'both play the same one')
    assert.equal((await post<Played>(path, 'dead')).body.transaction_id, living.body.transaction_id)
  })
})

/** Blocks of the service that are open and have nothing to do. */
const openBlocks = () =>
  lookup(
    exchange,
    `select query from pg_stat_activity where datname = current_database() and usename <> current_user
       and state like 'idle in transaction%' and clock_timestamp() - state_change > '0.5 s'`,
  )

/** What a POST leaves behind. */
const traces = () =>
  lookup<TransactionRecord>(
    exchange,
    `select (select count(*) from transactions), (select count(*) from sandbox.card_payments),
       (select count(*) from payout_addresses), (select count(*) from webhook_endpoints),
       (select count(*) from webhook_replays), (select count(*) from events where type = 'endpoint.test'),
       (select clock_offset_ms from service_state), (select count(*) from idempotent_answers)`,
  )
