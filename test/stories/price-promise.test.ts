import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { formsOn } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, type Body, create, pay } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** What the order's page and its newest emails say of the price. */
async function saidOf(id: string, url: string, cookie: string) {
  const { text } = await formsOn(exchange).get(url, { cookie })
  type Mail = { kind: string; price: string | null; text: string; html: string }
  const { body } = await exchange.api<Mail[]>(`/v1/sandbox/mail?to=${encodeURIComponent(`price${id}@example.com`)}`)
  const pages = new Set([...text.matchAll(/data-price="(\w+)"/g)].map(([, price]) => price))
  return { pages: [...pages], mails: body, text }
}

async function orderBy(deposit: Body) {
  const { id, redirect_url: url } = await create(exchange, { deposit })
  const forms = formsOn(exchange)
  const { cookie } = await forms.prove(url, `price${id}@example.com`)
  await forms.post(url, { do: 'country', country: 'NL' }, { cookie })
  await forms.post(url, { do: 'payout_address', payout_address: someAddress }, { cookie })
  return { id, url, cookie }
}

describe('the promise of a price', () => {
  it('is the same on the page and in every email: provisional until a bank transfer was exchanged', async () => {
    const { id, url, cookie } = await orderBy({ payment_category: 'SEPA' })
    const before = await saidOf(id, url, cookie)
    const received = before.mails.find(({ kind }) => kind === 'order_received')
    assert.deepEqual([before.pages, received?.price], [['provisional'], 'provisional'])
    assert.match(received?.text ?? '', /This price can still change/)
    assert.match(before.text, /<time datetime="[\d-]+T[\d:.]+Z"/i)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    const ended = await saidOf(id, url, cookie)
    assert.deepEqual([ended.pages, ended.mails.find(({ kind }) => kind === 'sent')?.price], [['fixed'], 'fixed'])
  })

  it('is fixed while a price is held, and provisional once it has ended', async () => {
    const { id, url, cookie } = await orderBy({ payment_category: 'VISA_MC' })
    assert.deepEqual((await saidOf(id, url, cookie)).pages, ['fixed'])
    await advance(exchange, 'PT16M')
    assert.deepEqual((await saidOf(id, url, cookie)).pages, ['provisional'])
  })

  it('comes with who promises it, in the sandbox too', async () => {
    const { id, url, cookie } = await orderBy({ payment_category: 'SEPA' })
    const { text, mails } = await saidOf(id, url, cookie)
    for (const said of [text, ...mails.flatMap((mail) => [mail.text, mail.html])])
      assert.ok(said.includes('Cambio Sandbox Ltd') && said.includes('help@sandbox.invalid'), said)
  })
})
