import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { callBack, captured, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  checkOut,
  lookup,
  owed,
  pay,
  railEvent,
  read,
  readyToPay,
  seen,
  settled,
  statusesOf,
} from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=3' })
})
after(() => exchange.stop())

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }

describe('a card payment that is charged back', () => {
  it('after the coins have gone is our loss, once, and marks the customer', async () => {
    const { id, email } = await buy(exchange)
    await railEvent(exchange, id, 'chargeback')
    const record = await seen(exchange, id, 'the chargeback', ({ errors }) => errors.length > 0)
    assert.deepEqual([record.status, record.errors[0]?.code], ['finished', 'payment_reversed'])
    assert.equal(record.from_amount, '100')
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), 10_000n)
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    assert.ok(email)
    const [customer] = await lookup<{ chargebacks: number }>(
      exchange,
      'select chargebacks from customers join transactions on customers.id = customer_id where public_id = $1',
      [id],
    )
    assert.equal(customer?.chargebacks, 1)

    const again = await exchange.api(`/v1/sandbox/transaction/${id}/rail-event`, { body: { type: 'chargeback' } })
    assert.equal(again.status, 409)
    await railEvent(exchange, id, 'duplicate')
    await advance(exchange, 'PT1M')
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), 10_000n)
    await assertBooksHold(exchange)
  })

  it('before it was exchanged is no longer owed', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 6_000n)
    await railEvent(exchange, id, 'chargeback')
    const record = await seen(exchange, id, 'the chargeback', ({ from_amount: arrived }) => arrived === '0')
    assert.deepEqual([record.status, record.status_details], ['on_hold', 'review'])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })
})

describe('a second payment that is taken back', () => {
  const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }

  it('is no loss, and no longer owed: its transaction is as finished as it was', async () => {
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await pay(exchange, id, { amount: '3' })
    await arrive(exchange, id, 'on_hold')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 300n)
    await railEvent(exchange, id, 'chargeback')
    const record = await seen(exchange, id, 'the recall', ({ from_amount: arrived }) => arrived === '250')
    assert.deepEqual([record.status, record.status_details], ['finished', null])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), losses)
    await assertBooksHold(exchange)
  })

  it('and told of before it was told that it came, is never exchanged', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    const said = captured(reference, { event: `late_${id}_2`, payment: `late_${id}` })
    await callBack(exchange, { ...said, event: `late_${id}_1`, status: 'CHARGED_BACK' })
    await callBack(exchange, said)
    await settled(exchange)
    const record = await read(exchange, id)
    assert.deepEqual([record.status, record.from_amount], ['waiting_for_deposit', '0'])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await advance(exchange, 'PT31M')
    await arrive(exchange, id, 'expired')
  })
})

describe('a payout that comes back', () => {
  it('is owed again, and goes where the customer says then', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    const finished = await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'bounce')
    const held = await seen(exchange, id, 'the bounce', ({ status }) => status === 'on_hold')
    assert.deepEqual([held.status_details, held.to_amount, held.output_hash], ['address_needed', null, null])
    assert.ok((await owed(exchange, id, 'EUR-EUR')) > 0n)
    await assertBooksHold(exchange)

    const account = 'NL91ABNA0417164300'
    await checkOut(exchange, id, { payout_address: account })
    const again = await arrive(exchange, id, 'finished')
    assert.deepEqual([again.to_amount, again.payout?.iban], [finished.to_amount, account])
    assert.notEqual(again.output_hash, finished.output_hash)
    assert.deepEqual(statusesOf(again).slice(-4), ['on_hold', 'exchanging', 'sending', 'finished'])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })

  it('from a chain is owed again too', async () => {
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    const twice = await exchange.api(`/v1/sandbox/transaction/${id}/rail-event`, { body: { type: 'bounce' } })
    assert.equal(twice.status, 409)
    await checkOut(exchange, id, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
    await arrive(exchange, id, 'finished')
    assert.equal(await owed(exchange, id, 'BTC-BTC'), 0n)
    await assertBooksHold(exchange)
  })
})
