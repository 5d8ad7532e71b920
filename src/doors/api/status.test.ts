import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { whileClocksAgree } from '../../markets/clocks-agree.ts'
import { offences } from '../../../test/support/strict-types.ts'

let api: TestApi
let workers: () => Promise<boolean> = () => Promise.resolve(true)

before(async () => {
  api = await openTestApi({}, { workersAreUp: () => workers() })
})
after(() => api.close())

/** Moves business time; the answer about the parts is kept for half a second of real time, which is moved too. */
function later(realMs: number): void {
  const { realNow } = api.ctx.clock
  api.ctx.clock.realNow = () => new Date(realNow().getTime() + realMs)
}

describe('GET /v1/status', () => {
  it('200: OK when orders can be made, without a key', async () => {
    const answer = await api.ask({ url: '/v1/status' })
    assert.equal(answer.status, 200)
    assert.deepEqual(offences('status', answer.body), [])
    assert.deepEqual(answer.body, {
      message: 'OK',
      available: true,
      database: 'ok',
      rates: 'ok',
      workers: 'ok',
      payouts: 'ok',
      restored: false,
      closed_markets: [],
    })
  })

  it('401 INVALID_TOKEN: an unknown key', async () => {
    const answer = await api.ask({ url: '/v1/status', key: 'pk_test_none' })
    assert.deepEqual([answer.status, answer.code], [401, 'INVALID_TOKEN'])
  })

  it('200: names a market that has no price, while others have one', async () => {
    const { market } = api.ctx
    const [one] = market.markets
    later(1_000)
    api.ctx.market = {
      ...market,
      booksAt: (at) => market.booksAt(at).map((book, index) => (index > 0 ? book : undefined)),
    }
    const answer = await api.ask({ url: '/v1/status' })
    assert.deepEqual([answer.status, answer.body.closed_markets], [200, [one?.name]])

    api.ctx.market = market
    later(1_000)
    assert.deepEqual((await api.ask({ url: '/v1/status' })).body.closed_markets, [])
  })

  it('503 SERVICE_UNAVAILABLE: names the parts that are down, and when to ask again', async () => {
    later(1_000)
    workers = () => Promise.reject(new Error('nobody answers'))
    const { market } = api.ctx
    api.ctx.market = { ...market, booksAt: () => [] }
    const answer = await api.ask({ url: '/v1/status' })
    assert.deepEqual([answer.status, answer.code], [503, 'SERVICE_UNAVAILABLE'])
    assert.deepEqual(offences('error', answer.body), [])
    const paths = (answer.body.errors as { path: string }[]).map(({ path }) => path)
    assert.deepEqual(paths, ['rates', 'workers'])
    assert.equal(answer.headers['retry-after'], '5')

    workers = () => Promise.resolve(true)
    api.ctx.market = whileClocksAgree(market, { isSkewed: () => true })
    later(1_000)
    assert.deepEqual((await api.ask({ url: '/v1/status' })).path, 'rates', 'nothing is priced by a clock that is wrong')
    const create = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
    const refused = await api.ask({ method: 'POST', url: '/v1/transaction', key: api.plain.secret_key, body: create })
    assert.equal(refused.code, 'PAIR_NOT_AVAILABLE')
    api.ctx.market = market
    later(1_000)
    assert.equal((await api.ask({ url: '/v1/status' })).status, 200)
  })
})
