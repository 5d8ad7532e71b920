import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import pg from 'pg'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { runCommand } from '../support/command.ts'
import type { Asking } from '../support/exchange.ts'
import { isAlive, type ServedExchange, serveExchange } from '../support/process.ts'
import { startReceiver, until } from '../support/telling.ts'

/** A buy as its partner's program drives it: what was acknowledged so far. */
type Drive = { key: string; to_currency: string; to_network?: string; id?: string; isReady?: boolean; isPaid?: boolean }

let exchange: ServedExchange
before(async () => {
  exchange = await serveExchange({ JOB_LEASE: 'PT1S' })
})
after(() => exchange.remove())

const coins = [
  { to_currency: 'BTC' },
  { to_currency: 'ETH' },
  { to_currency: 'USDT', to_network: 'ETH' },
  { to_currency: 'USDT', to_network: 'TRX' },
]

/** Twenty buys at the same time: the later a buy, the earlier its partner's program gives up. */
const twenty = (round: string): Drive[] =>
  Array.from({ length: 20 }, (_, index) => ({
    key: `${round}-${index}`,
    ...(coins[index % 4] ?? { to_currency: 'BTC' }),
  }))

/** Takes a buy as far as it gets: each step is noted once the exchange has acknowledged it. */
async function drive(buy: Drive, onPaid: () => void = () => undefined): Promise<void> {
  const { key, to_currency, to_network } = buy
  if (buy.id === undefined) {
    const body = { from_amount: 100, from_currency: 'EUR', to_currency, to_network }
    const created = await exchange.api<TransactionRecord>('/v1/transaction', {
      body,
      headers: { 'idempotency-key': key },
    })
    assert.equal(created.status, 201)
    buy.id = created.body.id
  }
  if (!buy.isReady) {
    assert.equal((await exchange.api(`/v1/sandbox/transaction/${buy.id}/checkout`, { body: {} })).status, 201)
    buy.isReady = true
  }
  if (!buy.isPaid) {
    assert.equal((await exchange.api(`/v1/sandbox/transaction/${buy.id}/deposit`, { body: {} })).status, 201)
    buy.isPaid = true
    onPaid()
  }
}

/** Runs twenty buys into a crash that comes when so many of them have been paid. */
async function driveInto(crash: () => Promise<unknown>, buys: Drive[], whenPaid: number): Promise<void> {
  let paid = 0
  let crashed: Promise<unknown> | undefined
  const onPaid = () => {
    paid += 1
    if (paid === whenPaid) crashed = crash()
  }
  await Promise.allSettled(
    buys.map(async (buy, index) => {
      // Some wait until others are further, so that the crash finds buys at every stage.
      if (index >= 8) await until(() => paid >= Math.min(whenPaid, index - 7), 'the others')
      await drive(buy, onPaid)
    }),
  )
  assert.ok(crashed, 'the crash came')
  await crashed
}

const statusOf = async ({ id }: Drive) => (await exchange.api<TransactionRecord>(`/v1/transaction/${id}`)).body.status

/** What the service's own role reads in its database. */
async function rows<Row extends object>(sql: string): Promise<Row[]> {
  const { out } = await runCommand(['db', 'url'], exchange.env)
  const client = new pg.Client({ connectionString: out.trim() })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** After the same start command, everything comes to its end by itself, and nothing was lost or done twice. */
async function assertAllIsWell(buys: Drive[]): Promise<void> {
  const acknowledged = buys.filter(({ id }) => id !== undefined)
  for (const buy of acknowledged) {
    const status = await statusOf(buy)
    if (!buy.isReady) assert.ok(['new', 'waiting_for_deposit'].includes(status), status)
    else if (!buy.isPaid)
      assert.ok(['waiting_for_deposit', 'exchanging', 'sending', 'finished'].includes(status), status)
    else await until(async () => (await statusOf(buy)) === 'finished', `${buy.id} to be finished by itself`)
  }
  await Promise.all(buys.map((buy) => drive(buy)))
  for (const buy of buys) await until(async () => (await statusOf(buy)) === 'finished', `${buy.id} to be finished`)
}

async function assertNothingTwice(...bought: number[]): Promise<void> {
  const count = bought.reduce((sum, one) => sum + one, 0)
  assert.deepEqual(await rows(`select count(*)::int from transactions`), [{ count }])
  assert.deepEqual(
    await rows('select count(*)::int, count(distinct recipient)::int as recipients from sandbox.transfers'),
    [{ count, recipients: count }],
  )
  const { exitCode, out, err } = await runCommand(['verify', '--json'], exchange.env)
  assert.deepEqual([exitCode, out.trim(), err], [0, '{"ok":true,"problems":[]}', ''])
  assert.deepEqual(JSON.parse((await runCommand(['stuck', '--json'], exchange.env)).out), [])
}

test(
  'twenty running buys survive a kill -9 of the service, and of the service with its database',
  { timeout: 600_000 },
  async (t) => {
    const receiver = await startReceiver(t)
    const added = await runCommand(
      ['webhook', 'add', receiver.url, '--partner', exchange.sandbox.partner_id],
      exchange.env,
    )
    assert.equal(added.exitCode, 0, added.err)

    const first = twenty('first')
    await driveInto(() => exchange.kill('SIGKILL'), first, 6)
    await exchange.start()
    await assertAllIsWell(first)
    await assertNothingTwice(first.length)

    const second = twenty('second')
    await driveInto(
      () => {
        process.kill(exchange.databasePid(), 'SIGKILL')
        return exchange.kill('SIGKILL')
      },
      second,
      6,
    )
    await exchange.start()
    await assertAllIsWell(second)
    const all = [...first, ...second]
    await assertNothingTwice(first.length, second.length)

    await t.test('partners are told everything, in order', async () => {
      const told = () => {
        const streams = new Map<string, number[]>()
        for (const { body } of receiver.all) {
          const { sequence, payload } = JSON.parse(body) as { sequence: number; payload: TransactionRecord }
          const sequences = streams.get(payload.id) ?? []
          if (!sequences.includes(sequence)) streams.set(payload.id, [...sequences, sequence])
        }
        return streams
      }
      await until(() => [...told().values()].filter(({ length }) => length === 5).length === all.length, 'all webhooks')
      for (const { id } of all) assert.deepEqual(told().get(id ?? ''), [1, 2, 3, 4, 5])
    })
  },
)

test(
  'a database that dies is started again by the service, and meanwhile nobody is told that we have a bug',
  { timeout: 600_000 },
  async () => {
    const before = await rows<{ count: number }>('select count(*)::int from transactions')
    const seen = new Map<number, number>()
    const died = exchange.databasePid()
    /** Asks until the exchange can answer; a request that was not answered is asked again, with the same key. */
    const insist = async <Body>(path: string, asking: Asking = {}): Promise<Body> => {
      let given: Body | undefined
      await until(async () => {
        const { status, body } = await exchange.api<Body>(path, asking)
        seen.set(status, (seen.get(status) ?? 0) + 1)
        assert.ok(
          status < 300 || status === 503 || status === 409,
          `${status}: ${JSON.stringify(body)}\n${exchange.output().slice(-2_000)}`,
        )
        if (status < 300) given = body
        return status < 300
      }, `an answer of ${path}`)
      return given ?? assert.fail('nothing was answered')
    }
    const buys = Array.from({ length: 10 }, async (_, index) => {
      const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'ETH' }
      const headers = { 'idempotency-key': `while it is away ${index}` }
      const { id } = await insist<TransactionRecord>('/v1/transaction', { body, headers })
      if (index === 4) process.kill(died, 'SIGKILL')
      await insist(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
      await insist(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
      await until(
        async () => (await insist<TransactionRecord>(`/v1/transaction/${id}`)).status === 'finished',
        `${id} to be finished`,
      )
    })
    await Promise.all(buys)
    assert.notEqual(exchange.databasePid(), died)
    assert.ok(seen.get(503), 'it was away')
    await assertNothingTwice(before[0]?.count ?? 0, 10)
  },
)

test('SIGTERM and Ctrl-C leave no process behind, and the next start finds everything', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const [service, database] = [exchange.pid, exchange.databasePid()]
    assert.equal(await exchange.kill(signal), 0)
    assert.deepEqual([isAlive(service), isAlive(database)], [false, false])
    await exchange.start()
    assert.equal((await exchange.api('/v1/status', { key: null })).status, 200)
  }
})
