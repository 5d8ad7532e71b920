import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { silentLog } from '../../platform/lib/log.ts'
import type { VenueBooks } from '../../../test/support/venues/books.ts'
import { startKraken, krakenKey } from '../../../test/support/venues/kraken.ts'
import { openCcxt, VenueError, type CcxtOptions } from './process.ts'

const books = (): VenueBooks => ({
  'BTC/EUR': {
    bids: [
      ['9999.9', '1.5'],
      ['89000.1', '0.25'],
      ['88999.123456789012345', '1'],
    ],
    asks: [
      ['100000.2', '3'],
      ['89010.2', '0.5'],
    ],
  },
})

function ccxtOf(t: TestContext, options: Partial<CcxtOptions> = {}) {
  const ccxt = openCcxt({ log: silentLog, timeoutMs: 60_000, restMs: 0, ...options })
  t.after(() => ccxt.stop())
  return ccxt
}

test('an order book arrives with exact prices, sorted by their value', async (t) => {
  const server = await startKraken(t, books())
  const kraken = ccxtOf(t).venue('kraken', { exchange: 'kraken', urls: { api: server.url } })
  assert.deepEqual(await kraken.call('fetchOrderBook', 'BTC/EUR', 2), {
    bids: [
      ['89000.1', '0.25'],
      ['88999.123456789012345', '1'],
    ],
    asks: [
      ['89010.2', '0.5'],
      ['100000.2', '3'],
    ],
  })
})

test('an order is placed and found with texts that are exact, and is signed', async (t) => {
  const server = await startKraken(t, books())
  const kraken = ccxtOf(t).venue('kraken', { exchange: 'kraken', ...krakenKey, urls: { api: server.url } })
  const sent = (await kraken.call('createOrder', 'BTC/EUR', 'limit', 'buy', '0.00500000', '89000.1', {
    clientOrderId: 'our-order-1',
    timeInForce: 'IOC',
  })) as { id: string }
  const [order] = server.orders.values()
  assert.equal(order?.cl_ord_id, 'our-order-1')
  assert.equal(order.volume, '0.005')
  assert.equal(order.price, '89000.1')

  const found = (await kraken.call('fetchOrder', sent.id, 'BTC/EUR')) as Record<string, unknown>
  assert.equal(found.clientOrderId, 'our-order-1')
  assert.equal(found.filled, '0.005')
  assert.equal(found.average, '89000.1')
  assert.equal(found.info, undefined)
})

test('a plain refusal is known as one; a lost connection, a malformed answer and a death are not', async (t) => {
  const server = await startKraken(t, books())
  const ccxt = ccxtOf(t)
  const kraken = ccxt.venue('kraken', { exchange: 'kraken', ...krakenKey, urls: { api: server.url } })
  const buy = (amount: string) => kraken.call('createOrder', 'BTC/EUR', 'limit', 'buy', amount, '89000.1', {})

  await assert.rejects(buy('99'), (error: VenueError) => error.isRefusal && error.classes.includes('InsufficientFunds'))
  server.misbehave = (response) => response.destroy()
  await assert.rejects(buy('1'), (error: VenueError) => !error.isRefusal && error.classes.includes('NetworkError'))
  for (const answer of ['{"error":[],"result":{"txid":', '{"error":[],"result":{}}', '<html>']) {
    server.misbehave = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
    await assert.rejects(buy('1'), (error: VenueError) => !error.isRefusal, answer)
  }
  server.misbehave = undefined

  server.misbehave = (response) => {
    response.writeHead(200)
    process.kill(ccxt.pid() ?? 0, 'SIGKILL')
  }
  await assert.rejects(buy('1'), (error: VenueError) => !error.isRefusal && /ended/.test(error.message))
  server.misbehave = undefined
  assert.ok(await kraken.call('fetchOrderBook', 'BTC/EUR'), 'it starts again by itself')
})

test('a body that never ends, a huge one and a silent server fail in time, and nothing else does', async (t) => {
  const server = await startKraken(t, books())
  const other = await startKraken(t, books())
  const ccxt = ccxtOf(t, { timeoutMs: 4_000 })
  const kraken = ccxt.venue('kraken', { exchange: 'kraken', urls: { api: server.url } })
  const second = ccxt.venue('second', { exchange: 'kraken', urls: { api: other.url } })
  await kraken.call('fetchOrderBook', 'BTC/EUR')
  const pid = ccxt.pid()

  server.misbehave = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(drip))
  }
  await assert.rejects(kraken.call('fetchOrderBook', 'BTC/EUR'), VenueError)
  server.misbehave = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99000000000' })
    response.write('[')
  }
  await assert.rejects(kraken.call('fetchOrderBook', 'BTC/EUR'), VenueError)
  server.misbehave = () => undefined
  await assert.rejects(kraken.call('fetchOrderBook', 'BTC/EUR'), VenueError)
  assert.ok(await second.call('fetchOrderBook', 'BTC/EUR'))
  assert.equal(ccxt.pid(), pid, 'the process lives')
})

test('how long the exchange asks us to wait is passed on', async (t) => {
  const server = await startKraken(t, books())
  const kraken = ccxtOf(t).venue('kraken', { exchange: 'kraken', urls: { api: server.url } })
  await kraken.call('fetchOrderBook', 'BTC/EUR')
  server.misbehave = (response) => response.writeHead(429, { 'retry-after': '7' }).end('slow down')
  await assert.rejects(kraken.call('fetchOrderBook', 'BTC/EUR'), (error: VenueError) => error.retryAfterMs === 7_000)
})

test('an unknown exchange, and a name that is a path, are refused', async (t) => {
  const ccxt = ccxtOf(t)
  for (const exchange of ['nosuchexchange', '../ccxt'])
    await assert.rejects(ccxt.venue(exchange, { exchange }).call('fetchTime'), VenueError, exchange)
})
