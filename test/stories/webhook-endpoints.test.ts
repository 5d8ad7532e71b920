import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { advance, create } from '../support/journey.ts'
import { type Received, type Receiver, startReceiver, until } from '../support/telling.ts'

type Endpoint = {
  id: string
  url: string
  types: string[]
  status: string
  rate_limit: number | null
  ordered: boolean
  failing_since: string | null
  previous_secret_until: string | null
  secret: string
  waiting: number
  last_attempt: { outcome: string; status: number | null } | null
}
type Attempt = {
  event_id: string
  type: string
  attempt: number
  outcome: string
  status: number | null
  request: { url: string; webhook_id: string; webhook_timestamp: string; body: string }
  response: string | null
  next_attempt_at: string | null
}
type Refused = { code: string; errors: { path: string }[] }

let exchange: Exchange
before(async () => {
  // No attempt comes by itself while a test looks.
  exchange = await startExchange({ RATE_LIMITS: 'off', WEBHOOK_RETRY_SECONDS: '3600' })
})
after(() => exchange.stop())

const at = '/v1/webhook-endpoints'
const call = async <Body>(path: string, asking: Asking = {}): Promise<Body> => {
  const { status, body } = await exchange.api<Body>(path, asking)
  assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(body)}`)
  return body
}
const refusal = async (path: string, asking: Asking): Promise<[number, string, string | undefined]> => {
  const { status, body } = await exchange.api<Refused>(path, asking)
  return [status, body.code, body.errors[0]?.path]
}
const attemptsAt = async ({ id }: Endpoint, query = ''): Promise<Attempt[]> =>
  (await call<{ data: Attempt[] }>(`${at}/${id}/attempts${query}`)).data

const isSigned = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

async function added(t: TestContext, wishes: object = {}): Promise<{ endpoint: Endpoint; receiver: Receiver }> {
  const receiver = await startReceiver(t)
  return { receiver, endpoint: await call<Endpoint>(at, { body: { url: receiver.url, ...wishes } }) }
}

/** Sends tests until one has come since: what an endpoint is changed to holds within two seconds. */
async function nextTest(endpoint: Endpoint, receiver: Receiver): Promise<Received> {
  const before = receiver.all.length
  await call(`${at}/${endpoint.id}/test`, { method: 'POST' })
  await receiver.got(before + 1)
  return receiver.all.at(-1) as Received
}

beforeEach(async () => {
  const { data } = await call<{ data: Endpoint[] }>(at)
  for (const { id } of data) await exchange.api(`${at}/${id}`, { method: 'DELETE' })
})

describe('/v1/webhook-endpoints', () => {
  it('201: a new endpoint has what it asked for, and shows its secret this once', async (t) => {
    const { endpoint, receiver } = await added(t)
    assert.equal(endpoint.secret, exchange.sandbox.webhook_secret)
    assert.deepEqual(
      [endpoint.url, endpoint.status, endpoint.rate_limit, endpoint.ordered],
      [receiver.url, 'active', null, true],
    )
    const choosy = await call<Endpoint>(at, {
      body: { url: receiver.url, types: ['endpoint.failing'], rate_limit: 5, ordered: false },
    })
    assert.deepEqual([choosy.types, choosy.rate_limit, choosy.ordered], [['endpoint.failing'], 5, false])
    assert.notEqual(choosy.secret, endpoint.secret)

    const { data } = await call<{ data: Endpoint[] }>(at)
    assert.deepEqual(
      data.map(({ id }) => id),
      [endpoint.id, choosy.id],
    )
    assert.ok(!JSON.stringify(data).includes('whsec_'))
    const one = await call<Endpoint>(`${at}/${endpoint.id}`)
    assert.deepEqual([one.secret, one.waiting, one.last_attempt], [undefined, 0, null])
  })

  it('201: the same Idempotency-Key makes one endpoint, and shows the same secret', async (t) => {
    const { url } = await startReceiver(t)
    const asking = { body: { url }, headers: { 'idempotency-key': `twice ${url}` } }
    const [first, second] = [await call<Endpoint>(at, asking), await call<Endpoint>(at, asking)]
    assert.deepEqual(first, second)
    assert.equal((await call<{ data: Endpoint[] }>(at)).data.length, 1)
  })

  it('400: URLs that lead inside or nowhere, types that are none, rates that are none', async () => {
    const bad: [body: object, path: string][] = [
      [{}, 'url'],
      [{ url: 'http://169.254.169.254/latest/meta-data/' }, 'url'],
      [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
      [{ url: 'http://0xa9fea9fe/' }, 'url'],
      [{ url: 'http://167772161/' }, 'url'],
      [{ url: 'http://012.0.0.1/' }, 'url'],
      [{ url: 'ftp://127.0.0.1/' }, 'url'],
      [{ url: 'http://does-not-resolve.invalid/' }, 'url'],
      [{ url: 'http://127.0.0.1:9/', types: ['everything'] }, 'types'],
      [{ url: 'http://127.0.0.1:9/', types: [] }, 'types'],
      [{ url: 'http://127.0.0.1:9/', types: 'transaction.created' }, 'types'],
      [{ url: 'http://127.0.0.1:9/', rate_limit: 1001 }, 'rate_limit'],
      [{ url: 'http://127.0.0.1:9/', rate_limit: 1.5 }, 'rate_limit'],
    ]
    for (const [body, path] of bad) {
      assert.deepEqual(await refusal(at, { body }), [400, 'BAD_REQUEST', path], JSON.stringify(body))
    }
    assert.deepEqual((await call<{ data: Endpoint[] }>(at)).data, [])
  })

  it('200: a change holds within two seconds; what is paused keeps what comes', async (t) => {
    const { endpoint, receiver } = await added(t)
    const path = `${at}/${endpoint.id}`
    assert.equal((await call<Endpoint>(path, { method: 'PATCH', body: { status: 'paused' } })).status, 'paused')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await create(exchange)
    await until(async () => (await call<Endpoint>(path)).waiting > 0, 'an event that waits')
    assert.equal(receiver.all.length, 0)
    assert.deepEqual(await refusal(`${path}/test`, { method: 'POST' }), [409, 'CONFLICT', undefined])

    await call(path, { method: 'PATCH', body: { status: 'active' } })
    await receiver.got(1)
    const other = await startReceiver(t)
    const changed = await call<Endpoint>(path, {
      method: 'PATCH',
      body: { url: other.url, types: ['transaction.created'], rate_limit: 50, ordered: false },
    })
    assert.deepEqual(
      [changed.url, changed.types, changed.rate_limit, changed.ordered],
      [other.url, ['transaction.created'], 50, false],
    )
    await until(async () => {
      await create(exchange)
      return other.all.length > 0
    }, 'events at the new address')
    assert.deepEqual(await refusal(path, { method: 'PATCH', body: {} }), [400, 'BAD_REQUEST', undefined])
    assert.deepEqual(await refusal(path, { method: 'PATCH', body: { status: 'gone' } }), [400, 'BAD_REQUEST', 'status'])
  })

  it('201: a rotation signs with both secrets until its overlap is over, and not longer', async (t) => {
    const { endpoint, receiver } = await added(t)
    const rotated = await call<{ secret: string; previous_secret_until: string }>(
      `${at}/${endpoint.id}/rotate-secret`,
      {
        body: { overlap: 'PT1H' },
      },
    )
    assert.notEqual(rotated.secret, endpoint.secret)
    await until(async () => isSigned(rotated.secret, await nextTest(endpoint, receiver)), 'the new secret')
    const both = await nextTest(endpoint, receiver)
    assert.deepEqual([isSigned(rotated.secret, both), isSigned(endpoint.secret, both)], [true, true])
    assert.equal(String(both.headers['webhook-signature']).split(' ').length, 2)
    const altered = { ...both, body: both.body.replace('EXCHANGE', 'EXCHANGF') }
    const old = { ...both, headers: { ...both.headers, 'webhook-timestamp': '1600000000' } }
    for (const bad of [altered, old]) assert.equal(isSigned(rotated.secret, bad), false)

    await advance(exchange, 'PT61M')
    const later = await nextTest(endpoint, receiver)
    assert.deepEqual([isSigned(rotated.secret, later), isSigned(endpoint.secret, later)], [true, false])
  })

  it('201: a test goes to its endpoint whatever that wants, and shows up among the attempts', async (t) => {
    const { endpoint, receiver } = await added(t, { types: ['customer.status_changed'] })
    receiver.answer = (_request, response) => response.writeHead(503).end('closed for lunch')
    const { event_id: event } = await call<{ event_id: string }>(`${at}/${endpoint.id}/test`, { method: 'POST' })
    await until(async () => (await attemptsAt(endpoint)).length === 1, 'an attempt')
    const [attempt] = await attemptsAt(endpoint, `?event_id=${event}&outcome=failed`)
    assert.deepEqual(
      [attempt?.event_id, attempt?.type, attempt?.attempt, attempt?.outcome, attempt?.status, attempt?.response],
      [event, 'endpoint.test', 1, 'rejected', 503, 'closed for lunch'],
    )
    const [received] = receiver.all
    assert.deepEqual(
      [attempt?.request.url, attempt?.request.webhook_id, attempt?.request.webhook_timestamp, attempt?.request.body],
      [receiver.url, event, received?.headers['webhook-timestamp'], received?.body],
    )
    assert.ok(attempt?.next_attempt_at)
    assert.deepEqual(await attemptsAt(endpoint, '?outcome=delivered'), [])
    const { waiting, last_attempt: last } = await call<Endpoint>(`${at}/${endpoint.id}`)
    assert.deepEqual([waiting, last?.outcome, last?.status], [1, 'rejected', 503])

    receiver.answer = (_request, response) => response.writeHead(200).end()
    await call(`${at}/${endpoint.id}/replay`, { body: { event_id: event } })
    await receiver.got(2)
    await until(async () => (await attemptsAt(endpoint, '?outcome=delivered')).length === 1, 'its delivery')
    assert.deepEqual(
      (await attemptsAt(endpoint)).map((one) => one.attempt),
      [2, 1],
    )
  })

  it('200: a test that is not on its way yet has no attempts', async (t) => {
    const { endpoint, receiver } = await added(t)
    const { relay } = exchange.service.composition
    await relay.stop()
    try {
      const { event_id: event } = await call<{ event_id: string }>(`${at}/${endpoint.id}/test`, { method: 'POST' })
      assert.deepEqual(await attemptsAt(endpoint, `?event_id=${event}`), [])
      relay.start()
      await receiver.got(1)
      await until(async () => (await attemptsAt(endpoint, `?event_id=${event}`)).length === 1, 'its attempt')
    } finally {
      relay.start()
    }
  })

  it('200: attempts are paged by cursor, the latest first, each once', async (t) => {
    const { endpoint, receiver } = await added(t)
    for (let count = 0; count < 7; count += 1) await nextTest(endpoint, receiver)
    await until(async () => (await attemptsAt(endpoint)).length === 7, 'all attempts')
    const seen: string[] = []
    for (let query = '?limit=3'; ;) {
      const { data, pagination } = await call<{ data: Attempt[]; pagination: { next_cursor: string | null } }>(
        `${at}/${endpoint.id}/attempts${query}`,
      )
      seen.push(...data.map((one) => one.event_id))
      if (pagination.next_cursor === null) break
      query = `?limit=3&cursor=${pagination.next_cursor}`
    }
    assert.deepEqual(seen, receiver.all.map(({ event }) => event.id).toReversed())
    assert.deepEqual(await refusal(`${at}/${endpoint.id}/attempts?cursor=bm9uZQ`, {}), [400, 'BAD_REQUEST', 'cursor'])
  })

  it('201: a replay sends everything since a time again, in order; 400: neither or both are named, or a time ahead', async (t) => {
    const { endpoint, receiver } = await added(t, { types: ['endpoint.test'] })
    const since = exchange.service.composition.ctx.clock.now().toISOString()
    for (let count = 0; count < 5; count += 1) await nextTest(endpoint, receiver)
    const first = receiver.all.map(({ event }) => event.id)
    const path = `${at}/${endpoint.id}/replay`
    await call(path, { body: { since } })
    await receiver.got(10)
    assert.deepEqual(
      receiver.all.slice(5).map(({ event }) => event.id),
      first,
    )

    const ahead = new Date(exchange.service.composition.ctx.clock.now().getTime() + 60_000).toISOString()
    for (const body of [{}, { since, event_id: first[0] }, { since: ahead }, { since: 'yesterday' }]) {
      assert.deepEqual(await refusal(path, { body }), [400, 'BAD_REQUEST', 'since'], JSON.stringify(body))
    }
    assert.deepEqual(await refusal(path, { body: { event_id: 'evt_1000001' } }), [400, 'BAD_REQUEST', 'event_id'])
  })

  it('204: one that is removed is gone; 404: for everybody from then on', async (t) => {
    const { endpoint } = await added(t)
    const path = `${at}/${endpoint.id}`
    assert.equal((await exchange.api(path, { method: 'DELETE' })).status, 204)
    for (const asking of [{}, { method: 'DELETE' }, { method: 'PATCH', body: { status: 'paused' } }]) {
      assert.deepEqual(await refusal(path, asking), [404, 'NOT_FOUND', undefined])
    }
    assert.deepEqual(await refusal(`${at}/x`, {}), [404, 'NOT_FOUND', undefined])
  })

  it('says 409 to a test, a replay and a pause of a disabled endpoint, and delivers when it is active again', async (t) => {
    const { endpoint, receiver } = await added(t)
    receiver.answer = (_request, response) => response.writeHead(410).end()
    const { event_id: event } = await call<{ event_id: string }>(`${at}/${endpoint.id}/test`, { method: 'POST' })
    const path = `${at}/${endpoint.id}`
    await until(async () => (await call<Endpoint>(path)).status === 'disabled', 'its end')
    assert.deepEqual(await refusal(`${path}/test`, { method: 'POST' }), [409, 'CONFLICT', undefined])
    assert.deepEqual(await refusal(`${path}/replay`, { body: { event_id: event } }), [409, 'CONFLICT', undefined])
    const pause = { method: 'PATCH', body: { status: 'paused' } }
    assert.deepEqual(await refusal(path, pause), [409, 'CONFLICT', undefined])
    receiver.answer = (_request, response) => response.writeHead(200).end()
    const active = await call<Endpoint>(path, { method: 'PATCH', body: { status: 'active' } })
    assert.deepEqual([active.status, active.failing_since], ['active', null])
    await call(`${path}/replay`, { body: { event_id: event } })
    await receiver.got(2)
    assert.equal(receiver.all[1]?.event.id, event)
  })
})
