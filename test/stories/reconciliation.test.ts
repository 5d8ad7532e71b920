import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { listBreaks, resolveBreak } from '../../src/exchange/reconciliation/breaks.ts'
import { createOperator } from '../../src/exchange/operators/operator.ts'
import { closeDay } from '../../src/exchange/reconciliation/close.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import {
  approveRebalance,
  confirmArrived,
  confirmSent,
  proposeRebalance,
} from '../../src/exchange/treasury/move-money.ts'
import { findNetwork } from '../../src/reference/catalog/network.ts'
import { moveCoins } from '../../src/sandbox/rails.ts'
import { runCommand } from '../support/command.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, buy, lookup, pay, railEvent, read, readyToPay } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const owner = (sql: string, values: unknown[] = []) => asOwner(exchange.ownerUrl, (client) => client.query(sql, values))
async function command(...args: string[]) {
  const ended = await runCommand([...args, '--json'], { DATABASE_URL: exchange.ownerUrl, DATA_DIR: exchange.dataDir })
  return { ...ended, json: JSON.parse(ended.out || 'null') as Record<string, unknown> }
}

describe('reconciliation', () => {
  it('finds no break when money did everything that money does', async () => {
    await buy(exchange)
    await railEvent(exchange, (await buy(exchange)).id, 'chargeback')
    const bounced = await buy(exchange)
    await railEvent(exchange, bounced.id, 'bounce')
    await arrive(exchange, bounced.id, 'on_hold')
    const disputed = await buy(exchange)
    await railEvent(exchange, disputed.id, 'dispute_opened')
    await until(async () => (await read(exchange, disputed.id)).errors.length > 0, 'the dispute')
    const transfer = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, transfer.id)
    await arrive(exchange, transfer.id, 'finished')
    await assertBooksHold(exchange)
    const { breaks, onItsWay } = await reconcile(ctx())
    assert.deepEqual([breaks, onItsWay], [[], []])
    assert.deepEqual((await command('reconcile')).json, { ok: true, breaks: [], on_its_way: 0 })
    const audit = await lookup<{ actor: string }>(exchange, `select actor from audit where action = 'day.compared'`)
    assert.match(audit.map(({ actor }) => actor).join(), /^cli:[^,]+$/)
  })

  it('calls money whose callback is owed on its way, and a break only when nothing explains it in an hour', async () => {
    const { id } = await readyToPay(exchange)
    const { rows } = await owner(
      `insert into sandbox.card_payments (id, rail, reference, asset, amount, merchant_return, state, attempts, created_at)
       select 7, rail, reference, 'EUR-EUR', 10000, '', 'captured', 1, now()
       from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1 returning id`,
      [id],
    )
    assert.equal(rows.length, 1)

    const young = await reconcile(ctx())
    assert.deepEqual([young.breaks, young.onItsWay.map(({ key, amount }) => [key, amount])], [[], [['pay_7', 10_000n]]])
    assert.deepEqual(await verify(ctx()), [])

    await owner(`update sandbox.card_payments set created_at = created_at - interval '2 hours' where id = 7`)
    const { breaks } = await reconcile(ctx())
    assert.deepEqual(
      breaks.map((one) => [one.account, one.kind, one.key, one.amount, one.cause, one.owner]),
      [['card-processor', 'not_booked', 'sandbox-card in pay_7', 10_000n, 'swallowed', 'finance']],
    )
    assert.match((await verify(ctx())).join(), /card-processor|sandbox-card holds/)
    const { json } = await command('break', 'list')
    const found = json as unknown as { cause: string; advice: string }[]
    assert.deepEqual(
      found.map(({ cause, advice }) => [cause, advice.split('.')[0]]),
      [['swallowed', 'Have the file or the callback read again']],
    )

    await owner('delete from sandbox.card_payments where id = 7')
    assert.deepEqual((await reconcile(ctx())).breaks, [])
    assert.deepEqual(
      (await listBreaks(ctx(), { open: false })).map(({ state }) => state),
      ['cleared'],
    )
  })

  it('finds coins that nobody booked in the balance; resolved with a reason, it returns only with another amount', async () => {
    const network = findNetwork('BTC') ?? assert.fail()
    await moveCoins(ctx().db, network, 'BTC-BTC', -5n)
    const [found, ...others] = (await reconcile(ctx())).breaks
    assert.ok(found)
    assert.deepEqual(
      [found.account, found.kind, found.amount, found.cause, found.owner, others],
      ['wallet-btc', 'balance', -5n, 'missing', 'operations', []],
    )
    const resolution = { actor: 'cli:test', reason: 'A test of the wallet.' }
    await assert.rejects(resolveBreak(ctx(), found.id, { ...resolution, reason: ' ' }), { code: 'BAD_REQUEST' })
    const { json } = await command('break', 'resolve', String(found.id), '--reason', resolution.reason)
    assert.deepEqual([json.state, json.reason, json.amount], ['resolved', resolution.reason, '-0.00000005'])
    assert.deepEqual((await reconcile(ctx())).breaks, [])
    assert.deepEqual(await verify(ctx()), [])
    await assert.rejects(resolveBreak(ctx(), found.id, resolution), { code: 'CONFLICT' })

    await moveCoins(ctx().db, network, 'BTC-BTC', -2n)
    assert.deepEqual(
      (await reconcile(ctx())).breaks.map(({ kind, amount }) => [kind, amount]),
      [['balance', -2n]],
    )
    await moveCoins(ctx().db, network, 'BTC-BTC', 7n)
    await owner(`delete from breaks`)
    assert.deepEqual((await reconcile(ctx())).breaks, [])
  })

  it('takes a transfer between own accounts for what it is, and still finds a line that is none', async () => {
    const { id: ofSomeone } = await readyToPay(exchange)
    ctx().config.rebalancing = {
      destinations: [{ name: 'processor', account: 'card-processor', asset: 'EUR-EUR' }],
      levels: [],
    }
    const wish = { source: 'bank', destination: 'processor', asset: 'EUR-EUR', amount: '5000', reason: 'for refunds' }
    const id = await proposeRebalance(ctx(), wish, 'test')
    for (const name of ['ann', 'bob'])
      await approveRebalance(
        ctx(),
        id,
        await createOperator(ctx(), { email: `${name}@example.com`, password: 'correct horse battery' }, 'test'),
      )
    const paidAtBank = (amount: number, key: string) =>
      owner(
        `with paid as (update sandbox.bank_balances set balance = balance - $1 where asset = 'EUR-EUR')
         insert into sandbox.bank_payments (direction, asset, amount, remittance, end_to_end_id, state, at)
         values ('out', 'EUR-EUR', $1, '', $2, 'booked', now() - interval '2 hours')`,
        [amount, key],
      )
    const fee = { asset: 'EUR-EUR', amount: '1.5' }
    await confirmSent(ctx(), id, { proof: 'statement 7', fee, actor: 'test' })
    const young = await reconcile(ctx())
    assert.deepEqual(
      [young.breaks, young.onItsWay.map(({ rail, kind, amount }) => [rail, kind, amount])],
      [[], [['transfer', 'not_stated', 500_150n]]],
    )
    assert.deepEqual(await verify(ctx()), [])

    await paidAtBank(500_150, 'refunds of November')
    assert.deepEqual(await reconcile(ctx()), { breaks: [], onItsWay: [] })
    await confirmArrived(ctx(), id, { proof: 'dashboard', actor: 'test' })
    await owner(
      `insert into sandbox.card_payments (id, rail, reference, asset, amount, merchant_return, state, attempts, created_at)
       select 8, rail, 'top-up ' || reference, 'EUR-EUR', 500000, '', 'captured', 1, now() - interval '2 hours'
       from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1`,
      [ofSomeone],
    )
    assert.deepEqual(await reconcile(ctx()), { breaks: [], onItsWay: [] })
    assert.deepEqual(await verify(ctx()), [])

    await paidAtBank(500_150, 'the same amount again')
    assert.deepEqual(
      (await reconcile(ctx())).breaks.map(({ account, kind, amount }) => [account, kind, amount]),
      [['bank', 'not_booked', -500_150n]],
    )
    await owner(
      `with gone as (delete from sandbox.bank_payments where end_to_end_id = 'the same amount again')
       update sandbox.bank_balances set balance = balance + 500150 where asset = 'EUR-EUR'`,
    )
    assert.deepEqual((await reconcile(ctx())).breaks, [])
  })

  it('closes days in order, and a closed day keeps its figures whatever is booked later', async () => {
    // From noon on, whatever the time is: 49 hours later the third day is not over.
    const hour = 3_600_000
    const now = ctx().clock.now().getTime()
    const noon = Math.ceil(now / (24 * hour)) * 24 * hour + 12 * hour
    await advance(exchange, `PT${Math.ceil((noon - now) / 1_000)}S`)
    await buy(exchange)
    const today = ctx().clock.now().toISOString().slice(0, 10)
    await assert.rejects(closeDay(ctx(), today, 'cli:test'), { code: 'CONFLICT' })
    await assert.rejects(closeDay(ctx(), '2026-02-30', 'cli:test'), { code: 'BAD_REQUEST' })
    await advance(exchange, 'PT49H')
    const [first, second, third] = [0, 1, 2].map((days) =>
      new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10),
    )
    assert.ok(first && second && third)
    const closed = await closeDay(ctx(), first, 'cli:test')
    assert.deepEqual(await listBreaks(ctx(), { open: true }), [])
    assert.equal(closed.breaksOpen, 0)
    assert.ok(closed.profit.some(({ asset, fees }) => asset === 'EUR-EUR' && fees > 0n))
    for (const { total, ...row } of closed.profit) {
      const { asset: _, ...parts } = row
      assert.equal(
        Object.values(parts).reduce((sum, part) => sum + part, 0n),
        total,
      )
    }
    const zero = new Map<string, bigint>()
    for (const { asset, closing } of closed.accounts) zero.set(asset, (zero.get(asset) ?? 0n) + closing)
    assert.deepEqual(new Set(zero.values()), new Set([0n]), 'a day balances per asset')

    await buy(exchange)
    assert.deepEqual(await closeDay(ctx(), first, 'cli:another'), closed)
    const shown = await command('close', second)
    assert.equal(shown.json.breaks_open, 0)
    const accounts = shown.json.accounts as { account: string; change: string }[]
    assert.ok(
      accounts.every(({ change }) => Number(change) === 0),
      'nothing was booked on the second day',
    )
    await assert.rejects(closeDay(ctx(), third, 'cli:test'), { code: 'CONFLICT' })
    assert.equal((await lookup(exchange, 'select 1 from closed_days', [])).length, 2)
  })
})
