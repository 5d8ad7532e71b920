import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { postForm, signedCalculator } from '../support/calculator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup } from '../support/journey.ts'
import { whileStill } from '../support/still-clock.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({
    RATE_LIMIT_CUSTOMER_IP_BURST: '2',
    RATE_LIMIT_CUSTOMER_IP_PER_SECOND: '1',
    TRUSTED_PROXIES: '127.0.0.0/8',
  })
})
after(() => exchange.stop())

const signed = (query: string): string => signedCalculator(exchange, query)

const post = (path: string, from: string) => {
  const fields = { from: 'EUR-EUR', to: 'BTC-BTC', from_amount: '123.45', do: 'continue' }
  return postForm(exchange, path, fields, { 'x-forwarded-for': from })
}

const still = <Done>(work: () => Promise<Done>): Promise<Done> => whileStill(exchange.service.composition.ctx, work)
const made = async (): Promise<number> => (await lookup(exchange, 'select 1 from transactions')).length

describe('an address of a calculator that is sent again and again', () => {
  it('makes no more transactions than one customer may, and says so in their language with what was typed', async () => {
    const again = signed('locale=de')
    const before = await made()
    const answers = await still(() => Promise.all(Array.from({ length: 8 }, () => post(again, '203.0.113.9'))))
    const led = answers.filter(({ status }) => status === 303)
    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(led.length + refused.length, 8)
    assert.ok(led.length >= 2 && led.length <= 4, `${led.length} were let through`)
    assert.equal((await made()) - before, led.length)

    const [first] = refused
    const html = (await first?.text()) ?? ''
    assert.match(first?.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(first?.headers.get('cache-control'), 'no-store')
    assert.match(html, /Bitte warten Sie eine Minute/)
    assert.match(html, /name="from_amount"[^>]*value="123.45"/)
    assert.equal((await post(again, '203.0.113.10')).status, 303)
  })

  it('counts every address of one IPv6 line together, with both kinds of address and with the interface', async () => {
    const { public_key: key } = exchange.sandbox
    const [old, ours] = [`/calculator/v1?partner_api_token=${key}`, signed('locale=en')]
    const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer: { ip: '2001:db8::6' } }
    await still(async () => {
      const statuses = [
        (await post(old, '2001:db8::1')).status,
        (await post(ours, '2001:db8::2')).status,
        (await post(old, '2001:db8::3')).status,
        (await post(ours, '2001:db8::4')).status,
        (await post(ours, '2001:db8::5')).status,
      ]
      assert.ok(statuses.includes(429), statuses.join(' '))
      const byInterface = await Promise.all(Array.from({ length: 3 }, () => exchange.api('/v1/transaction', { body })))
      assert.ok(byInterface.some(({ status }) => status === 429))
    })
    assert.equal((await post(ours, '2001:db8:1::1')).status, 303)
  })
})
