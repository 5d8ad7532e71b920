import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { type Forms, formsOn } from '../support/checkout-forms.ts'
import { codeFor, createBuy, recordOfBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, type Body, create, pay, railEvent, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

type Visit = { id: string; url: string; browser: { cookie: string } }

async function atDestination(order: Body = {}, locale = ''): Promise<Visit> {
  const made = await create(exchange, { from_amount: '250', from_currency: 'EUR', to_currency: 'BTC', ...order })
  const url = made.redirect_url.replace('/checkout', `${locale}/checkout`)
  const browser = await forms.prove(url, `typing-${made.id.slice(0, 9)}@example.com`)
  await forms.post(url, { do: 'country', country: 'NL' }, browser)
  return { id: made.id, url, browser }
}

/** What the server says of a field that is not sent yet, as the page's own script asks. */
async function judged({ url, browser }: Visit, form: Record<string, string>, field: string, headers = {}) {
  const { text: html } = await forms.get(url, browser)
  const path =
    /data-check="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail('nothing is checked here')
  const answer = await forms.post(exchange.url + path, { ...form, field }, { ...browser, ...headers })
  return {
    status: answer.status,
    text: answer.status === 200 ? (JSON.parse(answer.text) as { text: string }).text : '',
  }
}

const says = async (visit: Visit, form: Record<string, string>, field: string): Promise<string> =>
  (await judged(visit, form, field)).text

describe('a field that somebody is filling in', () => {
  it('is told what is wrong with an address, by the checks that it meets when it is sent; nothing is kept', async () => {
    const visit = await atDestination()
    const of = (payout_address: string) => says(visit, { do: 'payout_address', payout_address }, 'payout_address')
    assert.equal(await of(someAddress), '')
    assert.equal(await of(''), '')
    for (const wrong of [`${someAddress.slice(0, -1)}5`, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'x']) {
      const sent = await forms.post(visit.url, { do: 'payout_address', payout_address: wrong }, visit.browser)
      const inline = await of(wrong)
      assert.notEqual(inline, '')
      assert.ok(sent.text.includes(`id="payout_address-problem">${inline}`), wrong)
    }
    assert.match(await of('4242424242424242'), /looks like a card number/)
    assert.equal((await recordOfBuy(exchange, visit.id)).payout, null)
  })

  it('is told of a memo that the network needs, and of one that cannot be', async () => {
    const visit = await atDestination({ to_currency: 'XRP' })
    const address = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY'
    const of = (extra_id: string) =>
      says(visit, { do: 'payout_address', payout_address: address, extra_id }, 'extra_id')
    assert.equal(await of('12345'), '')
    assert.match(await of('not a tag'), /Destination tag|tag/i)
  })

  it('is told of an account and its holder apart, each while the other is still empty', async () => {
    const visit = await atDestination({ from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    const form = { do: 'payout_address' }
    const account = (payout_address: string) => says(visit, { ...form, payout_address }, 'payout_address')
    const holder = (payout_holder: string) => says(visit, { ...form, payout_holder }, 'payout_holder')
    assert.equal(await account('NL91 ABNA 0417 1643 00'), '')
    assert.match(await account('NL91 ABNA 0417 1643 01'), /IBAN/)
    assert.equal(await holder('Erika Mustermann'), '')
    assert.match(await holder('7'), /full name/)
  })

  it('is told of names, and of an e-mail address before it is proven', async () => {
    const { url } = await createBuy(exchange)
    const visit = { id: '', url, browser: { cookie: '' } }
    assert.match(await says(visit, { do: 'email', email: 'jan@' }, 'email'), /isn’t an email address/)
    assert.equal(await says(visit, { do: 'email', email: 'jan@example.com' }, 'email'), '')
  })

  it('is told in the language of its page', async () => {
    const visit = await atDestination({}, '/de')
    const form = { do: 'payout_address', payout_address: `${someAddress.slice(0, -1)}5` }
    assert.match(await says(visit, form, 'payout_address'), /Die Prüfsumme stimmt nicht/)
    const sent = await forms.post(visit.url, form, visit.browser)
    assert.match(sent.text, /Die Prüfsumme stimmt nicht/)
  })

  it('is judged for its own browser only, by its own page, and by nobody without the order', async () => {
    const visit = await atDestination()
    const form = { do: 'payout_address', payout_address: 'x' }
    const path = visit.url.replace('/checkout?', '/checkout/check?')
    const stranger = await forms.post(path, { ...form, field: 'payout_address' })
    assert.equal(stranger.status, 403)
    const foreign = await judged(visit, form, 'payout_address', { origin: 'https://elsewhere.example' })
    assert.equal(foreign.status, 404)
    const nobodys = await forms.post(`${exchange.url}/checkout/check?tid=1`, { ...form, field: 'payout_address' })
    assert.equal(nobodys.status, 404)
    assert.equal(stranger.headers.get('cache-control'), 'no-store')
  })

  it('is told of an address that a refund shall go to, and nothing is sent for it', async () => {
    const sale = await readyToPay(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    await pay(exchange, sale.id, { amount: '0.002' })
    const { email } = await arrive(exchange, sale.id, 'on_hold')
    const url = `${exchange.url}/en/checkout?tid=${await tidOf(exchange, sale.id)}`
    await forms.post(`${url}&ask=proof`, { do: 'send' })
    const proof = { do: 'code', code: await codeFor(exchange, email ?? '') }
    const proven = await forms.post(`${url}&ask=proof`, proof)
    const visit = {
      id: sale.id,
      url,
      browser: { cookie: (proven.headers.get('set-cookie') ?? '').split(';')[0] ?? '' },
    }
    await forms.post(url, { do: 'refund' }, visit.browser)
    await arrive(exchange, sale.id, 'refunded')
    await railEvent(exchange, sale.id, 'bounce')
    await until(async () => (await forms.get(url, visit.browser)).text.includes('refund_address'), 'the question')

    const of = (refund_address: string) => says(visit, { do: 'refund_address', refund_address }, 'refund_address')
    assert.match(await of(`${someAddress.slice(0, -1)}5`), /checksum/)
    assert.equal(await of(someAddress), '')
    assert.match((await forms.get(url, visit.browser)).text, /id="refund_address"/)
  })
})
