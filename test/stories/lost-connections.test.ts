import assert from 'node:assert/strict'
import { test } from 'node:test'

import { serviceUrlOf } from '../../src/app/database.ts'
import { openPool } from '../../src/platform/db/pool.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Asking, startExchange } from '../support/exchange.ts'
import { assertBooksHold, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'

const buys = 30
const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }

test('a database that cuts connections again and again loses nothing and does nothing twice', async (t) => {
  const exchange = await startExchange({ RATE_LIMITS: 'off', JOB_LEASE: 'PT1S', LOG_LEVEL: 'fatal' })
  t.after(() => exchange.stop())
  const { secrets } = exchange.service.composition.ctx
  const scissors = openPool({ urls: [serviceUrlOf(exchange.ownerUrl, secrets)], size: 1 })
  t.after(() => scissors.close())
  let ended = 0

  /** Asks until there is an answer; what was not answered is asked again, with the same key. */
  const insist = async <Body>(path: string, asking: Asking = {}): Promise<Body> => {
    for (;;) {
      const { status, body: answered } = await exchange.api<Body>(path, asking)
      if (status < 300) return answered
      assert.ok(status === 503 || status === 409, `${status}: ${JSON.stringify(answered)}`)
    }
  }
  const cutSome = async (): Promise<number> => {
    let cut = 0
    while (ended < buys && cut < 40) {
      // As the service's own role: an owner that is no superuser may not end another role's connections.
      const rows = await scissors.sql`
        select pg_terminate_backend(pid) from pg_stat_activity, pg_sleep(0.05)
        where datname = current_database() and usename = current_user and pid <> pg_backend_pid() and random() < 0.5`
      cut += rows.length
    }
    return cut
  }
  const buy = async (index: number): Promise<void> => {
    const headers = { 'idempotency-key': `cut off ${index}` }
    const { id } = await insist<TransactionRecord>('/v1/transaction', { body, headers })
    await insist(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
    await insist(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
    const read = () => insist<TransactionRecord>(`/v1/transaction/${id}`)
    await until(async () => (await read()).status === 'finished', `${id} to be finished`)
  }
  const bought = Array.from({ length: buys }, (_, index) => buy(index).finally(() => (ended += 1)))
  const [cut] = await Promise.all([cutSome(), ...bought])

  assert.ok(cut > 5, `${cut} connections were cut`)
  assert.deepEqual(await lookup(exchange, 'select count(*)::int from transactions'), [{ count: buys }])
  assert.deepEqual(
    await lookup(exchange, 'select count(*)::int, count(distinct recipient)::int as recipients from sandbox.transfers'),
    [{ count: buys, recipients: buys }],
  )
  await assertBooksHold(exchange)
})
