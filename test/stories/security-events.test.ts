import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import type { SecurityEventKind } from '../../src/platform/lib/security-events.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx

/** What was counted while something was done. */
async function during(work: () => Promise<unknown>): Promise<Partial<Record<SecurityEventKind, number>>> {
  const kinds: SecurityEventKind[] = [
    'bad_key',
    'bad_signature',
    'bad_code',
    'forbidden',
    'refused_origin',
    'endpoint_added',
    'sign_in_failed',
    'sql_denied',
  ]
  const before = kinds.map((kind) => ctx().security.count(kind))
  await work()
  return Object.fromEntries(
    kinds.flatMap((kind, index) => {
      const more = ctx().security.count(kind) - (before[index] ?? 0)
      return more > 0 ? [[kind, more]] : []
    }),
  )
}

const post = (path: string, form: Record<string, string>, headers = {}) =>
  fetch(exchange.url + path, { method: 'POST', body: new URLSearchParams(form), headers, redirect: 'manual' })

it('what an attack looks like is counted by kind, and nothing else is', async () => {
  assert.deepEqual(await during(() => create(exchange)), {})
  assert.deepEqual(await during(() => exchange.api('/v1/transactions', { key: 'sk_test_none' })), { bad_key: 1 })
  const publicKey = exchange.sandbox.public_key
  assert.deepEqual(await during(() => exchange.api('/v1/transactions', { key: publicKey })), { forbidden: 1 })
  const wrong = { email: 'nobody@example.com', password: 'wrong' }
  assert.deepEqual(await during(() => post('/console/sign-in', wrong)), { sign_in_failed: 1 })
  assert.deepEqual(await during(() => post('/portal/sign-in', wrong)), { sign_in_failed: 1 })
  const evil = { origin: 'https://evil.example' }
  assert.deepEqual(await during(() => post('/console/sign-in', wrong, evil)), { refused_origin: 1, forbidden: 1 })
  const url = { body: { url: 'http://127.0.0.1:9/hook' } }
  assert.deepEqual(await during(() => exchange.api('/v1/webhook-endpoints', url)), { endpoint_added: 1 })
})

it('a statement that the role of the service may not run is counted and answered as a fault', async () => {
  const { db } = ctx()
  const { sql } = db
  const denied = Object.assign(new Error('permission denied'), { code: '42501' })
  db.sql = () => Promise.reject(denied)
  try {
    const seen = await during(async () => {
      const { status, body } = await exchange.api('/v1/transactions')
      assert.equal(status, 500)
      assert.ok(!JSON.stringify(body).includes('permission'))
    })
    assert.equal(seen.sql_denied, 1)
  } finally {
    db.sql = sql
  }
})

it('the log and the metrics name kinds, routes and ids, and nothing of a person', async () => {
  const lines: unknown[] = []
  const { log } = ctx()
  const { warn } = log
  log.warn = (...facts: unknown[]) => lines.push(facts)
  try {
    for (let times = 0; times < 20; times += 1)
      await exchange.api('/v1/transactions?email=ann@example.com', { key: 'sk_test_none' })
  } finally {
    log.warn = warn
  }
  assert.ok(lines.length >= 1 && lines.length < 20, 'of many at once, some are written')
  const requests = ctx().requests.all()
  assert.ok(
    requests.some(({ route, status, count }) => route === '/v1/transactions' && status === '401' && count >= 20),
  )
  assert.ok(!JSON.stringify([lines, requests]).includes('ann'))
})
