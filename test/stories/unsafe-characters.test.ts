import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { formsOn } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

/** Control characters, marks of direction, characters without a width, and half of a pair. */
const unsafe = [
  '\u0000',
  '\u0007',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200d',
  '\u200f',
  '\u2028',
  '\u202e',
  '\u2060',
  '\u2066',
  '\ufeff',
]

describe('characters that cannot be seen', () => {
  it('are refused in the path and the query of every page, before anything is asked', async () => {
    for (const character of unsafe) {
      const written = encodeURIComponent(`a${character}b`)
      for (const path of [
        `/checkout?tid=${written}`,
        `/checkout/status?tid=${written}`,
        `/receipt/${written}`,
        `/calculator/v1?partner_api_token=${written}`,
        `/console/orders?q=${written}`,
        `/console/customers?q=${written}`,
        `/portal/orders?q=${written}`,
        `/docs/${written}`,
        `/terms?x=${written}`,
      ]) {
        const { status } = await fetch(`${exchange.url}${path}`, {
          redirect: 'manual',
          headers: { 'x-api-key': exchange.sandbox.secret_key },
        })
        assert.equal(status, 400, path)
      }
    }
  })

  it('are no reason for a fault of the API, which says what is wrong', async () => {
    for (const character of unsafe) {
      const written = encodeURIComponent(`a${character}b`)
      for (const [path, expected] of [
        [`/v1/transaction/${written}`, 404],
        [`/v1/transactions?status=${written}`, 400],
        [`/v1/transactions?external_partner_link_id=${written}`, 400],
        [`/v1/currencies/${written}`, 404],
        [`/v1/events?after=${written}`, 400],
      ] as const)
        assert.equal((await exchange.api(path)).status, expected, path)
    }
  })

  it('are refused in every text of a create, and in the forms of a checkout at their field', async () => {
    const forms = formsOn(exchange)
    const { id, redirect_url: url } = await create(exchange)
    const browser = await forms.prove(url, `unsafe${id}@example.com`)
    await forms.post(url, { do: 'country', country: 'NL' }, browser)
    for (const character of unsafe) {
      const text = `a${character}b`
      for (const body of [
        { external_partner_link_id: text },
        { customer: { contact_info: { email: `${text}@example.com` } } },
        { customer: { contact_info: { phone_number: `+49${character}15123456` } } },
        { customer: { billing_info: { first_name: text } } },
        { payout_info: { payout_address: text } },
        { payout_info: { extra_id: text } },
        { locale: text },
      ]) {
        const answer = await exchange.api('/v1/transaction', {
          body: { from_amount: 100, from_currency: 'EUR', to_currency: 'XRP', ...body },
        })
        assert.equal(answer.status, 400, JSON.stringify(body))
      }
      const page = await forms.post(url, { do: 'payout_address', payout_address: text }, browser)
      assert.equal(page.status, 400)
      assert.match(page.text, /id="payout_address-problem"[^>]*>[^<]*characters that can’t be seen/)
    }
  })

  it('are refused in the forms of people who work here', async () => {
    const forms = formsOn(exchange)
    for (const character of unsafe)
      for (const door of ['console', 'portal']) {
        const form = { email: `a${character}@example.com`, password: 'a horse on the stairs' }
        assert.equal((await forms.post(`${exchange.url}/${door}/sign-in`, form)).status, 400, door)
      }
  })
})
