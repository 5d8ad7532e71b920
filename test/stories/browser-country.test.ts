import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { formsOn, titleOf } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, checkOut, create, pay, read } from '../support/journey.ts'

const inGermany = '46.4.0.1'
const inBrazil = '200.160.2.3'
const inIran = '5.160.0.1'
const nowhere = '203.0.113.9'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

describe('at the checkout', () => {
  const titles = { country: 'Where do you live?', address: 'Where should we send your Bitcoin?' }

  it('a country that is known is not asked for; one that is not known is', async () => {
    const { get, prove } = formsOn(exchange)
    for (const [ip, title] of [
      [inGermany, titles.address],
      [nowhere, titles.country],
    ] as const) {
      const order = await create(exchange, { customer: { ip } })
      const { cookie } = await prove(order.redirect_url, `at-${ip}@example.com`)
      assert.equal(titleOf(await get(order.redirect_url, { cookie })), title, ip)
    }
  })

  it('the country of the browser is preselected, and those that are not served can be seen and not chosen', async () => {
    const { get, prove } = formsOn(exchange)
    const order = await create(exchange, { customer: { ip: nowhere } })
    const { cookie } = await prove(order.redirect_url, 'preselected@example.com')
    const { text } = await get(order.redirect_url, { cookie, 'x-forwarded-for': inBrazil })
    assert.match(text, /<option value="BR" selected>Brazil/)
    assert.match(text, /<optgroup label="Not available">(?:<option disabled>[^<]+<\/option>)*<option disabled>Iran</)
    const elsewhere = await get(order.redirect_url, { cookie, 'x-forwarded-for': nowhere })
    assert.match(elsewhere.text, /<option value(?:="")? selected>Choose a country/)
    assert.equal((await read(exchange, order.id)).location, 'ZZ', 'a suggestion decides nothing')
  })

  it('a browser in a country that is not served goes no further, until it is elsewhere', async () => {
    const { get, post, prove } = formsOn(exchange)
    const blocked = { 'x-forwarded-for': inIran }
    const order = await create(exchange, { customer: { ip: inGermany } })
    const url = order.redirect_url

    const refusal = await get(url, blocked)
    assert.deepEqual([refusal.status, titleOf(refusal)], [403, 'Not available in your country'])
    assert.equal(refusal.headers.get('cache-control'), 'no-store')
    assert.ok(!refusal.text.includes(order.id), 'the order is not shown')
    const email = 'traveler@example.com'
    assert.equal((await post(url, { do: 'email', email }, blocked)).status, 403)
    assert.equal((await read(exchange, order.id)).email, null)

    const { cookie } = await prove(url, email)
    const form = { do: 'payout_address', payout_address: someAddress }
    assert.equal((await post(url, form, { ...blocked, cookie })).status, 403)
    assert.equal((await post(url, form, { 'x-forwarded-for': inBrazil, cookie })).status, 303)
    assert.equal((await get(url, { ...blocked, cookie })).status, 403)
    assert.equal((await post(url, { do: 'pay' }, { ...blocked, cookie })).status, 403)
    assert.equal((await get(url, { 'x-forwarded-for': nowhere, cookie })).status, 200)
  })

  it('who has paid sees what becomes of it from anywhere', async () => {
    const { get } = formsOn(exchange)
    const order = await create(exchange, { customer: { ip: inGermany } })
    await checkOut(exchange, order.id)
    await pay(exchange, order.id)
    await arrive(exchange, order.id, 'finished')
    assert.equal((await get(order.redirect_url, { 'x-forwarded-for': inIran })).status, 200)
  })

  it('what a browser writes into X-Forwarded-For by itself proves nothing', async () => {
    const { get } = formsOn(exchange)
    const order = await create(exchange, { customer: { ip: inGermany } })
    const answer = await get(order.redirect_url, { 'x-forwarded-for': `${inGermany}, ${inIran}` })
    assert.equal(answer.status, 403, 'the last entry is what our proxy saw')
    assert.equal((await get(order.redirect_url, { 'x-forwarded-for': `${inIran}, ${inGermany}` })).status, 200)
  })
})
