import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { customerChoices } from '../../src/exchange/orders/choose.ts'
import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../src/exchange/operations/staff.ts'
import type { PayoutHalf } from '../../src/rails/rail.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { callBack, captured, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
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
} from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
})
after(() => exchange.stop())

const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.composition.ctx

/** It has ended, nobody is owed anything, and the books hold. */
async function assertEnded(id: string, status: string): Promise<TransactionRecord> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return record
}

/** The rail of a network says of the next plan that it is given, and for good, that it will never carry it out. */
function refuseNext(name: string): void {
  const rail = ctxOf().rails.payout(name)?.payout
  assert.ok(rail)
  const { submit, look } = rail
  let refused: string | undefined
  const changed: Pick<PayoutHalf, 'submit' | 'look'> = {
    submit: async (plan) => {
      refused ??= plan.key
      if (plan.key !== refused) await submit.call(rail, plan)
    },
    look: (plan) => (plan.key === refused ? Promise.resolve({ state: 'never' }) : look.call(rail, plan)),
  }
  Object.assign(rail, changed)
}

const payoutStates = async (id: string): Promise<string[]> =>
  (
    await lookup<{ state: string }>(
      exchange,
      `select state from payouts join transactions on transactions.id = transaction_id where public_id = $1
       order by payouts.id`,
      [id],
    )
  ).map(({ state }) => state)

describe('a payout that the rail will never make', () => {
  it('is owed again, and goes out as another one when a person says so', async () => {
    const { id } = await readyToPay(exchange)
    refuseNext('sandbox-btc')
    await pay(exchange, id)
    const held = await arrive(exchange, id, 'on_hold')
    assert.deepEqual([held.status_details, held.to_amount], ['review', null])
    assert.ok((await owed(exchange, id, 'BTC-BTC')) > 0n)
    await assertBooksHold(exchange)
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await assertEnded(id, 'finished')
    assert.deepEqual(await payoutStates(id), ['failed', 'paid'])
  })
})

describe('a payout that came back', () => {
  it('is refunded where a person says so: the exchange is undone at its own price', async () => {
    const position = await bookBalance(exchange, 'position', 'BTC-BTC')
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    assert.deepEqual(Object.keys(await customerChoices(ctxOf(), BigInt(id))), ['payout_address'])
    await refundTransaction(ctxOf(), BigInt(id), order)
    const record = await assertEnded(id, 'refunded')
    assert.deepEqual([record.refunds[0]?.amount, record.to_amount], ['100', null])
    assert.equal(await bookBalance(exchange, 'position', 'BTC-BTC'), position)
  })

  it('after its payment was charged back ends without a loss to anybody', async () => {
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the chargeback', ({ errors }) => errors.length > 0)
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - losses, 10_000n)
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'review')
    await assert.rejects(releaseTransaction(ctxOf(), BigInt(id), order), { code: 'CONFLICT' }, 'it is not paid twice')
    await refundTransaction(ctxOf(), BigInt(id), order)
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), losses)
    await cancelTransaction(ctxOf(), BigInt(id), order)
    await assertEnded(id, 'cancelled')
  })

  it('and whose payment is charged back afterwards is no loss either', async () => {
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'bounce')
    await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the chargeback', ({ from_amount: amount }) => amount === '0')
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), losses)
    assert.equal(await owed(exchange, id, 'BTC-BTC'), 0n)
    await assertBooksHold(exchange)
  })
})

describe('a person', () => {
  it('holds what waits for its money, which is booked and stays, and lets it go on', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await assert.rejects(holdTransaction(ctxOf(), BigInt(id), order), { code: 'CONFLICT' })
    await pay(exchange, id)
    const held = await seen(exchange, id, 'the money', ({ from_amount: amount }) => amount === '100')
    assert.deepEqual([held.status, held.status_details], ['on_hold', 'review'])
    await assertBooksHold(exchange)
    await releaseTransaction(ctxOf(), BigInt(id), order)
    await assertEnded(id, 'finished')
    const [audited] = await lookup<{ after: { reason: string } }>(
      exchange,
      `select after from audit where subject = $1 and action = 'transaction.released'`,
      [`transaction:${id}`],
    )
    assert.equal(audited?.after.reason, order.reason)
  })

  it('lets one go on in which no money is: it waits for it again', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await releaseTransaction(ctxOf(), BigInt(id), order)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await pay(exchange, id)
    await assertEnded(id, 'finished')
  })

  it('gives back a part, and the rest when it is asked for', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: amount }) => amount === '100')
    await refundTransaction(ctxOf(), BigInt(id), { ...order, amount: 3_000n })
    await seen(exchange, id, 'the refund', ({ refunds }) => refunds[0]?.status === 'paid')
    await assertBooksHold(exchange)
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 7_000n)
    await assert.rejects(refundTransaction(ctxOf(), BigInt(id), { ...order, amount: 7_001n }), { code: 'CONFLICT' })
    await refundTransaction(ctxOf(), BigInt(id), order)
    const record = await assertEnded(id, 'refunded')
    assert.deepEqual(
      record.refunds.map(({ amount, status }) => [amount, status]),
      [
        ['30', 'paid'],
        ['70', 'paid'],
      ],
    )
  })

  it('cancels what no money is in, and nothing else', async () => {
    const { id } = await readyToPay(exchange)
    await assert.rejects(cancelTransaction(ctxOf(), BigInt(id), { ...order, reason: ' ' }), { code: 'BAD_REQUEST' })
    await cancelTransaction(ctxOf(), BigInt(id), order)
    await assertEnded(id, 'cancelled')
    const paid = await buy(exchange)
    await assert.rejects(cancelTransaction(ctxOf(), BigInt(paid.id), order), { code: 'CONFLICT' })
  })
})

it('two payments of one batch, one too much and one taken back, end alike', async () => {
  const { id } = await readyToPay(exchange)
  const reference = await referenceOf(exchange, id)
  await callBack(exchange, captured(reference, { event: `one_${id}`, payment: `one ${id}` }))
  await callBack(exchange, captured(reference, { event: `two_${id}`, payment: `two ${id}` }))
  const undone = captured(reference, { event: `back_${id}`, payment: `two ${id}`, status: 'CHARGED_BACK' })
  await callBack(exchange, undone)
  await settled(exchange)
  await until(async () => ['finished', 'on_hold'].includes((await read(exchange, id)).status), 'an end')
  await assertBooksHold(exchange)
})

it('a bounced payout goes where its customer says then, and a person is not needed', async () => {
  const { id } = await buy(exchange)
  await railEvent(exchange, id, 'bounce')
  await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
  await checkOut(exchange, id, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
  await assertEnded(id, 'finished')
})
