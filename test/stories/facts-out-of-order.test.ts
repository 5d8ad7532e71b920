import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { chargeback } from '../../src/sandbox/rails.ts'
import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import {
  advance,
  arrive,
  bookBalance,
  buy,
  lookup,
  owed,
  pay,
  railEvent,
  read,
  readyToPay,
  settled,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle, tellFacts, type ToldFact } from '../support/told-facts.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

const told = (...facts: ToldFact[]) => tellAndSettle(exchange, ...facts)

const payoutsOf = (id: string) =>
  lookup<{ state: string; number: number; amount: string }>(
    exchange,
    `select state, number, amount::text from payouts join transactions on transactions.id = transaction_id
     where public_id = $1 order by number`,
    [id],
  )

describe('what is told out of order, or more than once', () => {
  it('is not credited when it was taken back before we heard that it was there', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    const payment = 'pay_h1'
    await told({ key: 'h1_2', kind: 'deposit_reversed', reference, payment })
    await told({ key: 'h1_1', kind: 'deposit_final', reference, payment })
    assert.deepEqual(await payoutsOf(id), [])
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
  })

  it('is one deposit when one payment is told as final under two event ids', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'h2_1', kind: 'deposit_final', reference, payment: 'pay_h2' })
    await arrive(exchange, id, 'finished')
    await told({ key: 'h2_1b', kind: 'deposit_final', reference, payment: 'pay_h2' })
    const { from_amount: arrived, status } = await read(exchange, id)
    assert.deepEqual([arrived, status], ['100', 'finished'])
  })

  it('is no longer owed when the second payment, never exchanged, is taken back', async () => {
    const lost = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'h3_1', kind: 'deposit_final', reference, payment: 'pay_h3a' })
    await arrive(exchange, id, 'finished')
    // Less than can be exchanged: it waits for its customer.
    await told({ key: 'h3_2', kind: 'deposit_final', reference, payment: 'pay_h3b', amount: 300n })
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 300n)
    await told({ key: 'h3_3', kind: 'deposit_reversed', reference, payment: 'pay_h3b', amount: 300n })
    assert.deepEqual(
      [await owed(exchange, id, 'EUR-EUR'), (await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - lost],
      [0n, 0n],
    )
  })

  it('takes back no more than was taken back', async () => {
    const lost = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'h4_1', kind: 'deposit_final', reference, payment: 'pay_h4' })
    await arrive(exchange, id, 'finished')
    await told({ key: 'h4_2', kind: 'deposit_reversed', reference, payment: 'pay_h4', amount: 100n })
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 100n)
  })

  it('books a payout that came back once, told under two event ids', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    const [plan] = await lookup<{ plan_key: string; rail: string; amount: string }>(
      exchange,
      `select plan_key, plans.rail, amount::text from plans join payouts on payouts.plan_id = plans.id
       join transactions on transactions.id = transaction_id where public_id = $1`,
      [id],
    )
    assert.ok(plan)
    const held = await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC')
    const back = { kind: 'payout_returned', reference: plan.plan_key, payment: 'back_h5', rail: plan.rail } as const
    const amount = BigInt(plan.amount)
    await told({ ...back, key: 'h5_1', asset: 'BTC-BTC', amount })
    await told({ ...back, key: 'h5_2', asset: 'BTC-BTC', amount })
    assert.equal((await bookBalance(exchange, 'held:wallet-btc', 'BTC-BTC')) - held, amount)
  })
})

describe('what is taken back', () => {
  it('is taken back once, told under two event ids', async () => {
    const lost = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'g1_1', kind: 'deposit_final', reference, payment: 'pay_g1' })
    await arrive(exchange, id, 'finished')
    await told({ key: 'g1_2', kind: 'deposit_reversed', reference, payment: 'pay_g1' })
    await told({ key: 'g1_3', kind: 'deposit_reversed', reference, payment: 'pay_g1' })
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 10_000n)
  })

  it('is nothing of another transaction’s, and nothing on another rail', async () => {
    const lost = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const [one, other] = [await readyToPay(exchange), await readyToPay(exchange)]
    const [mine, theirs] = [await referenceOf(exchange, one.id), await referenceOf(exchange, other.id)]
    await told({ key: 'g2_1', kind: 'deposit_final', reference: mine, payment: 'pay_g2' })
    await arrive(exchange, one.id, 'finished')
    await told({ key: 'g2_2', kind: 'deposit_reversed', reference: theirs, payment: 'pay_g2' })
    await told({ key: 'g2_3', kind: 'deposit_reversed', reference: mine, payment: 'pay_g2', rail: 'sandbox-bank' })
    await told({ key: 'g2_4', kind: 'deposit_reversed', reference: '', payment: 'pay_g2' })
    assert.equal((await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) - lost, 0n)
    assert.equal((await read(exchange, other.id)).status, 'waiting_for_deposit')
  })

  it('before it was seen is not waited for', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'g3_2', kind: 'deposit_reversed', reference, payment: 'pay_g3' })
    await told({ key: 'g3_1', kind: 'deposit_seen', reference, payment: 'pay_g3' })
    const { status, status_details: details } = await read(exchange, id)
    assert.deepEqual([status, details], ['waiting_for_deposit', null])
  })
})

describe('what is no money', () => {
  it('a transfer of nothing, or of what we do not know, keeps no transaction open and no job failing', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    const fact = { kind: 'deposit_final', reference } as const
    const nothing = { ...fact, key: 'h9_1', payment: 'pay_h9a', amount: 0n }
    const unknown = { ...fact, key: 'h9_2', payment: 'pay_h9b', asset: 'SPAM-TRX', amount: 5n }
    await tellFacts(exchange, nothing, unknown)
    const failing = async () =>
      (await lookup(exchange, `select 1 from jobs where kind = 'fact.received' and attempts > 0`)).length
    await until(
      async () =>
        (await failing()) > 0 ||
        (await lookup(exchange, `select 1 from jobs where kind = 'fact.received'`)).length === 0,
      'both to be dealt with',
    )
    const failed = await failing()
    await lookup(exchange, `delete from jobs where kind = 'fact.received'`)
    await advance(exchange, 'PT31M')
    assert.deepEqual([failed, (await read(exchange, id)).status], [0, 'expired'])
  })
})

describe('two payments', () => {
  it('that are together what was agreed are not too much', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'h6_1', kind: 'deposit_final', reference, payment: 'pay_h6a', amount: 6_000n })
    await told({ key: 'h6_2', kind: 'deposit_final', reference, payment: 'pay_h6b', amount: 3_000n })
    const { from_amount: arrived, status_details: details } = await read(exchange, id)
    assert.equal(arrived, '90')
    assert.notEqual(details, 'overpaid')
  })
})

describe('money that left', () => {
  it('is not paid again, on the customer’s word alone, when the deposit was charged back before the payout came back', async () => {
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'chargeback')
    await until(async () => (await read(exchange, id)).errors.length > 0, 'the chargeback')
    await railEvent(exchange, id, 'bounce')
    await arrive(exchange, id, 'on_hold')
    const payout_address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: { payout_address } })
    assert.equal((await payoutsOf(id)).length, 1)
  })

  it('and came back before the rail had answered us is owed again', async () => {
    const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
    const suspense = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id } = await readyToPay(exchange, sale)
    await railEvent(exchange, id, 'timeout')
    await pay(exchange, id)
    await until(
      async () =>
        (
          await lookup(
            exchange,
            `select 1 from plans join payouts on payouts.plan_id = plans.id join transactions on transactions.id = transaction_id
         where public_id = $1 and plans.state = 'unknown'`,
            [id],
          )
        ).length > 0,
      'the silence',
    )
    await railEvent(exchange, id, 'bounce')
    await until(
      async () =>
        (await lookup(exchange, `select 1 from rail_events where kind = 'payout_returned' and rail = 'sandbox-bank'`))
          .length > 0,
      'the return',
    )
    await settled(exchange)
    await until(async () => ['finished', 'on_hold'].includes((await read(exchange, id)).status), 'an end')
    const { status, status_details: details } = await read(exchange, id)
    assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), suspense)
    assert.deepEqual([status, details], ['on_hold', 'address_needed'])
  })
})

describe('money of nobody’s', () => {
  it('is in suspense no longer when it is taken back', async () => {
    const suspense = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id } = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
    const reference = makeReference(Buffer.alloc(16, 7))
    await pay(exchange, id, { reference })
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) !== suspense, 'suspense')
    await chargeback(exchange.world, { rail: 'sandbox-bank', reference })
    await until(
      async () =>
        (
          await lookup(exchange, `select 1 from rail_events where reference = $1 and kind = 'deposit_reversed'`, [
            reference,
          ])
        ).length > 0,
      'the recall',
    )
    await settled(exchange)
    assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), suspense)
  })

  it('of a person who was erased is booked all the same', async () => {
    const held = await bookBalance(exchange, 'held:card-processor', 'EUR-EUR')
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await lookup(
      exchange,
      'update data_keys set wrapped = null, erased_at = now() where id = (select data_key_id from transactions where public_id = $1)',
      [id],
    )
    await tellFacts(exchange, { key: 'h8_1', kind: 'deposit_final', reference, payment: 'pay_h8' })
    await until(
      async () => (await bookBalance(exchange, 'held:card-processor', 'EUR-EUR')) - held === 10_000n,
      'the deposit to be booked',
    )
  })
})
