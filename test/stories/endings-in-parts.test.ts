import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { RailEvent } from '../../src/rails/rail.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { callsOf, made, wallet, walletOf } from '../support/b2b.ts'
import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  bookBalance,
  buy,
  eventsOf,
  lookup,
  owed,
  pay,
  railEvent,
  readyToPay,
  seen,
  settled,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle } from '../support/told-facts.ts'

type Payload = { id: string; status?: string; errors?: { code: string }[] }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', CONFIRMATIONS: 'BTC=1' })
})
after(() => exchange.stop())

const ctxOf = () => exchange.service.composition.ctx
const losses = () => bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
/** The books hold, but for what rails were made to say of what they hold. */
async function assertBooksHold(): Promise<void> {
  const problems = (await verify(ctxOf())).filter((problem) => !problem.includes('the books say'))
  assert.deepEqual(problems, [])
}

type Said = Pick<RailEvent, 'key' | 'kind' | 'reference' | 'payment' | 'amount'>

/** The card processor tells something, in one delivery, which is dealt with. */
const tell = (...said: Said[]) => tellAndSettle(exchange, ...said)

/** How the processor speaks of the payment of an order: `amount` of it is taken back, under an event id of its own. */
async function takenBackOf(id: string): Promise<(key: string, amount: bigint) => Said> {
  const [row] = await lookup<{ payment: string }>(
    exchange,
    'select payment from deposits join transactions on transactions.id = transaction_id where public_id = $1',
    [id],
  )
  const [reference, payment] = [await referenceOf(exchange, id), row?.payment ?? assert.fail('nothing was paid')]
  return (key, amount) => ({ key: `${key} ${id}`, kind: 'deposit_reversed', reference, payment, amount })
}

const takenBack = async (id: string): Promise<string | undefined> => {
  const sql = `select taken_back::text as sum from deposits join transactions on transactions.id = transaction_id where public_id = $1`
  return (await lookup<{ sum: string }>(exchange, sql, [id]))[0]?.sum
}

describe('a payment that is taken back in parts', () => {
  it('is taken back part by part, each once, never more than it was, and marks its customer once', async () => {
    const before = await losses()
    const { id } = await buy(exchange)
    const said = await takenBackOf(id)
    await tell(said('a', 3_000n))
    await tell(said('b', 5_000n))
    await tell(said('b', 5_000n))
    await tell(said('c', 2_001n))
    assert.equal((await losses()) - before, 8_000n)
    await tell(said('d', 2_000n))
    assert.equal((await losses()) - before, 10_000n)
    const [customer] = await lookup<{ chargebacks: number }>(
      exchange,
      'select chargebacks from customers join transactions on customers.id = customer_id where public_id = $1',
      [id],
    )
    assert.equal(customer?.chargebacks, 1)
    await assertBooksHold()
  })

  it('is taken back no more where every job of it is done once more', async () => {
    const before = await losses()
    const { id } = await buy(exchange)
    const said = await takenBackOf(id)
    await tell(said('a', 1_000n))
    await tell(said('b', 2_000n))
    await lookup(
      exchange,
      `insert into jobs (kind, key, timebase, run_at) select 'fact.received', id::text, 'business', now() from rail_events`,
    )
    ctxOf().queue.wake()
    await settled(exchange)
    assert.equal((await losses()) - before, 3_000n)
    await assertBooksHold()
  })

  it('is exchanged as what is left of it where a part was taken back before it was told that it came', async () => {
    for (const together of [true, false]) {
      const { id } = await readyToPay(exchange)
      const reference = await referenceOf(exchange, id)
      const payment = `early ${id}`
      const back: Said = { key: `back ${id}`, kind: 'deposit_reversed', reference, payment, amount: 3_000n }
      const came: Said = { key: `came ${id}`, kind: 'deposit_final', reference, payment, amount: 10_000n }
      if (together) await tell(back, came)
      else {
        await tell(back)
        await tell(came)
      }
      assert.equal(await takenBack(id), '3000')
      await seen(exchange, id, 'what is left', ({ status }) => status !== 'waiting_for_deposit')
      await assertBooksHold()
    }
  })
})

describe('a chargeback of an order that has ended', () => {
  it('is told to its partner', async () => {
    const { id } = await buy(exchange)
    const before = await eventsOf<Payload>(exchange, id)
    await railEvent(exchange, id, 'chargeback')
    const record = await seen(exchange, id, 'the chargeback', ({ errors }) => errors.length > 0)
    assert.equal(record.status, 'finished')
    const after = await eventsOf<Payload>(exchange, id)
    assert.deepEqual(
      after.slice(before.length).map(({ type, payload }) => [type, payload.errors?.at(-1)?.code]),
      [['transaction.amounts_changed', 'payment_reversed']],
    )
  })

  it('is told to an institution, in the one word that there is for it', async () => {
    const { addWallet, order, read: readOrder } = callsOf(exchange)
    await made(addWallet(wallet('recalled')))
    const { id } = await made(order({ payout_account_address: walletOf('bitcoin', 'recalled') }))
    await pay(exchange, id)
    await until(async () => (await readOrder(id)).status === 'finished', 'the end')
    const before = await eventsOf<Payload>(exchange, id)
    await railEvent(exchange, id, 'chargeback')
    await until(async () => (await readOrder(id)).errors.length > 0, 'the recall')
    const told = (await eventsOf<Payload>(exchange, id)).slice(before.length)
    assert.deepEqual(
      told.map(({ type, payload }) => [type, payload.status, payload.errors?.at(-1)?.code]),
      [['b2b.transaction.status_changed', 'finished', 'payment_reversed']],
    )
    await assertBooksHold()
  })

  it('is booked although the person was erased, and told as that something happened', async () => {
    const before = await losses()
    const { id } = await buy(exchange)
    const said = await takenBackOf(id)
    const events = await eventsOf<Payload>(exchange, id)
    await lookup(
      exchange,
      'update data_keys set wrapped = null, erased_at = now() where id = (select data_key_id from transactions where public_id = $1)',
      [id],
    )
    await tell(said('a', 4_000n))
    await tell(said('b', 6_000n))
    assert.equal((await losses()) - before, 10_000n)
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    const told = (await eventsOf<Payload>(exchange, id)).slice(events.length)
    assert.deepEqual(
      told.map(({ type, payload }) => [type, payload]),
      Array.from({ length: 2 }, () => ['transaction.amounts_changed', { id }]),
    )
    assert.equal((await exchange.api(`/v1/transaction/${id}`)).status, 409)
    await assertBooksHold()
  })
})
