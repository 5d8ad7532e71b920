import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { type Forms, formsOn } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, type Body, create, read, readyToPay } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ CONFIRMATIONS: 'XRP=1' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const bySepa = { deposit: { payment_category: 'SEPA' } }
const swap = { from_amount: '500', from_currency: 'XRP', to_currency: 'USDT', to_network: 'TRX' }

const pressAt = (tid: string): string => `${exchange.url}/sandbox/pay?tid=${tid}&locale=de`
const pressFor = async (id: string): Promise<string> => pressAt(await tidOf(exchange, id))

async function ready(order: Body): Promise<string> {
  const { id } = await readyToPay(exchange, order)
  return id
}

describe('the button that plays a payment by hand in the sandbox', () => {
  for (const [what, order, amount] of [
    ['a bank transfer', bySepa, '100'],
    ['coins', swap, '500'],
  ] as const) {
    it(`pays ${what} once, however often and fast it is pressed, and leads back to the order`, async () => {
      const id = await ready(order)
      const url = await pressFor(id)
      const answers = await Promise.all([1, 2, 3].map(() => forms.post(url, {})))
      for (const { status, headers } of answers) {
        assert.deepEqual([status, headers.get('location')], [303, `/de/checkout?tid=${await tidOf(exchange, id)}`])
      }
      const { from_amount: arrived, refunds } = await arrive(exchange, id, 'finished')
      assert.deepEqual([arrived, refunds], [amount, []])
      assert.equal((await forms.post(await pressFor(id), {})).status, 303)
      assert.equal((await read(exchange, id)).from_amount, amount)
    })
  }

  it('pays nothing that is not to be paid by hand, or not yet', async () => {
    const byCard = await ready({})
    const { id: early } = await create(exchange, bySepa)
    for (const id of [byCard, early]) assert.equal((await forms.post(await pressFor(id), {})).status, 303)
    assert.equal((await read(exchange, byCard)).status, 'waiting_for_deposit')
    assert.equal((await read(exchange, early)).status, 'new')
  })

  it('takes no form of another site, no order that is nobody’s, and no address to lead away to', async () => {
    const id = await ready(bySepa)
    assert.equal((await forms.post(await pressFor(id), {}, { origin: 'https://evil.example' })).status, 403)
    assert.equal((await forms.get(await pressFor(id))).status, 405)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    for (const unknown of ['1234567890123456789', 'x', '', id]) {
      assert.equal((await forms.post(pressAt(unknown), {})).status, 404)
    }
    assert.equal((await forms.post(pressAt('%00'), {})).status, 400)
    const tid = await tidOf(exchange, id)
    const away = `${exchange.url}/sandbox/pay?tid=${tid}&locale=${encodeURIComponent('/evil.example')}`
    assert.equal((await forms.post(away, {})).headers.get('location'), `/checkout?tid=${tid}`)
  })
})
