import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { testDatabase } from '../support/database.ts'
import { startExchange } from '../support/exchange.ts'
import { assertBooksHold } from '../support/journey.ts'
import { hasPooler, startPooler } from '../support/pooler.ts'
import { until } from '../support/telling.ts'

const buys = 10
const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const without = hasPooler ? false : 'needs PgBouncer'

for (const [what, settings] of [
  ['with the defaults of its package', {}],
  [
    'that swallows what it does not know',
    { ignore_startup_parameters: 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout' },
  ],
] as const) {
  test(`PgBouncer in transaction mode, ${what}, costs no answer`, { skip: without }, async (t) => {
    const database = await testDatabase()
    const pooler = await startPooler(database.url, { ...settings, default_pool_size: '3' })
    t.after(() => pooler.stop())
    const exchange = await startExchange({ DATABASE_URL: pooler.url, RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
    t.after(() => exchange.stop())

    const asked = async <Body>(path: string, asking = {}): Promise<Body> => {
      const { status, body: answered } = await exchange.api<Body>(path, asking)
      assert.ok(status < 300, `${path}: ${status} ${JSON.stringify(answered)}`)
      return answered
    }
    await Promise.all(
      Array.from({ length: buys }, async () => {
        const { id } = await asked<TransactionRecord>('/v1/transaction', { body })
        await asked(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
        await asked(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
        const read = () => asked<TransactionRecord>(`/v1/transaction/${id}`)
        await until(async () => (await read()).status === 'finished', `${id} to be finished`)
      }),
    )
    await assertBooksHold(exchange)
  })
}
