import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import type { Exchange } from '../support/exchange.ts'
import type { FakeHyperswitch } from '../support/hyperswitch.ts'
import { advance, arrive, assertBooksHold, lookup, read, readyToPay, seen, settled } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let cards: CardExchange
let exchange: Exchange
let fake: FakeHyperswitch
before(async () => {
  cards = await startCardExchange()
  ;({ exchange, fake } = cards)
})
after(() => cards.stop())

const bodyOf = async (key: string): Promise<Record<string, string>> =>
  (
    await lookup<{ body: Record<string, string> }>(exchange, 'select body from rail_events where event_key = $1', [key])
  )[0]?.body ?? {}

describe('cards at Hyperswitch', () => {
  it('are paid at its page with 3-D Secure, once, while other methods stay with the sandbox', async () => {
    const { id, payAt, payment } = await cards.atThePage()
    assert.deepEqual([payment.amount, payment.currency, payment.profile_id], [10_000, 'EUR', 'pro_of_a_test'])
    assert.equal(payment.payment_id.length, 30)
    assert.equal((await cards.forms.get(payAt)).status, 200)
    const challenge = await cards.forms.post(payAt, { card: '4000000000003220' })
    const back = await cards.forms.post(challenge.headers.get('location') ?? '', { challenge: 'pass' })
    assert.match(back.headers.get('location') ?? '', /returned=1$/)
    assert.deepEqual(await cards.deliver(), [200, 200])
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.from_amount, '100')
    const { three_d_secure: outcome, liability_shifted: shifted } = await bodyOf(`${payment.payment_id}:captured`)
    assert.deepEqual([outcome, shifted], ['authenticated', 'true'])

    const { id: byBank } = await readyToPay(exchange, { deposit: { payment_category: 'SEPA' } })
    assert.equal((await read(exchange, byBank)).status, 'waiting_for_deposit')
    await assertBooksHold(exchange)
  })

  it('waits for a processor that answers nothing for an hour, past the time to pay', async () => {
    const { id, payAt, payment } = await cards.atThePage()
    await cards.forms.post(payAt, { card: '4242424242424242' })
    for (const method of ['GET', 'POST']) fake.fail(method, /^/, '500', Infinity)
    assert.deepEqual(await cards.deliver(), [200])
    await advance(exchange, 'PT1H')
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    fake.heal()
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
    assert.equal(payment.status, 'succeeded')
    await assertBooksHold(exchange)
  })

  it('are declined, and paid with the next press', async () => {
    const { id, payAt, payment, press } = await cards.atThePage()
    await cards.forms.post(payAt, { card: '4000000000000002' })
    await cards.deliver()
    await seen(exchange, id, 'the decline', ({ errors }) => errors.some(({ code }) => code === 'card_declined'))
    const again = await press()
    assert.notEqual(again.payAt, payAt)
    const second = cards.paymentAt(again.payAt)
    assert.equal(second.merchant_order_reference_id, payment.merchant_order_reference_id)
    await cards.forms.post(again.payAt, { card: '4242424242424242' })
    await cards.deliver()
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
    await assertBooksHold(exchange)
  })

  it('opens one payment, however often the button is pressed, also when answers are lost', async () => {
    const { press } = await cards.ready()
    fake.fail('POST', /^\/payments$/, 'silence_after')
    assert.ok((await press()).status < 600)
    const pressed = await Promise.all([press(), press(), press()])
    assert.equal(new Set(pressed.map(({ payAt }) => payAt)).size, 1)
    const { merchant_order_reference_id: reference } = cards.paymentAt(pressed[0]?.payAt ?? '')
    const made = [...fake.payments.values()].filter((one) => one.merchant_order_reference_id === reference)
    assert.equal(made.length, 1)
  })

  it('finds a payment whose webhook is lost, and takes duplicate, late and forged ones for nothing', async () => {
    const before = await cards.held()
    const { id, payAt, payment } = await cards.atThePage()
    await cards.forms.post(payAt, { card: '4242424242424242' })
    const lost = fake.take()
    await arrive(exchange, id, 'finished')

    const [call] = lost
    assert.ok(call)
    const early = fake.sign(call.body.replaceAll('succeeded', 'failed'))
    const forged = { body: call.body.replace('10000', '99999'), headers: call.headers }
    assert.deepEqual(await cards.deliver([...lost, ...lost, early, forged]), [200, 200, 200, 401])
    await settled(exchange)
    assert.deepEqual(await lookup(exchange, 'select kind from rail_events where payment = $1', [payment.payment_id]), [
      { kind: 'deposit_final' },
    ])
    assert.equal(await cards.held(), before + 10_000n)
    await assertBooksHold(exchange)
  })

  it('answers webhooks while Hyperswitch itself cannot be asked, and loses nothing', async () => {
    const { id, payAt, payment } = await cards.atThePage()
    await cards.forms.post(payAt, { card: '4242424242424242' })
    fake.fail('GET', new RegExp(payment.payment_id), '500', 4)
    assert.deepEqual(await cards.deliver(), [200])
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
  })

  it('takes a webhook that comes before the answer to our own request', async () => {
    const { id, press } = await cards.ready()
    const before = new Set(fake.payments.keys())
    let answer = (): void => undefined
    fake.fail('POST', /^\/payments$/, { answersAfter: new Promise((resolve) => (answer = resolve)) })
    const pressed = press()
    const made = () => [...fake.payments.keys()].find((one) => !before.has(one))
    await until(() => made() !== undefined, 'the payment')
    fake.pay(made() ?? '')
    assert.deepEqual(await cards.deliver(), [200])
    await arrive(exchange, id, 'finished')
    answer()
    assert.equal((await pressed).status, 303)
    await assertBooksHold(exchange)
  })

  it('holds an order for which another amount was captured, and credits what came', async () => {
    const { id, payment } = await cards.atThePage()
    fake.pay(payment.payment_id, { amount_received: 4_200 })
    await cards.deliver()
    const record = await arrive(exchange, id, 'on_hold')
    assert.equal(record.from_amount, '42')
    await assertBooksHold(exchange)
  })

  it('moves nothing on a status, a currency or an answer that it does not know', async () => {
    const before = await cards.held()
    const { id, payment } = await cards.atThePage()
    const { payment_id: paymentId } = payment
    fake.pay(paymentId, { status: 'frobnicated' })
    await cards.deliver()
    fake.change(paymentId, { status: 'succeeded', currency: 'XTS' })
    await cards.deliver()
    fake.fail('GET', new RegExp(paymentId), { status: 404, body: '<h1>Not here</h1>', type: 'text/html' }, 2)
    fake.fail('GET', new RegExp(paymentId), { status: 200, body: '{"payment_id":"another","status":"succeeded"}' }, 2)
    fake.change(paymentId, { status: 'processing', currency: 'EUR' })
    await cards.deliver()
    await settled(exchange)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    assert.equal(await cards.held(), before)
    fake.change(paymentId, { status: 'succeeded', amount_received: 10_000 })
    await arrive(exchange, id, 'finished')
    assert.equal(await cards.held(), before + 10_000n)
  })
})
