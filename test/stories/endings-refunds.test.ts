import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { haltedRails, resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import { customerChoices, giveRefundAddress } from '../../src/exchange/orders/choose.ts'
import { holdTransaction, refundTransaction } from '../../src/exchange/operations/staff.ts'
import { matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  lookup,
  owed,
  pay,
  railEvent,
  read,
  readyToPay,
  seen,
} from '../support/journey.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
})
after(() => exchange.stop())

const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.composition.ctx

/** It has ended, nobody is owed anything, and the books hold. */
async function assertEnded(id: string, status: string): Promise<TransactionRecord> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return record
}

describe('money of nobody’s', () => {
  async function inSuspense(): Promise<{ id: string; deposit: bigint }> {
    const { id } = await readyToPay(exchange, transfer)
    const reference = `rent ${id.slice(0, 8)}`
    return { id, deposit: await strayDeposit(exchange, () => pay(exchange, id, { reference })) }
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
    const { ctx } = exchange.service.composition
    const rail = ctx.rails.deposit('sandbox-card')?.deposit
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
      (await haltedRails(ctxOf().db)).map(({ name }) => name),
      ['sandbox-btc'],
    )
    const next = await readyToPay(exchange, sale)
    await pay(exchange, next.id)
    const putOff = `select 1 from jobs join rail_events on key = rail_events.id::text
      where jobs.kind = 'fact.received' and timebase = 'real' and rail_events.kind = 'deposit_final' and reference = $1`
    const reference = await referenceOf(exchange, next.id)
    await until(async () => (await lookup(exchange, putOff, [reference])).length > 0, 'the fact to be put off')
    assert.equal((await read(exchange, next.id)).status, 'waiting_for_deposit')
    assert.equal(await owed(exchange, next.id, 'BTC-BTC'), 0n)
    await resumeCrediting(ctxOf(), 'sandbox-btc', order)
    await assert.rejects(resumeCrediting(ctxOf(), 'sandbox-btc', order), { code: 'CONFLICT' })
    await arrive(exchange, next.id, 'finished')
    await assertBooksHold(exchange)
  })
})

it('a refund goes out once, every job of it done once more', async () => {
  const { id } = await readyToPay(exchange)
  await pay(exchange, id, { amount: '60' })
  await arrive(exchange, id, 'on_hold')
  await refundTransaction(ctxOf(), BigInt(id), order)
  await assertEnded(id, 'refunded')
  const before = await everything()
  await lookup(
    exchange,
    `insert into jobs (kind, key, timebase, run_at)
     select 'refund.due', id::text, 'business', now() from refunds
     union all select 'fact.received', id::text, 'business', now() from rail_events
     union all select 'payout.due', id::text, 'business', now() from payouts
     union all select 'plan.due', id::text, 'real', now() from plans`,
  )
  ctxOf().queue.wake()
  await until(
    async () =>
      (await lookup(exchange, `select 1 from jobs where kind not in ('transaction.deadline', 'question.reminder')`))
        .length === 0,
  )
  assert.deepEqual(await everything(), before)
  await assertBooksHold(exchange)
})

const tables = [
  'transactions',
  'status_history',
  'entries',
  'postings',
  'deposits',
  'refunds',
  'payouts',
  'plans',
  'events',
  'reserves',
]

/** Every row that money leaves behind, as text. */
const everything = () =>
  lookup(
    exchange,
    `${tables.map((name) => `select '${name}' || ${name}::text as row from ${name}`).join(' union all ')} order by 1`,
  )
