import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, it } from 'node:test'

import pg from 'pg'

import { type Exchange, startExchange } from '../support/exchange.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({
    RATE_LIMITS: 'on',
    REQUEST_TIMEOUT: 'PT3S',
    DB_STATEMENT_TIMEOUT: 'PT4S',
    PUBLIC_URL: 'https://exchange.example',
  })
})
after(() => exchange.stop())

/** Sends bytes, never closes our side, and gives what came until the other side closed. */
const exchanged = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(exchange.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => (answer += String(text)))
    socket.once('error', reject)
    socket.once('end', () => {
      resolve(answer)
      socket.destroy()
    })
    socket.write(bytes)
  })

it('a client that is too slow gets 408, and its socket is closed though it keeps its side open', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => exchanged('GET /v1/status HTTP/1.1\r\nHost: exchange.example\r\nX-Slow: ')),
  )
  for (const answer of sockets) {
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
    assert.match(answer, /"code":"REQUEST_TIMEOUT"/)
  }
})

it('a request with two Host headers is refused', async () => {
  const answer = await exchanged(
    'GET /v1/status HTTP/1.1\r\nHost: exchange.example\r\nHost: other.example\r\nConnection: close\r\n\r\n',
  )
  assert.match(answer, /^HTTP\/1\.1 400 /)
})

it('responses of the API are not stored and not sniffed, refusals neither; browsers stay with https', async () => {
  for (const path of ['/v1/status', '/v1/transaction/1', '/v1/nothing']) {
    const { headers } = await fetch(exchange.url + path)
    assert.equal(headers.get('cache-control'), 'no-store', path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{8}$/, path)
  }
})

it('a statement that takes too long is an outage that is worth retrying, not a fault of ours', async () => {
  const blocker = new pg.Client({ connectionString: exchange.ownerUrl })
  await blocker.connect()
  try {
    await blocker.query('begin; lock table transactions in access exclusive mode')
    const answer = await exchange.api('/v1/transaction', {
      body: { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' },
    })
    assert.equal(answer.status, 503, JSON.stringify(answer.body))
    assert.equal(answer.headers.get('retry-after'), '1')
  } finally {
    await blocker.end()
  }
})

it('reads without a key are limited by network, as the policy says; a key is not in their way', async () => {
  const started = performance.now()
  const statuses: number[] = []
  // However slow the machine is, it asks faster than 50 times a second.
  for (let round = 0; round < 20 && !statuses.includes(429); round += 1) {
    const asked = Array.from({ length: 400 }, async () => {
      const answer = await fetch(`${exchange.url}/v1/status`)
      await answer.arrayBuffer()
      return answer.status
    })
    statuses.push(...(await Promise.all(asked)))
  }
  const seconds = (performance.now() - started) / 1_000
  const answered = statuses.filter((status) => status === 200).length
  assert(answered >= 150 && answered <= 200 + 50 * (seconds + 1), `${answered} answers in ${seconds} s`)
  assert(statuses.includes(429), 'a burst of 200 and 50 a second')
  const withKey = await exchange.api('/v1/currencies')
  assert.equal(withKey.status, 200)
})
