import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import type { RailEvent } from '../../src/rails/rail.ts'
import { askForRefund, customerChoices, giveRefundAddress } from '../../src/exchange/orders/choose.ts'
import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../src/exchange/operations/staff.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  bookBalance,
  buy,
  lookup,
  owed,
  pay,
  railEvent,
  readyToPay,
  seen,
  settled,
} from '../support/journey.ts'
import { tellFacts } from '../support/told-facts.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
})
after(() => exchange.stop())

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const elsewhere = { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', extraId: '' }
const ctxOf = () => exchange.service.composition.ctx

/** It has ended, nobody is owed anything, and the books hold, but for what rails were made to say of what they hold. */
async function assertOwesNobody(id: string, status: string): Promise<TransactionRecord> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  const problems = await verify(ctxOf())
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('the books say')),
    [],
  )
  return record
}

/** A rail tells of a payment, which it makes up: what it says it holds is another matter. */
const tell = (
  rail: string,
  kind: RailEvent['kind'],
  reference: string,
  payment: string,
  asset: string,
  amount: bigint,
): Promise<void> => tellFacts(exchange, { rail, key: `${kind} ${payment}`, kind, reference, payment, asset, amount })

/** A sale of which 0.002 BTC came and went back. */
async function refundedSale(): Promise<string> {
  const { id } = await readyToPay(exchange, sale)
  await pay(exchange, id, { amount: '0.002' })
  await arrive(exchange, id, 'on_hold')
  await refundTransaction(ctxOf(), BigInt(id), order)
  await arrive(exchange, id, 'refunded')
  return id
}

/** The payouts of a transaction with the keys of their plans, in their order. */
const payoutsOf = (id: string) =>
  lookup<{ rail: string; key: string; amount: string; state: string }>(
    exchange,
    `select payouts.rail, plan_key as key, amount::text, payouts.state from payouts
     join transactions on transactions.id = transaction_id left join plans on plans.id = plan_id
     where public_id = $1 order by payouts.id`,
    [id],
  )

/** The rail's id of the payment that a transaction was paid by. */
async function paymentOf(id: string): Promise<string> {
  const [deposit] = await lookup<{ payment: string }>(
    exchange,
    'select payment from deposits join transactions on transactions.id = transaction_id where public_id = $1',
    [id],
  )
  return deposit?.payment ?? assert.fail('nothing was paid')
}

describe('a refund', () => {
  it('of a part that is less than sending it costs is refused, and nobody loses the rest', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id, { amount: '0.002' })
    await arrive(exchange, id, 'on_hold')
    await assert.rejects(refundTransaction(ctxOf(), BigInt(id), { ...order, amount: 1n }), { code: 'CONFLICT' })
    assert.equal(await owed(exchange, id, 'BTC-BTC'), 200_000n)
    await refundTransaction(ctxOf(), BigInt(id), order)
    await assertOwesNobody(id, 'refunded')
  })

  it('of a part leaves the rest as it was held: for a person', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await pay(exchange, id, { amount: '150' })
    await seen(exchange, id, 'the money', ({ from_amount: amount }) => amount === '150')
    await refundTransaction(ctxOf(), BigInt(id), { ...order, amount: 5_000n })
    const held = await seen(exchange, id, 'the refund', ({ refunds }) => refunds[0]?.status !== 'pending')
    assert.deepEqual([held.status, held.status_details], ['on_hold', 'review'])
    assert.deepEqual(await customerChoices(ctxOf(), BigInt(id)), {})
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 10_000n)
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await assertOwesNobody(id, 'finished')
  })

  it('is told as paid with its proof', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    await refundTransaction(ctxOf(), BigInt(id), order)
    const record = await arrive(exchange, id, 'refunded')
    const path = `/v1/events?transaction_id=${id}&limit=100`
    const lastTold = async () =>
      (await exchange.api<{ data: { payload: TransactionRecord }[] }>(path)).body.data.at(-1)?.payload
    await until(async () => (await lastTold())?.status === 'refunded', 'the last event has its place in the feed')
    assert.ok(record.refunds[0]?.output_hash)
    assert.deepEqual((await lastTold())?.refunds, record.refunds)
  })

  it('that waits for its address is not kept for ever by a person who held it and lets it go', async () => {
    const id = await refundedSale()
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    await holdTransaction(ctxOf(), BigInt(id), order)
    const released = await releaseTransaction(ctxOf(), BigInt(id), order)
    assert.equal(released.statusDetails, 'address_needed')
    await giveRefundAddress(ctxOf(), BigInt(id), elsewhere)
    await assertOwesNobody(id, 'refunded')
  })

  it('that came back goes out again as what came back, not more', async () => {
    const id = await refundedSale()
    const [sent] = await payoutsOf(id)
    assert.ok(sent)
    await tell(sent.rail, 'payout_returned', sent.key, `back ${id}`, 'BTC-BTC', BigInt(sent.amount) - 1_000n)
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    await giveRefundAddress(ctxOf(), BigInt(id), elsewhere)
    await assertOwesNobody(id, 'refunded')
    assert.equal((await payoutsOf(id)).at(-1)?.amount, String(BigInt(sent.amount) - 1_000n))
  })
})

describe('a refund that came back after its payment was taken back', () => {
  it('is not paid once more, and is no loss', async () => {
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await readyToPay(exchange)
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    await refundTransaction(ctxOf(), BigInt(id), order)
    await arrive(exchange, id, 'refunded')
    const [sent] = await payoutsOf(id)
    assert.ok(sent)
    const reference = await referenceOf(exchange, id)
    await tell('sandbox-card', 'deposit_reversed', reference, await paymentOf(id), 'EUR-EUR', 6_000n)
    await settled(exchange)
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - losses, 6_000n)
    await tell(sent.rail, 'payout_returned', sent.key, `back ${id}`, 'EUR-EUR', 6_000n)
    await settled(exchange)
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), losses)
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assert.rejects(releaseTransaction(ctxOf(), BigInt(id), order), { code: 'CONFLICT' })
    assert.equal((await payoutsOf(id)).length, 1)
  })

  it('of coins, nor where they are taken back afterwards: what was kept for sending them is not either', async () => {
    const books = async () => [
      await bookBalance(exchange, 'losses:chargebacks', 'BTC-BTC'),
      await bookBalance(exchange, 'fees:dust', 'BTC-BTC'),
    ]
    const before = await books()
    const id = await refundedSale()
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    await tell(
      'sandbox-btc',
      'deposit_reversed',
      await referenceOf(exchange, id),
      await paymentOf(id),
      'BTC-BTC',
      200_000n,
    )
    await seen(exchange, id, 'the reorganization', ({ from_amount: amount }) => amount === '0')
    await assert.rejects(giveRefundAddress(ctxOf(), BigInt(id), elsewhere), { code: 'CONFLICT' })
    await resumeCrediting(ctxOf(), 'sandbox-btc', order)
    assert.deepEqual(await books(), before)
    await cancelTransaction(ctxOf(), BigInt(id), order)
    await assertOwesNobody(id, 'cancelled')
  })
})

describe('a customer’s own limit', () => {
  it('is not got around by paying more and more into one transaction', async () => {
    const { id } = await buy(exchange, { from_amount: '9000', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, id, { amount: '9000' })
    await seen(exchange, id, 'the second', ({ from_amount: amount }) => amount === '18000')
    await arrive(exchange, id, 'finished')
    await pay(exchange, id, { amount: '9000' })
    await seen(exchange, id, 'the third', ({ from_amount: amount }) => amount === '27000')
    const record = await arrive(exchange, id, 'finished')
    const back = record.refunds.reduce((sum, { amount }) => sum + Number(amount), 0)
    assert.deepEqual([record.status, back], ['finished', 7_000])
  })

  it('counts what other orders of theirs wait for', async () => {
    const email = 'two-orders@example.com'
    const theirs = { customer: { contact_info: { email } }, deposit: { payment_category: 'SEPA' } }
    await readyToPay(exchange, { ...theirs, from_amount: '15000' })
    const { id } = await readyToPay(exchange, { ...theirs, from_amount: '4000' })
    await pay(exchange, id, { amount: '12000' })
    const record = await arrive(exchange, id, 'finished')
    assert.deepEqual([record.expected_from_amount, record.refunds.map(({ amount }) => amount)], ['5000', ['7000']])
  })
})

describe('a payout that came back', () => {
  it('of two is refunded by its own exchange, at its own price', async () => {
    const { id } = await buy(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
    await pay(exchange, id, { amount: '100' })
    await seen(exchange, id, 'the second payment', ({ from_amount: amount }) => amount === '350')
    await arrive(exchange, id, 'finished')
    const [first] = await payoutsOf(id)
    assert.ok(first)
    await tell(first.rail, 'payout_returned', first.key, `first ${id}`, 'BTC-BTC', BigInt(first.amount))
    await seen(exchange, id, 'the bounce', ({ status }) => status === 'on_hold')
    await refundTransaction(ctxOf(), BigInt(id), order)
    const record = await assertOwesNobody(id, 'finished')
    assert.deepEqual(
      record.refunds.map(({ amount }) => amount),
      ['250'],
    )
  })
})

it('coins that are worth less than sending them back keep no finished order from its end', async () => {
  const { id } = await readyToPay(exchange, sale)
  await pay(exchange, id)
  await arrive(exchange, id, 'finished')
  await pay(exchange, id, { amount: '0.00001' })
  const record = await seen(exchange, id, 'the dust', ({ from_amount: amount }) => amount === '0.01001')
  assert.deepEqual([record.status, record.errors.at(-1)?.code], ['finished', 'refund_below_cost'])
  await assertOwesNobody(id, 'finished')
})

it('coins that sending back would eat up are written off by a person, not by their customer, and nothing is owed', async () => {
  const dust = await bookBalance(exchange, 'fees:dust', 'BTC-BTC')
  const { id } = await readyToPay(exchange, sale)
  await pay(exchange, id, { amount: '0.00001' })
  await arrive(exchange, id, 'on_hold')
  assert.deepEqual(await customerChoices(ctxOf(), BigInt(id)), {})
  await assert.rejects(askForRefund(ctxOf(), BigInt(id)), { code: 'CONFLICT' })
  await refundTransaction(ctxOf(), BigInt(id), order)
  const { errors, refunds } = await assertOwesNobody(id, 'refunded')
  assert.deepEqual([errors.at(-1)?.code, refunds], ['refund_below_cost', []])
  assert.equal((await bookBalance(exchange, 'fees:dust', 'BTC-BTC')) - dust, -1_000n)
})
