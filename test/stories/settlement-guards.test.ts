import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, bookBalance, lookup, pay, read, readyToPay, settled } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { until } from '../support/telling.ts'
import { tellFacts } from '../support/told-facts.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

describe('two reports of one payment of nobody', () => {
  it('are dealt with one after the other: whoever has the payment is waited for', async () => {
    const held = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const payment = 'pay_of_nobody'
    const report = { reference: 'nobody', payment, amount: 7_700n }
    await asOwner(exchange.ownerUrl, async (client) => {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sandbox-card ${payment}`])
      await tellFacts(exchange, { key: 'one', kind: 'deposit_final', ...report })
      const isWaiting = async () => {
        const rows = await lookup(exchange, `select 1 from pg_locks where locktype = 'advisory' and not granted`)
        return rows.length > 0
      }
      await until(isWaiting, 'the report to wait for the other one')
      await tellFacts(exchange, { key: 'two', kind: 'deposit_final', ...report })
      assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), held, 'nothing is booked meanwhile')
      await client.query('commit')
    })
    await settled(exchange)
    assert.equal(held - (await bookBalance(exchange, 'suspense', 'EUR-EUR')), 7_700n, 'one payment is one deposit')
    const deposits = await lookup(exchange, 'select 1 from deposits where payment = $1', [payment])
    assert.equal(deposits.length, 1)
  })
})

describe('an order whose refund is still open', () => {
  it('does not end as finished when its payout is paid', async () => {
    const { body: range } = await exchange.api<{ max: number }>('/v1/market-info/min-max-range/eur_btc')
    const { id } = await readyToPay(exchange)
    // Nothing in euros leaves: the refund waits, and the payout in bitcoin does not.
    await commandLineOf(exchange).told('halt', 'asset', 'EUR-EUR', '--reason', 'a test')
    const { ctx } = exchange.service.composition
    await until(() => Promise.resolve(ctx.halts.now().assets.has('EUR-EUR')), 'the halt to be known')
    await pay(exchange, id, { amount: String(range.max + 100) })
    const held = await arrive(exchange, id, 'on_hold')
    assert.equal(held.status_details, 'refund_pending')
    assert.notEqual(held.to_amount, null, 'the payout is paid')
    assert.deepEqual(
      held.refunds.map(({ amount, status }) => [amount, status]),
      [['100', 'pending']],
    )
    assert.equal(
      (await read(exchange, id)).status_history.some(({ status }) => status === 'finished'),
      false,
    )
    await assertBooksHold(exchange)
  })
})
