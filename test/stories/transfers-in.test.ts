import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { callBack, captured, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  checkOut,
  create,
  lookup,
  owed,
  pay,
  railEvent,
  read,
  readyToPay,
  seen,
} from '../support/journey.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=3' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

describe('a bank transfer', () => {
  const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }

  it('is matched by its reference, however the payer wrote it', async () => {
    const { id } = await readyToPay(exchange, transfer)
    const [told] = await lookup<{ reference: string }>(
      exchange,
      'select reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1',
      [id],
    )
    const spaced = String(told?.reference)
      .toLowerCase()
      .replace(/(.{4})/g, '$1 ')
    await pay(exchange, id, { reference: `Invoice, thank you: ${spaced}!` })
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('without a reference of ours lies in suspense', async () => {
    const earlier = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { reference: 'for the coins' })
    await until(async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) - earlier === -25_000n, 'suspense')
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await assertBooksHold(exchange)
  })

  it('has five business days, and is priced when it arrives', async () => {
    const { id, quote_expires_at: valid, created_at: created } = await create(exchange, transfer)
    assert.equal(valid, created, 'a price that is fixed at arrival holds for no time')
    const ready = await checkOut(exchange, id)
    const [begins, ends] = [Date.parse(ready.created_at), Date.parse(ready.expires_at)]
    const hours = Array.from(
      { length: Math.round((ends - begins) / 3_600_000) },
      (_, hour) => begins + hour * 3_600_000,
    )
    const workingHours = hours.filter((hour) => ![0, 6].includes(new Date(hour).getUTCDay()))
    assert.equal(workingHours.length, 5 * 24, `from ${ready.created_at} until ${ready.expires_at}`)
    await advance(exchange, 'P2D')
    market.setPrice('BTC', 1_002n)
    await pay(exchange, id)
    const record = await arrive(exchange, id, 'finished')
    assert.ok(Number(record.to_amount) < Number(ready.expected_to_amount))
    assert.equal(record.to_amount, record.expected_to_amount)
    await assertBooksHold(exchange)
  })

  it('that is recalled before it was exchanged is no longer owed', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '200' })
    await arrive(exchange, id, 'on_hold')
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the recall', ({ from_amount: arrived }) => arrived === '0')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })
})

describe('another way to pay', () => {
  it('is priced at its own fee, and the nearer deadline holds', async () => {
    const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
    const transfer = await checkOut(exchange, id)
    const card = await checkOut(exchange, id, { payment_category: 'VISA_MC' })
    assert.deepEqual([transfer.deposit_type, card.deposit_type], ['SEPA_1', 'VISA_MC_1'])
    assert.ok(Number(card.expected_to_amount) < Number(transfer.expected_to_amount), 'a card costs more')
    assert.ok(card.expires_at < transfer.expires_at)
    await advance(exchange, 'PT31M')
    await arrive(exchange, id, 'expired')
    await assertBooksHold(exchange)
  })

  it('and the first one used after all, dearer or not, is as agreed on a still market', async () => {
    const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'VISA_MC' } })
    await checkOut(exchange, id)
    const reference = await referenceOf(exchange, id)
    const { expected_to_amount: byTransfer } = await checkOut(exchange, id, { payment_category: 'SEPA' })
    await callBack(exchange, captured(reference, { event: `old_way_${id}`, amount: '25000' }))
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.deposit_type, 'VISA_MC_1')
    assert.ok(Number(record.to_amount) < Number(byTransfer))
    await assertBooksHold(exchange)
  })

  it('and the first one used after all: what came is priced by the way it came', async () => {
    const { id } = await create(exchange, { from_amount: '250', deposit: { payment_category: 'VISA_MC' } })
    const card = await checkOut(exchange, id)
    const [byCard] = await lookup<{ reference: string }>(
      exchange,
      'select reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1',
      [id],
    )
    await checkOut(exchange, id, { payment_category: 'SEPA' })
    await checkOut(exchange, id, { payment_category: 'VISA_MC' })
    await pay(exchange, id, { reference: String(byCard?.reference) })
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.deposit_type, 'VISA_MC_1')
    assert.equal(record.to_amount, card.expected_to_amount)
    await assertBooksHold(exchange)
  })
})
