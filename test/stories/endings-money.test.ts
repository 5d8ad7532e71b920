import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { acceptNow, askForRefund, cancelByCustomer, customerChoices } from '../../src/exchange/orders/choose.ts'
import { explainPrices } from '../../src/exchange/checks/explain-price.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { callBack, captured, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  buy,
  lookup,
  owed,
  pay,
  readyToPay,
  seen,
  settled,
  statusesOf,
} from '../support/journey.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const ctxOf = () => exchange.service.composition.ctx

/** It has ended, nobody is owed anything, and the books hold. */
async function assertEnded(id: string, status: string): Promise<TransactionRecord> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC', 'USD-USD']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return record
}

/** The card processor says that it has captured an amount, in cents, for a transaction. */
const capture = async (id: string, event: string, amount: string, asset = 'EUR-EUR') =>
  callBack(exchange, captured(await referenceOf(exchange, id), { event: `${event}_${id}`, amount, asset }))

/** The types of the events about a transaction, in their order. */
const eventsOf = async (id: string): Promise<string[]> =>
  (await lookup<{ type: string }>(exchange, 'select type from events where stream = $1 order by sequence', [id])).map(
    ({ type }) => type,
  )

describe('less than was agreed', () => {
  it('by no more than the tolerance is exchanged at the amount that came, at the same price', async () => {
    const agreed = await readyToPay(exchange)
    await capture(agreed.id, 'under', '9960')
    const record = await assertEnded(agreed.id, 'finished')
    assert.deepEqual(
      [record.from_amount, record.expected_from_amount, record.initial_expected_from_amount],
      ['99.6', '99.6', '100'],
    )
    assert.ok(Number(record.to_amount) < Number(agreed.expected_to_amount))
    assert.equal(record.to_amount, record.estimate_breakdown.toAmount)
    const explained = await explainPrices(ctxOf(), BigInt(agreed.id))
    assert.deepEqual(
      explained.map(({ agrees }) => agrees),
      [true, true],
    )
  })

  it('by more is held, and goes on by itself when the rest comes', async () => {
    const agreed = await readyToPay(exchange)
    await capture(agreed.id, 'part', '6000')
    const held = await arrive(exchange, agreed.id, 'on_hold')
    assert.deepEqual([held.status_details, held.from_amount], ['underpaid', '60'])
    await capture(agreed.id, 'rest', '4000')
    const record = await assertEnded(agreed.id, 'finished')
    assert.deepEqual([record.from_amount, record.to_amount], ['100', agreed.expected_to_amount])
  })

  it('by more is exchanged as it came where its customer wants that', async () => {
    const { id } = await readyToPay(exchange)
    await capture(id, 'some', '6000')
    await arrive(exchange, id, 'on_hold')
    const { exchange_what_came: choice } = await customerChoices(ctxOf(), BigInt(id))
    assert.equal(choice?.fromAmount, 6_000n)
    await assert.rejects(acceptNow(ctxOf(), BigInt(id), { atLeast: (choice?.toAmount ?? 0n) + 1n }), {
      code: 'CONFLICT',
    })
    await acceptNow(ctxOf(), BigInt(id), { atLeast: choice?.toAmount ?? 0n })
    const record = await assertEnded(id, 'finished')
    assert.equal(BigInt(Math.round(Number(record.to_amount) * 1e8)), choice?.toAmount)
    await assert.rejects(acceptNow(ctxOf(), BigInt(id), { atLeast: 1n }), { code: 'CONFLICT' })
  })

  it('by more goes back whole where its customer wants that, and partners are told', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    await askForRefund(ctxOf(), BigInt(id))
    await assert.rejects(askForRefund(ctxOf(), BigInt(id)), { code: 'CONFLICT' })
    const record = await assertEnded(id, 'refunded')
    assert.deepEqual(
      record.refunds.map(({ amount, currency, status }) => [amount, currency, status]),
      [['60', 'EUR', 'paid']],
    )
    assert.ok(record.refunds[0]?.output_hash)
    const told = await eventsOf(id)
    assert.ok(told.filter((type) => type === 'transaction.refund_changed').length >= 2, told.join())
    assert.deepEqual(statusesOf(record).slice(-1), ['refunded'])
  })
})

describe('more than was agreed', () => {
  it('is exchanged up to the limit of the pair, and the rest goes back by itself', async () => {
    const { body: range } = await exchange.api<{ max: number }>('/v1/market-info/min-max-range/eur_btc')
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { amount: String(range.max + 100) })
    const record = await assertEnded(id, 'finished')
    assert.equal(record.from_amount, String(range.max + 100))
    assert.deepEqual(
      record.refunds.map(({ amount, status }) => [amount, status]),
      [['100', 'paid']],
    )
    assert.equal(record.expected_from_amount, String(range.max))
  })

  it('is exchanged whole below it', async () => {
    const agreed = await readyToPay(exchange)
    await capture(agreed.id, 'over', '15000')
    const record = await assertEnded(agreed.id, 'finished')
    assert.deepEqual([record.from_amount, record.refunds], ['150', []])
    assert.ok(Number(record.to_amount) > Number(agreed.expected_to_amount))
  })
})

describe('a second deposit', () => {
  it('after the end is exchanged too, at the price of then, and paid out by another payout', async () => {
    const first = await buy(exchange)
    await capture(first.id, 'second', '5000')
    await seen(exchange, first.id, 'the second payment', ({ from_amount: amount }) => amount === '150')
    const record = await assertEnded(first.id, 'finished')
    assert.ok(Number(record.to_amount) > Number(first.to_amount))
    const payouts = await lookup<{ state: string }>(
      exchange,
      'select state from payouts join transactions on transactions.id = transaction_id where public_id = $1',
      [first.id],
    )
    assert.deepEqual(
      payouts.map(({ state }) => state),
      ['paid', 'paid'],
    )
  })

  it('that is less than can be exchanged waits, and goes back where its customer wants that', async () => {
    const { id } = await buy(exchange)
    await capture(id, 'little', '300')
    const held = await arrive(exchange, id, 'on_hold')
    assert.equal(held.status_details, 'underpaid')
    const choices = await customerChoices(ctxOf(), BigInt(id))
    assert.deepEqual(Object.keys(choices), ['refund'])
  })

  it('of coins is exchanged, or goes back less the cost of sending it', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await pay(exchange, id, { amount: '0.0001' })
    await arrive(exchange, id, 'on_hold')
    const { refund } = await customerChoices(ctxOf(), BigInt(id))
    const part = refund?.parts[0]
    assert.ok(part && part.cost > 0n && part.cost < part.amount)
    await askForRefund(ctxOf(), BigInt(id))
    const record = await assertEnded(id, 'finished')
    assert.equal(record.refunds[0]?.status, 'paid')
  })
})

describe('late money', () => {
  it('within the bound is exchanged at the new price, after the transaction expired', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT31M')
    await arrive(exchange, id, 'expired')
    market.setPrice('BTC', 1_010n)
    await pay(exchange, id)
    const record = await assertEnded(id, 'finished')
    assert.deepEqual(statusesOf(record).slice(-4), ['on_hold', 'exchanging', 'sending', 'finished'])
    market.setPrice('BTC', 1_000n)
  })

  it('beyond the bound waits for its customer, who accepts the new price', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT16M')
    market.setPrice('BTC', 1_100n)
    await pay(exchange, id)
    const held = await arrive(exchange, id, 'on_hold')
    assert.equal(held.status_details, 'late')
    const { accept_price: choice, refund } = await customerChoices(ctxOf(), BigInt(id))
    assert.ok(choice && refund)
    await acceptNow(ctxOf(), BigInt(id), { atLeast: choice.toAmount })
    await assertEnded(id, 'finished')
    market.setPrice('BTC', 1_000n)
  })

  it('beyond the bound goes back where its customer wants that', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT16M')
    market.setPrice('BTC', 1_100n)
    await pay(exchange, id)
    await arrive(exchange, id, 'on_hold')
    await askForRefund(ctxOf(), BigInt(id))
    await assertEnded(id, 'refunded')
    market.setPrice('BTC', 1_000n)
  })
})

describe('money of another currency', () => {
  it('goes back whole where its customer wants that', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '70', currency: 'USD', network: 'USD' })
    const held = await arrive(exchange, id, 'on_hold')
    assert.deepEqual([held.status_details, held.from_amount], ['wrong_asset', '0'])
    assert.deepEqual(Object.keys(await customerChoices(ctxOf(), BigInt(id))), ['refund'])
    await askForRefund(ctxOf(), BigInt(id))
    const record = await assertEnded(id, 'refunded')
    assert.deepEqual(
      record.refunds.map(({ amount, currency }) => [amount, currency]),
      [['70', 'USD']],
    )
  })
})

describe('a customer who does not want to', () => {
  it('cancels before any money was seen, and not afterwards', async () => {
    const { id } = await readyToPay(exchange)
    assert.deepEqual(await customerChoices(ctxOf(), BigInt(id)), { cancel: {} })
    await cancelByCustomer(ctxOf(), BigInt(id))
    await assertEnded(id, 'cancelled')

    const paid = await readyToPay(exchange)
    await capture(paid.id, 'seen', '6000')
    await settled(exchange)
    await assert.rejects(cancelByCustomer(ctxOf(), BigInt(paid.id)), { code: 'CONFLICT' })
  })

  it('and pays after all is not robbed: the money is exchanged', async () => {
    const { id } = await readyToPay(exchange)
    await cancelByCustomer(ctxOf(), BigInt(id))
    await pay(exchange, id)
    await assertEnded(id, 'finished')
  })
})
