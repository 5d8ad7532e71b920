import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { buildAdmin } from '../../src/doors/api/admin.ts'
import { metricsOf } from '../../src/app/metrics.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { stopwatch } from '../../src/platform/lib/clock.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Answer, type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { openSilentProxy, type SilentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

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

async function askAdmin(path: string): Promise<{ statusCode: number; body: string }> {
  const { ctx } = exchange.service.composition
  const admin = buildAdmin(ctx, { gauges: metricsOf(ctx).filter(({ name }) => name === 'database_writes') })
  const { statusCode, body: text } = await admin.inject(path)
  await admin.close()
  return { statusCode, body: text }
}

const readiness = async (): Promise<number> => (await askAdmin('/readyz')).statusCode
const takesWrites = async (): Promise<string | undefined> =>
  /^cambio_database_writes (.*)$/m.exec((await askAdmin('/metrics')).body)?.[1]

/** What the status says of the database, as a part and as a problem, and what readiness says. */
async function said(): Promise<(string | undefined)[]> {
  const { body: status } = await exchange.api<{ database: string; errors?: { path: string; code: string }[] }>(
    '/v1/status',
  )
  const { status: ready } = JSON.parse((await askAdmin('/readyz')).body) as { status: string }
  return [status.database, status.errors?.find(({ path }) => path === 'database')?.code, ready]
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
    assert.ok(
      status.tookMs < promised(2_000) && readyMs < promised(2_000),
      `status ${status.tookMs} ms, readiness ${readyMs} ms`,
    )
    for (const answer of await Promise.all(creates)) {
      assert.equal(answer.status, 503, JSON.stringify(answer.body))
      assert.ok(answer.headers.get('retry-after'))
      // Far less than a statement may run, let alone than TCP waits.
      assert.ok(answer.tookMs < promised(15_000), `${answer.tookMs} ms`)
    }
    const again = await Promise.all(Array.from({ length: clients }, () => timed(create())))
    assert.deepEqual(new Set(again.map((one) => one.status)), new Set([503]))
  })

  it('is written to again within ten seconds after it is back, and nothing that was answered is lost', async () => {
    proxy.comeBack()
    const elapsed = stopwatch()
    await until(async () => (await create()).status === 201, 'a transaction to be created')
    const tookMs = elapsed()
    assert.ok(tookMs < promised(10_000), `${tookMs} ms`)
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
  const [altered] = await asOwner(database.ownerUrl, async (client) => {
    // Only members of a role see and end its sessions.
    await client.query(`grant ${name}_service to current_user`)
    await client.query(`alter database ${name} set default_transaction_read_only = on`)
    return (await client.query<{ at: string }>('select clock_timestamp()::text as at')).rows
  })
  // A session takes writes that began before, and may not be listed yet while it begins.
  const endOlder = `select pg_terminate_backend(pid, 60000) from pg_stat_activity
    where datname = '${name}' and pid <> pg_backend_pid() and backend_start < '${altered?.at}'`
  const elapsed = stopwatch()
  await until(async () => {
    await asOwner(database.ownerUrl, (client) => client.query(endOlder))
    return (await exchange.api('/v1/status')).status === 503 && (await readiness()) === 503
  }, 'status and readiness to say so')
  assert.ok(elapsed() < promised(5_000), `${elapsed()} ms`)
  // The status looks at the database itself; this process notices at its next heartbeat.
  await until(() => Promise.resolve(ctx.heartbeat.writes() === 'read_only'), 'a heartbeat to be refused')
  assert.equal((await create()).status, 503)
  assert.deepEqual(await said(), ['read_only', 'READ_ONLY', 'database read only'])

  await asOwner(database.ownerUrl, async (client) => {
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${name} set default_transaction_read_only = off`)
  })
  await until(async () => (await exchange.api('/v1/status')).status === 200, 'the status to be ok')
  assert.equal((await create()).status, 201)
})

it('a disk that is full is said by the first write that finds no room, and by all that follows until one does', async () => {
  // As a server does: what fits in a page that is there is written, what needs a new one is refused.
  await lookup(
    { ...exchange, ownerUrl: database.ownerUrl },
    `create function is_full() returns trigger language plpgsql as $$ begin
       if coalesce(length(to_jsonb(new) ->> 'holder'), 8193) > 8192 then
         raise exception 'could not extend file' using errcode = 'disk_full'; end if;
       return new; end $$;
     create trigger is_full before insert or update on transactions for each row execute function is_full();
     create trigger is_full before insert or update on leases for each row execute function is_full()`,
  )
  const refused = await create()
  assert.equal(refused.status, 503)
  assert.ok(refused.headers.get('retry-after'))
  const { ctx } = exchange.service.composition
  assert.equal(ctx.heartbeat.writes(), 'disk_full')
  await until(async () => (await said())[0] === 'disk_full', 'the status to say so, which is kept for half a second')
  assert.deepEqual(await said(), ['disk_full', 'DISK_FULL', 'database disk full'])
  assert.equal(await takesWrites(), '0')

  await lookup(
    { ...exchange, ownerUrl: database.ownerUrl },
    'drop trigger is_full on leases; drop trigger is_full on transactions; drop function is_full()',
  )
  await until(async () => (await exchange.api('/v1/status')).status === 200, 'the status to be ok')
  assert.equal(await takesWrites(), '1')
  assert.equal((await create()).status, 201)
})
