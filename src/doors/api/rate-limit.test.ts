import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'

let api: TestApi
let now = new Date('2026-01-01T00:00:00.000Z')

before(async () => {
  api = await openTestApi({
    RATE_LIMITS: 'on',
    RATE_LIMIT_KEY_PER_SECOND: '1',
    RATE_LIMIT_KEY_BURST: '8',
    RATE_LIMIT_CREATES_PER_SECOND: '1',
    RATE_LIMIT_CREATES_BURST: '3',
    RATE_LIMIT_CUSTOMER_IP_PER_SECOND: '1',
    RATE_LIMIT_CUSTOMER_IP_BURST: '2',
  })
  api.ctx.clock.realNow = () => now
})
after(() => api.close())

const wait = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000)
}
const estimate = (key: string): Promise<ApiAnswer> =>
  api.ask({ url: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC', key })
const create = (key: string, customer?: object): Promise<ApiAnswer> =>
  api.ask({
    method: 'POST',
    url: '/v1/transaction',
    key,
    body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer },
  })

async function statuses(count: number, ask: () => Promise<ApiAnswer>): Promise<number[]> {
  const seen: number[] = []
  for (let number = 0; number < count; number += 1) seen.push((await ask()).status)
  return seen
}

describe('429 RATE_LIMITED', () => {
  it('for a key that asks too often, saying when it may ask again; other keys are not in its way', async () => {
    const key = api.all.secret_key
    assert.deepEqual(await statuses(9, () => estimate(key)), [...Array<number>(8).fill(200), 429])
    const answer = await estimate(key)
    assert.deepEqual([answer.status, answer.code], [429, 'RATE_LIMITED'])
    assert.deepEqual(
      ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) =>
        String(answer.headers[name]),
      ),
      ['1', '8', '0', '1'],
    )
    assert.equal((await estimate(api.all.public_key)).status, 200)
    wait(1)
    assert.equal((await estimate(key)).status, 200)
    wait(60)
  })

  it('for a key that creates too often, while it may still ask', async () => {
    const key = api.all.secret_key
    assert.deepEqual(await statuses(4, () => create(key)), [201, 201, 201, 429])
    assert.equal((await estimate(key)).status, 200)
    wait(60)
  })

  it('for a customer whose address creates too often, across partners', async () => {
    const customer = { ip: '192.0.2.1' }
    assert.deepEqual(await statuses(2, () => create(api.all.secret_key, customer)), [201, 201])
    const answer = await create(api.plain.secret_key, { ipV4: '192.0.2.1' })
    assert.deepEqual([answer.status, answer.code, answer.headers['retry-after']], [429, 'RATE_LIMITED', '1'])
    assert.equal((await create(api.plain.secret_key, { ip: '192.0.2.2' })).status, 201)
    wait(60)
  })

  it('comes after 401 and 403, and before the body is judged', async () => {
    const key = api.plain.secret_key
    await statuses(8, () => estimate(key))
    const broken = await api.ask({ method: 'POST', url: '/v1/transaction', key, body: '{' })
    assert.equal(broken.status, 429)
    const plain = await api.ask({
      method: 'POST',
      url: '/v1/transaction',
      key,
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(plain.status, 429)
    assert.equal((await estimate('nonsense')).status, 401)
  })
})
