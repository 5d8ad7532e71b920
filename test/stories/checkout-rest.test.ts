import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { type Forms, formsOn } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, pay, read, readyToPay } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

/** What the customer of an order sees, with what is drawn in groups put together, and what whoever has its link sees. */
async function pagesOf(id: string) {
  const { email } = await read(exchange, id)
  const url = `${exchange.url}/en/checkout?tid=${await tidOf(exchange, id)}`
  await forms.post(`${url}&ask=proof`, { do: 'send' })
  const proven = await forms.post(`${url}&ask=proof`, { do: 'code', code: await codeFor(exchange, email ?? '') })
  const cookie = (proven.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const textOf = async (headers: Record<string, string>) =>
    (await forms.get(url, headers)).text.replaceAll(/<[^>]*>/g, '').replaceAll('\u00A0', ' ')
  return { customers: () => textOf({ cookie }), anybodys: () => textOf({}) }
}

it('whoever has paid too little by hand is told how to send the rest, until it is too late, and goes on when it comes', async () => {
  const sell = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
  for (const [order, part, rest] of [
    [{ deposit: { payment_category: 'SEPA' } }, '60', '40.00 EUR'],
    [sell, '0.004', '0.006 BTC'],
  ] as const) {
    const { id } = await readyToPay(exchange, order)
    await pay(exchange, id, { amount: part })
    const { deposit } = await arrive(exchange, id, 'on_hold')
    const { customers, anybodys } = await pagesOf(id)
    assert.match(await customers(), new RegExp(`Send the rest.*${rest} is missing.*${rest}.*Copy`, 's'))
    if (deposit?.address) assert.ok((await customers()).includes(deposit.address))
    assert.doesNotMatch(await anybodys(), /Send the rest|IBAN/)
    await pay(exchange, id, { amount: rest.split(' ')[0] })
    await arrive(exchange, id, 'finished')
  }

  const { id } = await readyToPay(exchange, sell)
  await pay(exchange, id, { amount: '0.004' })
  await arrive(exchange, id, 'on_hold')
  await advance(exchange, 'P2D')
  const { customers } = await pagesOf(id)
  assert.match(await customers(), /How should we continue\?/)
  assert.doesNotMatch(await customers(), /Send the rest/)
})
