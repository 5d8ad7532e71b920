import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, pay, readyToPay } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** Follows the link of a finished order's page that begins the same exchange once more. */
async function again(url: string, name: string): Promise<string> {
  const page = await (await fetch(url)).text()
  const [, path = ''] = new RegExp(`<a href="([^"]*)">${name}</a>`).exec(page) ?? []
  const answer = await fetch(exchange.url + path.replaceAll('&amp;', '&'))
  assert.equal(answer.status, 200, path)
  return answer.text()
}

it('the page of a finished buy leads to the partner’s calculator with the same pair and amount', async () => {
  const { redirect_url: url } = await buy(exchange, { from_amount: '137', to_currency: 'LTC' })
  const calculator = await again(url, 'Buy again')
  assert.match(calculator, /value="137"/)
  assert.ok(calculator.includes('LTC'))
})

it('that of a sell to selling', async () => {
  const sell = { from_currency: 'BTC', from_amount: '0.01', to_currency: 'EUR' }
  const order = await readyToPay(exchange, sell)
  await pay(exchange, order.id)
  await arrive(exchange, order.id, 'finished')
  assert.ok((await again(order.redirect_url, 'Sell again')).includes('BTC'))
})
