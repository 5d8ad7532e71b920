import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import type { Exchange } from '../support/exchange.ts'
import type { FakeHyperswitch } from '../support/hyperswitch.ts'
import type { FakePayment } from '../support/hyperswitch-world.ts'
import { arrive, assertBooksHold, lookup, seen } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let cards: CardExchange
let exchange: Exchange
let fake: FakeHyperswitch
before(async () => {
  cards = await startCardExchange()
  ;({ exchange, fake } = cards)
})
after(() => cards.stop())

const order = { reason: 'A test asks for it.', actor: 'cli:test' }

describe('refunds at Hyperswitch', () => {
  /** An order of which something is to be refunded: more than agreed was captured, or something else. */
  async function onHold(received: number): Promise<{ id: string; payment: FakePayment }> {
    const { id, payment } = await cards.atThePage()
    fake.pay(payment.payment_id, { amount_received: received })
    await cards.deliver()
    await arrive(exchange, id, 'on_hold')
    return { id, payment }
  }

  const refundsOf = (payment: FakePayment) =>
    [...fake.refunds.values()].filter((one) => one.payment_id === payment.payment_id)

  async function refunded(payment: FakePayment, amount: number): Promise<string> {
    await until(() => refundsOf(payment).length > 0, 'the refund')
    const [refund, ...others] = refundsOf(payment)
    assert.deepEqual([refund?.amount, others.length], [amount, 0])
    return refund?.refund_id ?? ''
  }

  it('give all of a payment back, once, though the answer and the webhook are lost', async () => {
    const before = await cards.held()
    const { id, payment } = await onHold(4_200)
    fake.fail('POST', /^\/refunds$/, 'silence_after')
    await refundTransaction(exchange.service.composition.ctx, BigInt(id), order)
    await refunded(payment, 4_200)
    fake.settle()
    fake.take()
    await arrive(exchange, id, 'refunded')
    assert.equal(refundsOf(payment).length, 1)
    assert.equal(await cards.held(), before)
    await assertBooksHold(exchange)
  })

  it('give a payment back in parts, and never more than all of it', async () => {
    const before = await cards.held()
    const { id, payment } = await onHold(4_200)
    const { ctx } = exchange.service.composition
    for (const [amount, times] of [
      [1_500n, 1],
      [2_700n, 2],
    ] as const) {
      await refundTransaction(ctx, BigInt(id), { ...order, amount })
      await until(() => refundsOf(payment).length === times, 'a part')
      fake.settle()
      await cards.deliver()
      const arePaid = ({ refunds }: TransactionRecord): boolean => refunds.every((one) => one.status === 'paid')
      await seen(exchange, id, 'the part', arePaid)
    }
    await arrive(exchange, id, 'refunded')
    const ids = new Set(refundsOf(payment).map((one) => one.refund_id))
    assert.deepEqual([refundsOf(payment).map(({ amount }) => amount), ids.size], [[1_500, 2_700], 2])
    assert.equal(await cards.held(), before)
    await assertBooksHold(exchange)
  })

  const refusal = { status: 400, body: '{"error":{"type":"invalid_request","code":"IR_13","message":"no"}}' }
  const hasFailed = ({ errors }: TransactionRecord): boolean => errors.some(({ code }) => code === 'refund_failed')

  for (const what of ['is refused', 'fails'] as const) {
    it(`hold the order when a refund ${what}, until staff order it again`, async () => {
      const { id, payment } = await onHold(4_200)
      if (what === 'is refused') fake.fail('POST', /^\/refunds$/, refusal)
      await refundTransaction(exchange.service.composition.ctx, BigInt(id), order)
      if (what === 'fails') {
        fake.changeRefund(await refunded(payment, 4_200), 'failed')
        await cards.deliver()
      }
      const record = await seen(exchange, id, 'the failure', hasFailed)
      assert.deepEqual([record.status, record.status_details], ['on_hold', 'refund_pending'])
      const count = refundsOf(payment).length
      await releaseTransaction(exchange.service.composition.ctx, BigInt(id), order)
      await until(() => refundsOf(payment).length === count + 1, 'another refund')
      fake.settle()
      await cards.deliver()
      await arrive(exchange, id, 'refunded')
      await assertBooksHold(exchange)
    })
  }

  it('come back when one that succeeded fails later, without any webhook', async () => {
    const before = await cards.held()
    const { id, payment } = await onHold(4_200)
    await refundTransaction(exchange.service.composition.ctx, BigInt(id), order)
    const refund = await refunded(payment, 4_200)
    fake.settle()
    await cards.deliver()
    await arrive(exchange, id, 'refunded')
    fake.changeRefund(refund, 'failed')
    fake.take()
    await until(async () => (await cards.held()) === before + 4_200n, 'the money that came back')
    await assertBooksHold(exchange)
  })
})

describe('disputes at Hyperswitch', () => {
  const stateOf = async (dispute: string): Promise<string> =>
    (await lookup<{ state: string }>(exchange, 'select state from disputes where dispute = $1', [dispute]))[0]?.state ??
    ''
  const becomes = (dispute: string, state: string): Promise<void> =>
    until(async () => (await stateOf(dispute)) === state, `the dispute to be ${state}`)

  it('are booked as a loss when lost, and given back when won', async () => {
    const before = [await cards.losses(), await cards.held()] as const
    for (const [end, loss] of [
      ['lost', 10_000n],
      ['won', 0n],
    ] as const) {
      const was = [await cards.losses(), await cards.held()] as const
      const { payment } = await cards.paid()
      const { dispute_id: dispute } = fake.dispute(payment.payment_id)
      await cards.deliver()
      await becomes(dispute, 'opened')
      assert.deepEqual([await cards.losses(), await cards.held()], [was[0] + 10_000n, was[1]])
      fake.changeDispute(dispute, { dispute_status: `dispute_${end}` })
      await cards.deliver()
      await becomes(dispute, end)
      assert.deepEqual([await cards.losses(), await cards.held()], [was[0] + loss, was[1] + 10_000n - loss])
    }
    assert.equal(await cards.held(), before[1] + 10_000n)
    await assertBooksHold(exchange)
  })

  it('are found without any webhook, and an inquiry takes no money', async () => {
    const { payment } = await cards.paid()
    const was = [await cards.losses(), await cards.held()] as const
    const { dispute_id: dispute } = fake.dispute(payment.payment_id, { dispute_stage: 'pre_dispute' })
    fake.take()
    await becomes(dispute, 'opened')
    assert.deepEqual([await cards.losses(), await cards.held()], was)
    fake.changeDispute(dispute, { dispute_stage: 'dispute' })
    fake.take()
    await until(async () => (await cards.losses()) === was[0] + 10_000n, 'the chargeback')
    fake.changeDispute(dispute, { dispute_status: 'dispute_accepted' })
    fake.take()
    await becomes(dispute, 'lost')
    assert.deepEqual([await cards.losses(), await cards.held()], [was[0] + 10_000n, was[1] - 10_000n])
    await assertBooksHold(exchange)
  })
})
