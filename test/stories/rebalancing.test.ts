import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { listBalances } from '../../src/exchange/treasury/balances.ts'
import {
  approveRebalance,
  cancelRebalance,
  confirmArrived,
  confirmSent,
  listRebalances,
  proposeRebalance,
  proposeRebalances,
} from '../../src/exchange/treasury/move-money.ts'
import type { Operator } from '../../src/exchange/operators/operator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, lookup } from '../support/journey.ts'
import { assertProfitAddsUp, sumOf } from '../support/profit.ts'

let exchange: Exchange
const operators: Operator[] = []
before(async () => {
  exchange = await startExchange()
  for (const name of ['ann', 'bob']) {
    operators.push(
      await createOperator(ctx(), { email: `${name}@example.com`, password: 'correct horse battery' }, 'test'),
    )
  }
  ctx().config.rebalancing = {
    destinations: [
      { name: 'cold', account: 'cold-btc', asset: 'BTC-BTC', address: 'bc1qcold' },
      { name: 'hot', account: 'wallet-btc', asset: 'BTC-BTC' },
    ],
    levels: [],
  }
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const operator = (at: number): Operator => operators[at] ?? assert.fail('no operator')
const wish = { source: 'wallet-btc', destination: 'cold', asset: 'BTC-BTC', amount: '1.5', reason: 'more than we need' }
const propose = (change: Partial<typeof wish> = {}) => proposeRebalance(ctx(), { ...wish, ...change }, 'test')
const balanceOf = async (account: string) =>
  (await listBalances(ctx())).find((one) => one.account === account && one.asset === 'BTC-BTC')
/** What the chain says that the wallet holds, after an operator has sent something from it. */
const takeFromWallet = (amount: string) =>
  lookup(exchange, `update sandbox.wallets set balance = balance - $1 where asset = 'BTC-BTC'`, [amount])

describe('a transfer between custody accounts', () => {
  it('is approved by two operators, and booked when it left and when it arrived', async () => {
    const id = await propose()
    await assert.rejects(confirmSent(ctx(), id, { proof: 'x', actor: 'test' }), { code: 'CONFLICT' })
    assert.equal((await approveRebalance(ctx(), id, operator(0))).state, 'proposed')
    await assert.rejects(approveRebalance(ctx(), id, operator(0)), { code: 'CONFLICT' })
    assert.equal((await approveRebalance(ctx(), id, operator(1))).state, 'approved')
    await assert.rejects(confirmArrived(ctx(), id, { proof: 'x', actor: 'test' }), { code: 'CONFLICT' })

    const was = await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC')
    const costs = sumOf(await assertProfitAddsUp(ctx(), exchange.ownerUrl), 'networkCosts')
    await takeFromWallet('150001000')
    const fee = { asset: 'BTC-BTC', amount: '0.00001' }
    assert.equal((await confirmSent(ctx(), id, { proof: 'hash-1', fee, actor: 'test' })).state, 'sent')
    assert.equal(await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC'), was - 150_001_000n)
    assert.deepEqual(
      [(await balanceOf('cold-btc'))?.balance, (await balanceOf('cold-btc'))?.incoming],
      [0n, 150_000_000n],
    )
    await assertBooksHold(exchange)
    assert.equal((await confirmArrived(ctx(), id, { proof: 'statement 3', actor: 'test' })).state, 'settled')
    assert.deepEqual(
      [(await balanceOf('cold-btc'))?.balance, (await balanceOf('cold-btc'))?.incoming],
      [150_000_000n, 0n],
    )
    await assert.rejects(confirmArrived(ctx(), id, { proof: 'again', actor: 'test' }), { code: 'CONFLICT' })
    assert.ok(sumOf(await assertProfitAddsUp(ctx(), exchange.ownerUrl), 'networkCosts') < costs)
    await assertBooksHold(exchange)
  })

  it('goes to listed destinations only, and never beyond what is available', async () => {
    await assert.rejects(propose({ destination: 'elsewhere' }), { code: 'BAD_REQUEST' })
    await assert.rejects(propose({ asset: 'ETH-ETH' }), { code: 'BAD_REQUEST' })
    await assert.rejects(propose({ destination: 'hot' }), { code: 'BAD_REQUEST' })
    await assert.rejects(propose({ amount: '1000000' }), { code: 'CONFLICT' })
    await assert.rejects(propose({ reason: ' ' }), { code: 'BAD_REQUEST' })
    assert.equal((await listRebalances(ctx())).length, 1)
  })

  it('is proposed by level: surplus leaves, what is short is refilled, once', async () => {
    const { rebalancing } = ctx().config
    assert.ok(rebalancing)
    const level = {
      account: 'wallet-btc',
      asset: 'BTC-BTC',
      target: '2',
      minimum: '1',
      maximum: '3',
      surplusTo: 'cold',
      refillFrom: 'cold-btc',
    }
    ctx().config.rebalancing = { ...rebalancing, levels: [level] }
    const [id] = await proposeRebalances(ctx())
    const there = (await balanceOf('wallet-btc'))?.available ?? 0n
    const [sweep] = await listRebalances(ctx())
    assert.deepEqual([sweep?.id, sweep?.account, sweep?.amount], [id, 'cold-btc', there - 200_000_000n])
    assert.deepEqual(await proposeRebalances(ctx()), [])
    assert.equal((await cancelRebalance(ctx(), id ?? 0n, { reason: 'not today', actor: 'test' })).state, 'canceled')

    const many = '100000000'
    ctx().config.rebalancing = {
      ...rebalancing,
      levels: [{ ...level, target: many, minimum: many, maximum: undefined }],
    }
    assert.deepEqual(await proposeRebalances(ctx()), [], 'the cold account does not have that much')
    const some = String((there + 100_000_000n) / 100_000_000n)
    ctx().config.rebalancing = {
      ...rebalancing,
      levels: [{ ...level, target: some, minimum: some, maximum: undefined }],
    }
    await proposeRebalances(ctx())
    const [refill] = await listRebalances(ctx())
    assert.deepEqual([refill?.source, refill?.account], ['cold-btc', 'wallet-btc'])
    ctx().config.rebalancing = rebalancing
  })
})
