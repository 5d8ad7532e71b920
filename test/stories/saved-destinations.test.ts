import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { type Forms, formsOn, titleOf } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, create, pay, read, readyToPay, arrive } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const customer = (email: string) => ({ customer: { contact_info: { email } } })
const payTo = (address: string, rest: object = {}) => ({ payout_info: { payout_address: address, ...rest } })

/** The addresses that a page offers. */
const offered = (html: string): string[] =>
  [...html.matchAll(/<input type="hidden" name="payout_address" value="([^"]+)"/g)].map(([, address = '']) => address)

/** A further order, at the page that asks where it is paid out, in a browser that has proven the address. */
async function atDestination(email: string, order: Record<string, unknown> = {}) {
  const { id, redirect_url: url } = await create(exchange, order)
  const before = await forms.get(url)
  const { cookie } = await forms.prove(url, email)
  await forms.post(url, { do: 'country', country: 'NL' }, { cookie })
  const page = await forms.get(url, { cookie })
  return { id, url, cookie, before, page }
}

it('a customer who comes back chooses where an earlier order was paid out, and nobody else sees it', async () => {
  const email = 'back@example.com'
  await buy(exchange, { ...customer(email), ...payTo(someAddress) })
  const { id, url, cookie, before: unproven, page } = await atDestination(email)
  assert.match(titleOf(page), /Where should we send/)
  assert.deepEqual(offered(page.text), [someAddress])
  assert.doesNotMatch(unproven.text, new RegExp(someAddress))
  assert.deepEqual(offered((await forms.get(url)).text), [], 'another browser')

  const chosen = await forms.post(url, { do: 'payout_address', payout_address: someAddress, extra_id: '' }, { cookie })
  assert.equal(chosen.status, 303)
  assert.equal((await read(exchange, id)).payout?.address, someAddress)

  assert.deepEqual(offered((await atDestination('stranger@example.com')).page.text), [])
})

it('offers what finished, of the same asset only', async () => {
  const email = 'unfinished@example.com'
  await readyToPay(exchange, { ...customer(email), ...payTo(someAddress) })
  assert.deepEqual(offered((await atDestination(email)).page.text), [])
  await buy(exchange, { ...customer(email), ...payTo(someAddress) })
  assert.deepEqual(offered((await atDestination(email, { to_currency: 'LTC' })).page.text), [])
})

it('offers a bank account with its holder, and takes it as it was', async () => {
  const email = 'seller@example.com'
  const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
  const account = payTo('NL91ABNA0417164300', { extra_id: 'ABNANL2A', full_name: 'Ada Lovelace' })
  const { id: first } = await readyToPay(exchange, { ...sale, ...customer(email), ...account })
  await pay(exchange, first)
  await arrive(exchange, first, 'finished')

  const { id, url, cookie, page } = await atDestination(email, sale)
  const [saved = ''] = offered(page.text)
  assert.equal(saved, 'NL91ABNA0417164300')
  assert.match(page.text, /name="payout_holder" value="Ada Lovelace"/)
  const form = { do: 'payout_address', payout_address: saved, extra_id: 'ABNANL2A', payout_holder: 'Ada Lovelace' }
  assert.equal((await forms.post(url, form, { cookie })).status, 303)
  const { payout } = await read(exchange, id)
  assert.deepEqual([payout?.address, payout?.full_name], ['NL91ABNA0417164300', 'Ada Lovelace'])
})
