import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  owed,
  pay,
  railEvent,
  read,
  readyToPay,
  seen,
} from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=3' }, { blockMs: 3_000 })
})
after(() => exchange.stop())

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }

describe('coins', () => {
  it('that are seen after their price was over are priced when they are seen, not when they are final', async () => {
    const { id } = await readyToPay(exchange, sale)
    const { quote_expires_at: valid } = await read(exchange, id)
    await advance(exchange, 'PT21M')
    await pay(exchange, id)
    const seenAt = await seen(exchange, id, 'confirming', ({ status_details: details }) => details === 'confirming')
    assert.ok(seenAt.quote_expires_at > valid, 'a new price')
    await advance(exchange, 'PT15M')
    const record = await seen(exchange, id, 'the end', ({ status }) => status === 'finished' || status === 'on_hold')
    assert.equal(record.status, 'finished')
    assert.equal(record.to_amount, seenAt.expected_to_amount)
    await assertBooksHold(exchange)
  })

  it('are seen, then confirmed, and exchanged only then', async () => {
    const { id } = await readyToPay(exchange, sale)
    const { hash } = await pay(exchange, id)
    const confirming = await seen(exchange, id, 'confirming', ({ status_details: details }) => details === 'confirming')
    assert.deepEqual([confirming.status, confirming.from_amount], ['waiting_for_deposit', '0'])
    assert.match(hash, /^[0-9a-f]{64}$/)
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('do not let their transaction expire while they are confirmed', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await seen(exchange, id, 'confirming', ({ status_details: details }) => details === 'confirming')
    await advance(exchange, 'PT25H')
    const record = await read(exchange, id)
    assert.notEqual(record.status, 'expired')
    // The price of 20 minutes is over by then: it goes on at the new one, or waits for its customer's word.
    await seen(exchange, id, 'the end of the wait', ({ status }) => status === 'finished' || status === 'on_hold')
    await assertBooksHold(exchange)
  })

  it('of a block that was undone before it was final are never credited', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await seen(exchange, id, 'confirming', ({ status_details: details }) => details === 'confirming')
    await railEvent(exchange, id, 'reorg')
    const record = await seen(exchange, id, 'nothing confirming', ({ status_details: details }) => details === null)
    assert.deepEqual([record.status, record.from_amount], ['waiting_for_deposit', '0'])
    assert.equal(await owed(exchange, id, 'BTC-BTC'), 0n)
    await advance(exchange, 'PT25H')
    await arrive(exchange, id, 'expired')
    await assertBooksHold(exchange)
  })

  it('of a block that was undone after they were exchanged are our loss', async () => {
    const earlier = await bookBalance(exchange, 'losses:chargebacks', 'BTC-BTC')
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'reorg')
    await seen(exchange, id, 'the loss', ({ errors }) => errors.length > 0)
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'BTC-BTC')) - earlier, 1_000_000n)
    await assertBooksHold(exchange)
    await resumeCrediting(exchange.service.composition.ctx, 'sandbox-btc', {
      reason: 'The chain was looked at.',
      actor: 'cli:test',
    })
  })

  it('that we sent and whose block was undone stay sent', async () => {
    const finished = await buy(exchange)
    await railEvent(exchange, finished.id, 'reorg')
    await advance(exchange, 'PT1M')
    assert.deepEqual(await read(exchange, finished.id), finished)
    await assertBooksHold(exchange)
  })

  it('sent twice are two deposits, and both are exchanged', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await pay(exchange, id)
    const record = await seen(exchange, id, 'both deposits', ({ from_amount: arrived }) => arrived === '0.02')
    assert.ok(['exchanging', 'sending', 'on_hold', 'finished'].includes(record.status))
    const { to_amount: paid, expected_to_amount: last } = await arrive(exchange, id, 'finished')
    assert.ok(Number(paid) > Number(last), 'what both came to')
    assert.equal(await owed(exchange, id, 'BTC-BTC'), 0n)
    await assertBooksHold(exchange)
  })
})
