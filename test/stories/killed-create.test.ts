import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { testDatabase } from '../support/database.ts'
import type { Answer } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { until } from '../support/telling.ts'

let exchange: ServedExchange
let ownerUrl: string
before(async () => {
  ;({ ownerUrl } = await testDatabase())
  exchange = await serveExchange({ DATABASE_URL: ownerUrl, JOB_LEASE: 'PT1S' })
})
after(() => exchange.remove())

const create = (key: string): Promise<Answer<TransactionRecord>> =>
  exchange.api<TransactionRecord>('/v1/transaction', {
    body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', external_partner_link_id: key },
    headers: { 'idempotency-key': key },
  })

/** Asks under one key until it is answered. */
async function insist(key: string): Promise<Answer<TransactionRecord>> {
  let answer = await create(key)
  await until(async () => {
    if (answer.status === 409) answer = await create(key)
    return answer.status !== 409
  }, 'an answer')
  return answer
}

const made = (key: string): Promise<{ id: string }[]> =>
  lookup<{ id: string }>({ ownerUrl }, 'select public_id as id from transactions where external_partner_link_id = $1', [
    key,
  ])

/** Statements of the service that wait for the table. Any role may see locks, of statements only the role's own. */
const waiting = () =>
  lookup({ ownerUrl }, "select 1 from pg_locks where not granted and relation = 'transactions'::regclass")

/** Kills the service while creates under these keys stand still within their block; gives what became of the requests. */
async function killWithin(keys: string[]): Promise<PromiseSettledResult<Answer<TransactionRecord>>[]> {
  const holder = new pg.Client({ connectionString: ownerUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table transactions in share row exclusive mode')
    const requests = Promise.allSettled(keys.map((key) => create(key)))
    await until(async () => (await waiting()).length > 0, 'a create to stand still')
    await exchange.kill('SIGKILL')
    return await requests
  } finally {
    await holder.end()
  }
}

describe('a create under an Idempotency-Key whose service is killed', () => {
  it('within its block makes one transaction when it is asked again', async () => {
    const keys = Array.from({ length: 50 }, () => 'killed within')
    const cut = await killWithin(keys)
    // The others were told that the first is still being answered; the first was told nothing.
    const answered = cut.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []))
    assert.ok(answered.length < keys.length, 'somebody was cut off')
    assert.ok(answered.every((status) => status === 409))
    await exchange.start()
    const first = await insist('killed within')
    const again = await insist('killed within')
    assert.deepEqual([first.status, again.status], [201, 201])
    assert.deepEqual(again.body, first.body)
    assert.deepEqual(await made('killed within'), [{ id: first.body.id }])
  })

  it('after its commit answers with the transaction that it made', async () => {
    for (let round = 0; round < 3; round += 1) {
      const key = `killed after ${round}`
      const answered = create(key).then(
        ({ body }) => body.id,
        () => undefined,
      )
      await until(async () => (await made(key)).length > 0, 'its commit')
      await exchange.kill('SIGKILL')
      const told = await answered
      const [before] = await made(key)
      await exchange.start()
      const { status, body, headers } = await insist(key)
      assert.deepEqual([status, headers.get('idempotency-replayed')], [201, 'true'])
      assert.deepEqual([told ?? body.id, body.id], [before?.id, before?.id])
      assert.deepEqual(await made(key), [before])
    }
  })
})
