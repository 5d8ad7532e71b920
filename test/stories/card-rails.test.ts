import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { metricsOf } from '../../src/app/metrics.ts'
import { buildAdmin } from '../../src/doors/api/admin.ts'
import { type CardExchange, entryOf, startCardExchange } from '../support/card-exchange.ts'
import { type FakeHyperswitch, startHyperswitch } from '../support/hyperswitch.ts'
import { advance, arrive, assertBooksHold, read } from '../support/journey.ts'
import { until } from '../support/telling.ts'

describe('payments that are authorized first', () => {
  let cards: CardExchange
  before(async () => {
    cards = await startCardExchange(', capture: manual')
  })
  after(() => cards.stop())

  it('are captured for an order that waits for them, once, though the answer is lost', async () => {
    const { fake, exchange } = cards
    const { id, payment, payAt } = await cards.atThePage()
    fake.fail('POST', /\/capture$/, 'silence_after')
    await cards.forms.post(payAt, { card: '4242424242424242' })
    await cards.deliver()
    await arrive(exchange, id, 'finished')
    assert.equal(payment.status, 'succeeded')
    const captures = fake.asked.filter((one) => one === `POST /payments/${payment.payment_id}/capture`)
    assert.equal(captures.length, 1)
    await assertBooksHold(exchange)
  })

  it('are cancelled for an order that has ended', async () => {
    const { exchange } = cards
    const { id, payment, payAt } = await cards.atThePage()
    await advance(exchange, 'P1D')
    await arrive(exchange, id, 'expired')
    await cards.forms.post(payAt, { card: '4242424242424242' })
    await until(() => payment.status === 'cancelled', 'the cancellation')
    assert.equal((await read(exchange, id)).status, 'expired')
  })
})

describe('two processors of one category', () => {
  let cards: CardExchange
  let backup: FakeHyperswitch
  before(async () => {
    backup = await startHyperswitch()
    cards = await startCardExchange(', priority: 1', async (folder) =>
      entryOf(folder, backup, 'backup', ', priority: 2'),
    )
  })
  after(async () => {
    await cards.stop()
    await backup.stop()
  })

  it('the second takes over at the next press once the first opens no pages, also for orders that began there', async () => {
    const { exchange, fake } = cards
    const opened = await cards.atThePage()
    const order = await cards.ready()
    fake.fail('POST', /^\/payments$/, '500', 100)
    for (let presses = 0; presses < 2; presses += 1) {
      const { status, payAt } = await order.press()
      assert.deepEqual([status, payAt.split('?')[0]], [303, '/checkout'], 'it stays on our page')
    }
    const { payAt } = await order.press()
    assert.equal(new URL(payAt).origin, backup.url)
    assert.equal((await order.press()).payAt, payAt)
    const late = await cards.ready()
    assert.equal(new URL((await late.press()).payAt).origin, backup.url)
    await cards.forms.post(payAt, { card: '4242424242424242' })
    assert.deepEqual(await backup.deliver(`${exchange.url}/callbacks/backup`), [200])
    await arrive(exchange, order.id, 'finished')

    // Who was sent to the second after all may still pay at the first.
    assert.equal(new URL((await opened.press()).payAt).origin, backup.url)
    await cards.forms.post(opened.payAt, { card: '4242424242424242' })
    await cards.deliver()
    await arrive(exchange, opened.id, 'finished')
    await assertBooksHold(exchange)
  })

  it('show in the metrics', async () => {
    const { ctx } = cards.exchange.service.composition
    const app = buildAdmin(ctx, { gauges: metricsOf(ctx) })
    const { payload } = await app.inject('/metrics')
    await app.close()
    for (const line of [
      'up{rail="cards"} 0',
      'up{rail="backup"} 1',
      'payments{rail="cards",outcome="open_failed"} 2',
    ]) {
      assert.ok(payload.includes(`cambio_rail_${line}\n`), line)
    }
  })
})
