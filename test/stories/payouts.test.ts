import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'

import { capital, held } from '../../src/exchange/ledger/account.ts'
import { reserve } from '../../src/exchange/ledger/balance.ts'
import { entry } from '../../src/exchange/ledger/entry.ts'
import { post } from '../../src/exchange/ledger/post.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { testContext } from '../support/api.ts'
import { testDatabase } from '../support/database.ts'
import { everyRow } from '../support/every-row.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  create,
  lookup,
  pay,
  railEvent,
  read,
  readyToPay,
  statusesOf,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { startTwin } from '../support/twin.ts'

const tether = { to_currency: 'USDT', to_network: 'TRX' }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', JOB_LEASE: 'PT2S' }, steady)
})
after(() => exchange.stop())

const transfersTo = (address: string | undefined) =>
  lookup<{ hash: string }>(exchange, 'select hash from sandbox.transfers where recipient = $1', [address])

/** The operator brings (or takes home) units of its own tether on Tron: on the chain and in the books. */
async function bringCapital(units: bigint): Promise<void> {
  const { ctx } = exchange.service.composition
  const [debit, credit] = units > 0n ? [held('wallet-trx'), capital] : [capital, held('wallet-trx')]
  const brought = { transactionId: null, kind: 'capital', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  const amount = units > 0n ? units : -units
  await lookup(exchange, `update sandbox.wallets set balance = balance + $1 where asset = 'USDT-TRX'`, [String(units)])
  await ctx.db.atomic((db) => post(db, ctx, [entry(brought, [{ debit, credit, asset: 'USDT-TRX', amount }])]))
}

test('a payout beyond what is held waits, visibly, and goes out when the money is there', async () => {
  const before = await bookBalance(exchange, 'held:wallet-trx', 'USDT-TRX')
  await bringCapital(250_000_000n - before)
  const ready = await Promise.all(Array.from({ length: 6 }, () => readyToPay(exchange, tether)))
  await Promise.all(ready.map(({ id }) => pay(exchange, id)))
  const statuses = async () =>
    (await Promise.all(ready.map(({ id }) => read(exchange, id)))).map(({ status }) => status)
  await until(
    async () => (await statuses()).filter((status) => status === 'finished').length === 2,
    'two to be covered',
  )

  assert.deepEqual((await statuses()).toSorted(), [...Array<string>(4).fill('exchanging'), 'finished', 'finished'])
  const { ctx } = exchange.service.composition
  const [need, ...others] = await listNeeds(ctx)
  assert.deepEqual([need?.kind, need?.subject, others.length], ['balance', 'wallet-trx USDT-TRX', 0])
  assert.match(
    String(need?.sentence),
    /^Too little money at wallet-trx: payouts that need \d+\.\d+ USDT on TRX wait for it \(4\)\./,
  )
  await assertBooksHold(exchange)

  await bringCapital(1_000_000_000_000n)
  await lookup(exchange, `update jobs set run_at = now() where kind = 'payout.due'`)
  ctx.queue.wake()
  for (const { id, payout } of ready) {
    await arrive(exchange, id, 'finished')
    assert.equal((await transfersTo(payout?.address)).length, 1)
  }
  await assertBooksHold(exchange)
})

test('what one network charges for another coin is not promised twice', async () => {
  await buy(exchange, { to_currency: 'ETH' })
  await buy(exchange, { to_currency: 'USDT', to_network: 'ETH' })
  const promised = await lookup<{ place: string; asset: string; covered: string }>(
    exchange,
    'select place, asset, covered::text from reserves',
  )
  for (const { place, asset, covered } of promised) {
    assert.ok(BigInt(covered) <= (await bookBalance(exchange, `held:${place}`, asset)), `${asset} at ${place}`)
  }
})

describe('a payout goes out once', () => {
  it('when the chain took it and did not answer', async () => {
    const { id, payout } = await readyToPay(exchange)
    await railEvent(exchange, id, 'timeout')
    await pay(exchange, id)
    const record = await arrive(exchange, id, 'finished')
    assert.deepEqual(await transfersTo(payout?.address), [{ hash: record.output_hash }])
    const [plan] = await lookup<{ state: string; evidence: { hash: string } }>(
      exchange,
      `select state, evidence from plans where evidence->>'hash' = $1`,
      [record.output_hash],
    )
    assert.equal(plan?.state, 'done')
    assert.deepEqual(await lookup(exchange, 'select * from sandbox.faults'), [], 'the time-out has struck')
    await assertBooksHold(exchange)
  })

  it('under two services on one database', async () => {
    const twin = await startTwin(exchange, { RATE_LIMITS: 'off', JOB_LEASE: 'PT2S' })
    const ids: string[] = []
    try {
      const sides = [exchange, { ...exchange, api: viaTwin(twin.url) }]
      await Promise.all(
        Array.from({ length: 16 }, async (_, index) => {
          const [here, there] = index % 2 ? [sides[0], sides[1]] : [sides[1], sides[0]]
          const { id } = await create(here as Exchange, tether)
          ids.push(id)
          await here?.api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
          await there?.api(`/v1/sandbox/transaction/${id}/deposit`, { body: {} })
        }),
      )
      for (const id of ids) {
        const { payout, ...record } = await arrive(exchange, id, 'finished')
        assert.deepEqual(await transfersTo(payout?.address), [{ hash: record.output_hash }])
        assert.deepEqual(statusesOf({ payout, ...record }), [
          'new',
          'waiting_for_deposit',
          'exchanging',
          'sending',
          'finished',
        ])
      }
    } finally {
      await twin.stop()
    }
    assert.equal(ids.length, 16)
    await assertBooksHold(exchange)
  })

  it('when every job of it is done once more', async () => {
    const { id } = await buy(exchange)
    const before = await everything()
    await lookup(
      exchange,
      `insert into jobs (kind, key, timebase, run_at)
       select 'fact.received', id::text, 'business', now() from rail_events
       union all select 'payout.due', id::text, 'business', now() from payouts
       union all select 'plan.due', id::text, 'real', now() from plans`,
    )
    exchange.service.composition.ctx.queue.wake()
    await until(
      async () => (await lookup(exchange, `select 1 from jobs where kind <> 'transaction.deadline'`)).length === 0,
    )
    assert.deepEqual(await everything(), before)
    assert.equal((await read(exchange, id)).status, 'finished')
    await assertBooksHold(exchange)
  })
})

/** The same calls at another address. */
const viaTwin =
  (url: string): Exchange['api'] =>
  async (path, asking = {}) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-api-key': exchange.sandbox.secret_key, 'content-type': 'application/json' },
      body: JSON.stringify(asking.body),
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as never }
  }

/** Every row that a buy leaves behind, as text. */
const everything = () => everyRow(exchange, ['sandbox.transfers', 'sandbox.wallets'])

describe('one balance, spent five hundred times at once', () => {
  const place = 'wallet-of-a-test'
  const spends = (amounts: bigint[]) => async () => {
    const database = await testDatabase()
    const ctx = await testContext(database)
    try {
      const ref = await ctx.rowIds.next()
      const brought = { transactionId: null, kind: 'capital', ref, at: ctx.clock.now() } as const
      const amount = 100_000n
      await ctx.db.atomic((db) =>
        post(db, ctx, [entry(brought, [{ debit: held(place), credit: capital, asset: 'BTC-BTC', amount }])]),
      )
      const granted = await Promise.all(
        amounts.map((wanted) => ctx.db.atomic((db) => reserve(db, [{ place, asset: 'BTC-BTC', amount: wanted }]))),
      )
      const spent = amounts.filter((_, index) => granted[index]?.[0]).reduce((sum, one) => sum + one, 0n)
      return { passed: granted.filter(([yes]) => yes).length, spent }
    } finally {
      await ctx.db.close()
    }
  }

  it('lets exactly the covered ones pass', async () => {
    const { passed, spent } = await spends(Array<bigint>(500).fill(1_000n))()
    assert.deepEqual([passed, spent], [100, 100_000n])
  })

  it('never lets more pass than there is, whatever the amounts', async () => {
    const amounts = Array.from({ length: 500 }, (_, index) => BigInt(1 + ((index * 7_919) % 2_003)))
    const { spent } = await spends(amounts)()
    assert.ok(spent <= 100_000n && spent > 100_000n - 2_003n, `${spent}`)
  })
})
