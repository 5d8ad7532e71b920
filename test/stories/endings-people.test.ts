import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { haltedRails, resumeRail } from '../../src/deposits/halted.ts'
import { customerChoices, giveRefundAddress } from '../../src/transactions/choose.ts'
import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../src/transactions/staff.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/transactions/suspense.ts'
import type { PayoutRail } from '../../src/rails/rail.ts'
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

const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.house.ctx

/** It has ended, nobody is owed anything, and the books hold. */
async function assertEnded(id: string, status: string): Promise<Awaited<ReturnType<typeof read>>> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return record
}

/** The rail of a network says of the next plan that it is given, and for good, that it will never carry it out. */
function refuseNext(name: string): void {
  const rail = ctxOf().rails.payout.get(name)
  assert.ok(rail)
  const { submit, look } = rail
  let refused: string | undefined
  const changed: Pick<PayoutRail, 'submit' | 'look'> = {
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

describe('money of nobody’s', () => {
  async function inSuspense(): Promise<{ id: string; deposit: bigint }> {
    const known = new Set((await listSuspense(ctxOf())).map(({ id }) => id))
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { reference: `rent ${id}` })
    let deposit: bigint | undefined
    await until(async () => {
      deposit = (await listSuspense(ctxOf())).find((one) => !known.has(one.id))?.id
      return deposit !== undefined
    }, 'suspense')
    return { id, deposit: deposit ?? 0n }
  }

  it('is matched to its transaction, once, and exchanged', async () => {
    const earlier = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id, deposit } = await inSuspense()
    await matchSuspense(ctxOf(), deposit, BigInt(id), order)
    await assert.rejects(matchSuspense(ctxOf(), deposit, BigInt(id), order), { code: 'CONFLICT' })
    await assert.rejects(returnSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    await assertEnded(id, 'finished')
    assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), earlier)
  })

  it('goes back to whoever sent it, once', async () => {
    const earlier = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id, deposit } = await inSuspense()
    await returnSuspense(ctxOf(), deposit, order)
    await assert.rejects(returnSuspense(ctxOf(), deposit, order), { code: 'CONFLICT' })
    await assert.rejects(matchSuspense(ctxOf(), deposit, BigInt(id), order), { code: 'CONFLICT' })
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) === earlier, 'the return')
    await until(
      async () => (await lookup(exchange, `select 1 from refunds where state = 'sent'`)).length === 0,
      'evidence',
    )
    await assertBooksHold(exchange)
    const returned = await lookup(exchange, 'select state from audit_payouts where transaction_id is null')
    assert.deepEqual(returned, [{ state: 'done' }])
  })
})

describe('a refund', () => {
  it('of coins that came back asks its customer for another address', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id, { amount: '0.002' })
    await arrive(exchange, id, 'on_hold')
    await refundTransaction(ctxOf(), BigInt(id), order)
    await arrive(exchange, id, 'refunded')
    await railEvent(exchange, id, 'bounce')
    const held = await seen(exchange, id, 'the bounce', ({ status }) => status === 'on_hold')
    assert.equal(held.status_details, 'address_needed')
    const { refund_address: asked } = await customerChoices(ctxOf(), BigInt(id))
    assert.equal(asked?.asset, 'BTC-BTC')
    const wrong = giveRefundAddress(ctxOf(), BigInt(id), { address: 'bc1qwrong', extraId: '' })
    await assert.rejects(wrong, { code: 'BAD_REQUEST' })
    const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    await giveRefundAddress(ctxOf(), BigInt(id), { address, extraId: '' })
    await assertEnded(id, 'refunded')
    const sent = await lookup<{ amount: string }>(
      exchange,
      'select amount::text from sandbox.transfers where recipient = $1',
      [address],
    )
    assert.equal(sent[0]?.amount, String(asked?.amount))
  })

  it('is undone where its payment is charged back before it left', async () => {
    const { id } = await readyToPay(exchange)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: amount }) => amount === '100')
    const { ctx } = exchange.service.house
    const rail = ctx.rails.deposit.get('sandbox-card')
    assert.ok(rail)
    const { origin } = rail
    Object.assign(rail, { origin: () => Promise.reject(new Error('The rail does not answer.')) })
    await refundTransaction(ctxOf(), BigInt(id), order)
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the chargeback', ({ from_amount: amount }) => amount === '0')
    Object.assign(rail, { origin })
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    assert.equal((await read(exchange, id)).refunds[0]?.status, 'failed')
    await assertBooksHold(exchange)
  })
})

describe('a chain that takes back what was final', () => {
  it('is credited no more until an operator says so', async () => {
    const { id } = await readyToPay(exchange, sale)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await railEvent(exchange, id, 'reorg')
    await seen(exchange, id, 'the loss', ({ errors }) => errors.length > 0)
    assert.deepEqual(
      (await haltedRails(ctxOf().db)).map(({ rail }) => rail),
      ['sandbox-btc'],
    )
    const next = await readyToPay(exchange, sale)
    await pay(exchange, next.id)
    const seenOnly = `select 1 from facts where kind = 'deposit.final' and reference = $1`
    const reference = await referenceOf(exchange, next.id)
    await until(async () => (await lookup(exchange, seenOnly, [reference])).length > 0, 'the fact')
    await resumeRail(ctxOf(), 'sandbox-btc', order)
    await assert.rejects(resumeRail(ctxOf(), 'sandbox-btc', order), { code: 'CONFLICT' })
    await arrive(exchange, next.id, 'finished')
    await assertBooksHold(exchange)
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
  await ctxOf().db.sql`select 1`
  await checkOut(exchange, id, { payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
  await assertEnded(id, 'finished')
})
