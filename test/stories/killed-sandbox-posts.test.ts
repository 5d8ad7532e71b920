import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import pg from 'pg'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { testDatabase } from '../support/database.ts'
import type { Answer } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { until } from '../support/telling.ts'
import { joinConnectedRoles } from '../support/server.ts'

let exchange: ServedExchange
let ownerUrl: string
before(async () => {
  ;({ ownerUrl } = await testDatabase())
  exchange = await serveExchange({ DATABASE_URL: ownerUrl, JOB_LEASE: 'PT1S' })
})
after(() => exchange.remove())

/** Where the service stands still, so that it can be killed there: a change of a table that waits for the test's own lock. */
type Place = 'delete on idempotent_work' | 'update on service_state' | 'insert on sandbox.card_payments'

const stop = 4711
/** Statements of the service that stand there. */
const standing = () =>
  lookup<{ pid: number }>(
    { ownerUrl },
    `select pid from pg_locks where locktype = 'advisory' and objid = ${stop} and not granted`,
  )

/** Sends a request, kills the service while it stands at the place, and starts another one. */
async function killAt(place: Place, request: () => Promise<unknown>): Promise<void> {
  const holder = new pg.Client({ connectionString: ownerUrl })
  await holder.connect()
  try {
    await holder.query(`select pg_advisory_lock(${stop})`)
    await holder.query(`
      create or replace function stand_still() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(${stop}); return coalesce(new, old); end $$`)
    await holder.query(`create trigger stand_still before ${place} for each row execute function stand_still()`)
    const cut = request().then(
      () => 'answered',
      () => 'cut off',
    )
    await until(async () => (await standing()).length > 0, 'the service to stand still')
    await exchange.kill('SIGKILL')
    assert.equal(await cut, 'cut off')
    await joinConnectedRoles(holder, holder.database ?? '')
    for (const { pid } of await standing()) await holder.query('select pg_terminate_backend($1)', [pid])
    await until(async () => (await standing()).length === 0, 'its statements to end')
    await holder.query(`drop trigger stand_still on ${place.split(' on ')[1] ?? ''}`)
  } finally {
    await holder.end()
  }
  await exchange.start()
}

type Asked = { path: string; body?: object; key: string }
const post = <Body>({ path, body = {}, key }: Asked): Promise<Answer<Body>> =>
  exchange.api<Body>(path, { method: 'POST', body, headers: { 'idempotency-key': key } })

/** Asks under one key until it is answered: the dead process's lease is waited for. */
async function insist<Body>(asked: Asked): Promise<Body> {
  let answer = await post<Body>(asked)
  await until(async () => {
    if (answer.status === 409) answer = await post<Body>(asked)
    return answer.status !== 409
  }, 'an answer')
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const again = await post<Body>(asked)
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
  assert.deepEqual(again.body, answer.body)
  return answer.body
}

async function created(body: object = {}): Promise<string> {
  const buy = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', ...body }
  const { body: record } = await exchange.api<TransactionRecord>('/v1/transaction', { body: buy })
  return record.id
}

async function ready(body: object = {}): Promise<string> {
  const id = await created(body)
  await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
  return id
}

const count = async (from: string): Promise<number> =>
  Number((await lookup<{ count: string }>({ ownerUrl }, `select count(*) from ${from}`))[0]?.count)

/** Milliseconds that business time is ahead of real time. */
const ahead = async (): Promise<number> =>
  Number((await lookup<{ ms: string }>({ ownerUrl }, 'select clock_offset_ms as ms from service_state'))[0]?.ms)

const hour = 3_600_000

describe('a POST of the sandbox under an Idempotency-Key whose service is killed in the middle', () => {
  const middles: Place[] = ['update on service_state', 'delete on idempotent_work']
  for (const place of middles) {
    it(`moves the clock once: ${place}`, async () => {
      const asked = { path: '/v1/sandbox/clock', body: { advance: 'PT1H' }, key: `clock ${place}` }
      const from = await ahead()
      await killAt(place, () => post(asked))
      await insist(asked)
      const moved = (await ahead()) - from
      assert.ok(moved > hour - 60_000 && moved <= hour, `it moved by ${moved} ms`)
    })
  }

  it('completes a checkout once', async () => {
    const id = await created()
    const asked = { path: `/v1/sandbox/transaction/${id}/checkout`, key: 'checkout' }
    await killAt('delete on idempotent_work', () => post(asked))
    const changes = `status_history join transactions on transactions.id = transaction_id where public_id = ${id}`
    const left = await count(changes)
    const record = await insist<TransactionRecord>(asked)
    assert.deepEqual([record.id, record.status, await count(changes)], [id, 'waiting_for_deposit', left])
  })

  it('pays once, in coins and by bank transfer', async () => {
    const coins = { from_amount: 0.01, from_currency: 'BTC', to_currency: 'EUR' }
    const transfer = { from_amount: 250, deposit: { payment_category: 'SEPA' } }
    for (const [body, payments] of [
      [coins, 'sandbox.transfers where reference is not null'],
      [transfer, "sandbox.bank_payments where direction = 'in'"],
    ] as const) {
      const id = await ready(body)
      const before = await count(payments)
      const asked = { path: `/v1/sandbox/transaction/${id}/deposit`, key: `deposit ${id}` }
      await killAt('delete on idempotent_work', () => post(asked))
      const { deposit_id: told } = await insist<{ deposit_id: string }>(asked)
      assert.equal(await count(payments), before + 1, payments)
      const [last] = await lookup<{ told: string }>(
        { ownerUrl },
        `select coalesce(to_jsonb(payment) ->> 'hash', 'bnk_' || payment.id) as told from ${payments.replace(' ', ' as payment ')} order by id desc limit 1`,
      )
      assert.equal(told, last?.told)
    }
  })

  it('lets a rail misbehave once', async () => {
    const id = await ready()
    const asked = { path: `/v1/sandbox/transaction/${id}/rail-event`, body: { type: 'decline' }, key: 'rail event' }
    await killAt('delete on idempotent_work', () => post(asked))
    await insist(asked)
    const [payment] = await lookup<{ attempts: number }>(
      { ownerUrl },
      `select attempts from sandbox.card_payments join deposit_instructions using (reference)
       join transactions on transactions.id = transaction_id where public_id = ${id}`,
    )
    assert.equal(payment?.attempts, 1)
  })

  const scenarios: [place: Place, name: string][] = [
    ['insert on sandbox.card_payments', 'card-buy'],
    ['delete on idempotent_work', 'sepa-buy'],
    ['update on service_state', 'never-paid'],
  ]
  for (const [place, name] of scenarios) {
    it(`plays ${name} with one transaction and one payment: ${place}`, async () => {
      const asked = { path: `/v1/sandbox/scenarios/${name}`, key: `scenario ${name}` }
      const [made, paid] = [await count('transactions'), await count('sandbox.bank_payments')]
      await killAt(place, () => post(asked))
      const { transaction_id: id } = await insist<{ transaction_id: string }>(asked)
      assert.deepEqual(await count('transactions'), made + 1)
      assert.ok((await count('sandbox.bank_payments')) <= paid + 1)
      const { body: record } = await exchange.api<TransactionRecord>(`/v1/transaction/${id}`)
      assert.equal(record.status, name === 'never-paid' ? 'expired' : 'finished')
    })
  }

  it('leaves the key to the request that has begun, and to no other', async () => {
    const asked = { path: '/v1/sandbox/scenarios/card-buy', key: 'spoken for' }
    await killAt('insert on sandbox.card_payments', () => post(asked))
    const other = { ...asked, path: '/v1/sandbox/scenarios/sepa-buy' }
    let answer = await post<{ code: string }>(other)
    await until(async () => {
      if (answer.status === 409) answer = await post(other)
      return answer.status !== 409
    }, 'an answer')
    assert.deepEqual([answer.status, answer.body.code], [422, 'IDEMPOTENCY_MISMATCH'])
    await insist(asked)
  })
})
