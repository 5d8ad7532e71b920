import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { cookieOf, formsOn, shownTerms, titleOf } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** The link in the newest e-mail with a code. */
async function linkFor(email: string): Promise<string> {
  const { body } = await exchange.api<{ text: string }[]>(`/v1/sandbox/mail?to=${encodeURIComponent(email)}`)
  return /^http\S+&link=[\w-]{24}$/m.exec(body[0]?.text ?? '')?.[0] ?? assert.fail('no link')
}

it('the address is shown in full, and can be corrected, in the browser where it was typed, and in no other', async () => {
  const { id, redirect_url: url } = await create(exchange)
  const email = `typed${id.slice(0, 6)}@example.com`
  const forms = formsOn(exchange)
  const cookie = cookieOf(await forms.post(url, { do: 'email', email }))
  const own = await forms.get(url, { cookie })
  assert.equal(titleOf(own), 'Enter your code')
  assert.ok(own.text.includes(`We sent a 6-digit code to ${email}.`))
  assert.ok((await forms.get(`${url}&ask=email`, { cookie })).text.includes(`value="${email}"`))
  for (const page of [url, `${url}&ask=email`]) assert.ok(!(await forms.get(page)).text.includes(email))
})

it('an address that the partner passed is never shown in full before it is proven', async () => {
  const email = 'passed@example.com'
  const { redirect_url: url } = await create(exchange, { customer: { contact_info: { email } } })
  const forms = formsOn(exchange)
  const cookie = cookieOf(await forms.post(url, { do: 'send' }))
  assert.ok(cookie)
  for (const page of [url, `${url}&ask=email`]) assert.ok(!(await forms.get(page, { cookie })).text.includes(email))
})

it('the link in the e-mail proves the address in the browser that asked for it, once, and in no other', async () => {
  const { id, redirect_url: url } = await create(exchange)
  const email = `link${id.slice(0, 6)}@example.com`
  const forms = formsOn(exchange)
  const cookie = cookieOf(await forms.post(url, { do: 'email', email }))
  const link = await linkFor(email)

  const elsewhere = await forms.get(link)
  assert.deepEqual([elsewhere.status, elsewhere.headers.get('set-cookie')], [303, null])
  assert.equal(titleOf(await forms.get(url, { cookie })), 'Enter your code')
  assert.equal(titleOf(await forms.get(url)), 'Confirm your email')

  const opened = await forms.get(link, { cookie })
  assert.equal(opened.status, 303)
  const session = cookieOf(opened)
  assert.match(session, /checkout-\d+=/)
  assert.equal(titleOf(await forms.get(url, { cookie: session })), 'Before you continue')
  assert.equal((await forms.get(link, { cookie })).headers.get('set-cookie'), null, 'it works once')
})

it('a new code ends the link of the one before', async () => {
  const { id, redirect_url: url } = await create(exchange)
  const email = `ends${id.slice(0, 6)}@example.com`
  const forms = formsOn(exchange)
  const cookie = cookieOf(await forms.post(url, { do: 'email', email }))
  const link = await linkFor(email)
  await forms.post(url, { do: 'resend' }, { cookie })
  assert.notEqual(await linkFor(email), link)
  assert.equal((await forms.get(link, { cookie })).headers.get('set-cookie'), null)
  const form = { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms }
  const answer = await forms.post(url, form, { cookie })
  assert.match(cookieOf(answer), /checkout-\d+=/)
})
