import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'

import { silentLog } from '../../platform/lib/log.ts'
import { krakenKey } from '../../../test/support/venues/kraken.ts'
import { startTradingKraken } from '../../../test/support/venues/trading-kraken.ts'
import type { VenueOrder } from '../trading-venue.ts'
import { openCcxt } from './process.ts'
import { tradingVenue } from './trading.ts'

async function krakenOf(t: TestContext) {
  const { core, server } = await startTradingKraken(t)
  const ccxt = openCcxt({ log: silentLog, timeoutMs: 60_000, restMs: 0 })
  t.after(() => ccxt.stop())
  const calls = ccxt.venue('kraken', { exchange: 'kraken', ...krakenKey, urls: { api: server.url } })
  return { core, server, venue: tradingVenue('kraken', calls) }
}

const orderOf = (): VenueOrder => ({
  clientOrderId: randomUUID(),
  pair: 'BTC/EUR',
  side: 'buy',
  amount: '0.012',
  limitPrice: '89500',
})
const sentNow = { venueOrderId: undefined, sentAt: new Date() }

test('an order is placed once, and found with its exact trades and fees', async (t) => {
  const { core, venue } = await krakenOf(t)
  const order = orderOf()
  const placed = await venue.place(order)
  assert.ok(placed.state === 'accepted')
  const { venueOrderId } = placed
  const found = await venue.find({ ...order, ...sentNow, venueOrderId })
  assert.deepEqual(found, { venueOrderId, isOpen: false, filled: '0.012' })
  const [fill, ...others] = await venue.fills({ ...order, ...sentNow, venueOrderId })
  assert.deepEqual(others, [])
  assert.deepEqual([fill?.amount, fill?.cost, fill?.fees], ['0.012', '1074', [{ ticker: 'EUR', amount: '2.148' }]])
  assert.deepEqual(core.received, [order.clientOrderId])
})

test('an order whose answer was lost is found by our id, and only that one', async (t) => {
  const { core, venue } = await krakenOf(t)
  const [lost, other, never] = [orderOf(), orderOf(), orderOf()]
  core.next = ['lost', 'fill', 'never_arrived']
  await assert.rejects(venue.place(lost))
  await venue.place(other)
  await assert.rejects(venue.place(never))
  const found = await venue.find({ ...lost, ...sentNow })
  assert.equal(core.orders.get(found?.venueOrderId ?? '')?.clientOrderId, lost.clientOrderId)
  assert.equal(await venue.find({ ...never, ...sentNow }), undefined)
  const fills = await venue.fills({ ...lost, ...sentNow, venueOrderId: found?.venueOrderId })
  assert.equal(fills.length, 1)
})

test('a plain refusal is one; anything else that is not an order is unclear', async (t) => {
  const { core, server, venue } = await krakenOf(t)
  core.next = ['reject']
  const refused = await venue.place(orderOf())
  assert.deepEqual(refused, { state: 'refused', reason: 'EOrder:Insufficient funds' })
  const order = orderOf()
  await venue.place(order)
  for (const answer of ['{}', '{"error":[],"result":{"open":7}}', '{"error":["EService:Unavailable"]}', '<html>']) {
    server.misbehave = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    const found = await venue.find({ ...order, ...sentNow, venueOrderId: 'O1' }).catch(() => undefined)
    assert.equal(found, undefined, answer)
    await assert.rejects(venue.place(orderOf()), answer)
  }
})

test('an order that is filled in parts is open until the last one', async (t) => {
  const { core, venue } = await krakenOf(t)
  core.next = ['slow']
  const order = orderOf()
  const placed = await venue.place(order)
  assert.ok(placed.state === 'accepted')
  const sent = { ...order, ...sentNow, venueOrderId: placed.venueOrderId }
  const states = [await venue.find(sent), await venue.find(sent), await venue.find(sent)]
  assert.deepEqual(
    states.map((one) => one?.isOpen),
    [true, true, false],
  )
  assert.deepEqual(
    states.map((one) => one?.filled),
    ['0.004', '0.008', '0.012'],
  )
  assert.equal((await venue.fills(sent)).length, 3)
})
