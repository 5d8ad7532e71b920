import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { buildAdmin } from '../../src/doors/api/admin.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { stopwatch } from '../../src/platform/lib/clock.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Answer, type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { openSilentProxy, type SilentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/telling.ts'

const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const clients = 24

let database: TestDatabase
let proxy: SilentProxy
let exchange: Exchange
before(async () => {
  database = await testDatabase()
  proxy = await openSilentProxy(database.ownerUrl)
  exchange = await startExchange({
    DATABASE_URL: proxy.urlOf(database.ownerUrl),
    LOG_LEVEL: 'fatal',
    RATE_LIMITS: 'off',
  })
})
after(async () => {
  await exchange.stop()
  await proxy.stop()
})

type Timed<Body> = Answer<Body> & { tookMs: number }

async function timed<Body>(asking: Promise<Answer<Body>>): Promise<Timed<Body>> {
  const elapsed = stopwatch()
  return { ...(await asking), tookMs: elapsed() }
}

let keys = 0
const create = () => {
  keys += 1
  return exchange.api<TransactionRecord>('/v1/transaction', { body, headers: { 'idempotency-key': `silent ${keys}` } })
}

async function readiness(): Promise<number> {
  const { ctx } = exchange.service.composition
  const admin = buildAdmin(ctx)
  const { statusCode } = await admin.inject('/readyz')
  await admin.close()
  return statusCode
}

describe('a database host that falls silent with its connections open', () => {
  const made: string[] = []

  it('answers 503 with Retry-After to every client instead of hanging, and the status within two seconds', async () => {
    for (const { status, body: record } of await Promise.all(Array.from({ length: clients }, create))) {
      assert.equal(status, 201)
      made.push(record.id)
    }
    proxy.fallSilent()
    const creates = Array.from({ length: clients }, () => timed(create()))
    // As a monitor asks: a key may have to be looked up first.
    const status = await timed(exchange.api('/v1/status', { key: null }))
    const elapsed = stopwatch()
    const ready = await readiness()
    const readyMs = elapsed()
    assert.deepEqual([status.status, ready], [503, 503])
    assert.ok(status.tookMs < 2_000 && readyMs < 2_000, `status ${status.tookMs} ms, readiness ${readyMs} ms`)
    for (const answer of await Promise.all(creates)) {
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.ok(answer.headers.get('retry-after'))
      // Far less than a statement may run, let alone than TCP waits.
      assert.ok(answer.tookMs < 15_000, `${answer.tookMs} ms`)
    }
    const again = await Promise.all(Array.from({ length: clients }, () => timed(create())))
    assert.deepEqual(new Set(again.map((one) => one.status)), new Set([503]))
  })

  it('is written to again within ten seconds after it is back, and nothing that was answered is lost', async () => {
    proxy.comeBack()
    const elapsed = stopwatch()
    await until(async () => (await create()).status === 201, 'a transaction to be created')
    const tookMs = elapsed()
    assert.ok(tookMs < 10_000, `${tookMs} ms`)
    await until(async () => (await exchange.api('/v1/status')).status === 200, 'the status to be ok')
    const [found] = await lookup<{ count: number }>(
      { ...exchange, ownerUrl: database.ownerUrl },
      `select count(*)::int from transactions where public_id in (${made.join()})`,
    )
    assert.equal(found?.count, made.length)
  })
})

it('a database that takes no writes makes status, readiness and metrics say so, until it takes them again', async () => {
  const { ctx } = exchange.service.composition
  const name = new URL(database.ownerUrl).pathname.slice(1)
  const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
  const elapsed = stopwatch()
  await asOwner(database.ownerUrl, async (client) => {
    await client.query(`alter database ${name} set default_transaction_read_only = on`)
    await client.query(endSessions)
  })
  await until(async () => (await exchange.api('/v1/status')).status === 503, 'the status to say so')
  assert.ok(elapsed() < 5_000, `${elapsed()} ms`)
  assert.equal(await readiness(), 503)
  // The status looks at the database itself; this process notices at its next heartbeat.
  await until(() => Promise.resolve(!ctx.heartbeat.writes()), 'a heartbeat to fail')
  assert.equal((await create()).status, 503)

  await asOwner(database.ownerUrl, async (client) => {
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${name} set default_transaction_read_only = off`)
  })
  await until(async () => (await exchange.api('/v1/status')).status === 200, 'the status to be ok')
  assert.equal((await create()).status, 201)
})
