import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, create, read } from '../support/journey.ts'
import { startReceiver } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

it('an endpoint that never answers keeps the sandbox’s clock for less than 20 s, and nothing else from running', async (t) => {
  const receiver = await startReceiver(t)
  receiver.answer = () => undefined
  const { status } = await exchange.api('/v1/webhook-endpoints', { body: { url: receiver.url } })
  assert.equal(status, 201)
  const { id } = await create(exchange)
  const since = performance.now()
  const started = Date.parse((await exchange.api<{ now: string }>('/v1/sandbox/clock')).body.now)
  const { now } = await advance(exchange, 'P1D')
  const seconds = (performance.now() - since) / 1_000
  assert.ok(seconds < 20, `${seconds} s`)
  assert.ok(Date.parse(now) - started >= 86_400_000, 'the clock is where it was to go')
  assert.equal((await read(exchange, id)).status, 'expired', 'the deadline passed meanwhile')
  assert.ok(receiver.all.length > 0, 'the endpoint was tried')
})
