import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { titleOf } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, assertBooksHold, arrive, lookup, pay, read, statusesOf } from '../support/journey.ts'
import { importNew, newEmail, statusOf } from '../support/shared-identity.ts'
import { shows, type Visitor, visitor } from '../support/identity-check.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** Two orders that are together beyond what somebody unknown may exchange in a day; gives the second. */
async function beyond(email = newEmail()): Promise<Visitor> {
  const first = await visitor(exchange, email, { amount: 14_000 })
  assert.equal((await read(exchange, first.id)).status, 'waiting_for_deposit')
  return visitor(exchange, email, { amount: 14_000 })
}

const details = async ({ id }: Visitor) => {
  const { status, status_details } = await read(exchange, id)
  return [status, status_details]
}
const waits = ['waiting_for_customer', 'kyc_required']

describe('an order beyond what somebody unknown may exchange', () => {
  it('passes the check at the provider’s pages, goes on by itself and is finished', async () => {
    const visit = await beyond()
    assert.deepEqual(await details(visit), waits)
    const { text } = await visit.page()
    assert.match(text, /Confirm your identity.*money-laundering.*3 minutes/s)

    const document = await visit.goToCheck()
    assert.notEqual(new URL(document).origin, exchange.url, 'the document is shown at another origin')
    const selfie = await visit.press(document, 'document')
    assert.equal(new URL(selfie, document).href, document)
    const back = await visit.press(document, 'selfie')
    assert.equal(back, `${exchange.url}/en/checkout?tid=${await tidOf(exchange, visit.id)}&ask=identity`)
    await shows(visit, /Payment reference/)

    await pay(exchange, visit.id)
    const record = await arrive(exchange, visit.id, 'finished')
    assert.deepEqual(statusesOf(record).slice(0, 3), ['new', 'waiting_for_customer', 'waiting_for_deposit'])
    const { body } = await statusOf(exchange, record.customer_id)
    assert.deepEqual([body.status, body.kyc.level, body.kyc.provider], ['approved', 'basic', 'sandbox'])
    await assertBooksHold(exchange)
  })

  it('ends calmly when the check fails: nothing says why, to the customer or to the partner', async () => {
    const visit = await beyond()
    const document = await visit.goToCheck()
    await visit.press(document, 'document')
    await visit.press(document, 'stranger')
    const record = await arrive(exchange, visit.id, 'failed')
    assert.deepEqual([record.errors, record.status_history.at(-1)?.reason, record.status_details], [[], null, null])
    const page = await visit.page()
    assert.equal(titleOf(page), 'We can’t complete this order')
    const main = /<main.*<\/main>/s.exec(page.text)?.[0] ?? assert.fail('a page has a main part')
    // Whence the page asks how the order stands, whatever has become of it.
    const shown = main.replace(/data-watch="[^"]*"/, '')
    assert.doesNotMatch(shown, /identity|document|check|reject|launder/i)
  })

  it('asks again for what could not be read, of the same person', async () => {
    const visit = await beyond()
    const document = await visit.goToCheck()
    const [seen, unseen] = [await visit.version(true), await visit.version(false)]
    await visit.press(document, 'blurred')
    await shows(visit, /Please submit your document again/)
    assert.notEqual(await visit.version(true), seen, 'an open page is shown anew')
    assert.equal(await visit.version(false), unseen, 'and tells nobody else')
    const again = await visit.goToCheck()
    assert.equal(new URL(again).searchParams.get('applicant'), new URL(document).searchParams.get('applicant'))
    await visit.press(again, 'document')
    await visit.press(again, 'selfie')
    await arrive(exchange, visit.id, 'waiting_for_deposit')
  })

  it('waits while a person looks, for longer than there was to pay, and goes on then', async () => {
    const email = newEmail()
    await visitor(exchange, email, { amount: 14_000 })
    const visit = await visitor(exchange, email, { amount: 14_000, category: 'VISA_MC' })
    const document = await visit.goToCheck()
    await visit.press(document, 'document')
    await visit.press(document, 'unsure')
    await shows(visit, /Someone is reviewing your documents.*<noscript>.*Refresh<\/a>/s)
    assert.deepEqual(await details(visit), waits)
    assert.ok(Date.parse((await read(exchange, visit.id)).expires_at) - Date.now() > 23 * 3_600_000)
    assert.equal(
      (await visit.send({ do: 'identity' })).headers.get('location'),
      `/checkout?tid=${await tidOf(exchange, visit.id)}`,
    )

    const { now } = await advance(exchange, 'PT40M')
    assert.deepEqual(await details(visit), waits)
    await visit.press(document, 'approve')
    const { expires_at: end } = await arrive(exchange, visit.id, 'waiting_for_deposit')
    assert.ok(Date.parse(end) - Date.parse(now) < 31 * 60_000, 'from then on there is the usual time to pay')
    await advance(exchange, 'PT31M')
    assert.equal((await read(exchange, visit.id)).status, 'expired')
  })

  it('says that it waits for the result when the customer is back before it', async () => {
    const visit = await beyond()
    await visit.goToCheck()
    const back = `${exchange.url}/checkout?tid=${await tidOf(exchange, visit.id)}&ask=identity`
    assert.equal(titleOf({ text: await (await fetch(back)).text() }), 'Confirm your email', 'to nobody else')
    const page = await visit.page('&ask=identity')
    assert.match(page.text, /Waiting for the result.*Go back to the check/s)
    assert.match(page.text, /<noscript>.*href="[^"]*ask=identity">Refresh<\/a>/)
    assert.equal(titleOf(await visit.page()), 'Confirm your identity')
  })

  it('is refused where nobody could let it pass: beyond every limit, and for somebody who was rejected', async () => {
    const email = newEmail()
    await importNew(exchange, 'rejected', email)
    const first = await visitor(exchange, email, { amount: 14_000 })
    assert.equal((await read(exchange, first.id)).status, 'waiting_for_deposit')
    const second = await visitor(exchange, email, { amount: 14_000 })
    assert.deepEqual(await details(second), ['waiting_for_customer', null])
  })

  it('begins one check for a customer, however many tabs ask, and keeps nothing of it in clear', async () => {
    const visit = await beyond()
    const pages = await Promise.all([visit.goToCheck(), visit.goToCheck(), visit.goToCheck()])
    const applicants = new Set(pages.map((page) => new URL(page).searchParams.get('applicant')))
    assert.equal(applicants.size, 1)
    const rows = await lookup<{ count: string }>(
      exchange,
      `select count(*) from identity_checks join transactions using (customer_id) where public_id = $1`,
      [visit.id],
    )
    assert.equal(rows[0]?.count, '1')
  })

  it('is passed by the sandbox’s own control', async () => {
    const visit = await beyond()
    const { status, body } = await exchange.api(`/v1/sandbox/transaction/${visit.id}/checkout`, { body: {} })
    assert.deepEqual([status, body.status], [201, 'waiting_for_deposit'])
  })
})

describe('the provider’s pages', () => {
  it('know no link but their own, count a form once, and tell nobody who has not signed', async () => {
    const visit = await beyond()
    const document = await visit.goToCheck()
    for (const forged of [
      document.replace('applicant=', 'applicant=x'),
      `${document}&more=1`,
      new URL('/identity', document).href,
    ])
      assert.equal((await fetch(forged)).status, 404, forged)
    await visit.press(document, 'selfie')
    assert.match(await (await fetch(document)).text(), /Show your document/)

    const callback = {
      method: 'POST',
      body: '{"applicant":"x","change":"1"}',
      headers: { 'x-processor-signature': '00' },
    }
    assert.equal((await fetch(`${exchange.url}/callbacks/sandbox`, callback)).status, 401)
  })
})
