import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { cookieOf, type Forms, formsOn, shownTerms, titleOf } from '../support/checkout-forms.ts'
import { codeFor, createBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { checkOut, create, lookup } from '../support/journey.ts'
import { newEmail } from '../support/shared-identity.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const accepted = (id: string) =>
  lookup<{ terms_version: string; terms_url: string; privacy_version: string; has_customer: boolean }>(
    exchange,
    `select terms_version, terms_url, privacy_version, accepted_terms.customer_id = transactions.customer_id as has_customer
     from accepted_terms join transactions on transactions.id = transaction_id where public_id = $1 order by accepted_terms.id`,
    [id],
  )
const ofOne = { terms_version: '1', privacy_version: '1', has_customer: true }

describe('the terms and the privacy notice', () => {
  it('stand where the customer goes on, by links that can be read, and are recorded once', async () => {
    const { id, url } = await createBuy(exchange)
    const email = newEmail()
    const claim = { cookie: cookieOf(await forms.post(url, { do: 'email', email })) }
    const { text } = await forms.get(url, claim)
    assert.match(text, /By continuing, you accept our <a href="\/en\/terms"[^>]*>terms of use/)
    for (const path of ['/terms', '/en/terms', '/de/privacy', '/privacy']) {
      const page = await forms.get(exchange.url + path)
      assert.deepEqual([page.status, /Version 1|Fassung 1/.test(page.text)], [200, true], path)
    }
    assert.deepEqual(await accepted(id), [])
    const form = { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms }
    const answer = await forms.post(url, form, claim)
    assert.deepEqual(await accepted(id), [{ ...ofOne, terms_url: `${exchange.url}/terms` }])

    const cookie = cookieOf(answer)
    await forms.post(url, { do: 'terms', accepts: shownTerms }, { cookie })
    await checkOut(exchange, id)
    assert.equal((await accepted(id)).length, 1)
  })

  it('are asked for on a page of their own where other versions were shown, and nothing is recorded before', async () => {
    const { id, url } = await createBuy(exchange)
    const email = newEmail()
    const claim = { cookie: cookieOf(await forms.post(url, { do: 'email', email })) }
    const form = { do: 'code', code: await codeFor(exchange, email), accepts: '0 1' }
    const answer = await forms.post(url, form, claim)
    const cookie = cookieOf(answer)
    assert.equal(titleOf(await forms.get(url, { cookie })), 'Before you continue')
    await forms.post(url, { do: 'terms', accepts: '0 1' }, { cookie })
    assert.deepEqual(await accepted(id), [])
    await forms.post(url, { do: 'terms', accepts: shownTerms }, { cookie })
    assert.equal((await accepted(id)).length, 1)
    assert.equal(titleOf(await forms.get(url, { cookie })), 'Where do you live?')
  })

  it('are asked anew when their version has changed before the customer was told how to pay', async () => {
    const { id, url } = await createBuy(exchange)
    const email = newEmail()
    const { cookie } = await forms.prove(url, email)
    const { legal } = exchange.service.composition.ctx.config
    legal.termsVersion = '2'
    try {
      assert.equal(titleOf(await forms.get(url, { cookie })), 'Before you continue')
      await forms.post(url, { do: 'terms', accepts: '2 1' }, { cookie })
      assert.deepEqual(
        (await accepted(id)).map(({ terms_version: version }) => version),
        ['1', '2'],
      )
    } finally {
      legal.termsVersion = '1'
    }
  })

  it('are accepted by test customers too, and what was accepted can only grow', async () => {
    const { id } = await create(exchange)
    await checkOut(exchange, id)
    assert.equal((await accepted(id)).length, 1)
    const { db } = exchange.service.composition.ctx
    await assert.rejects(db.sql`delete from accepted_terms`, /permission denied/)
    await assert.rejects(db.sql`update accepted_terms set terms_version = '3'`, /permission denied/)
    await assert.rejects(db.sql`delete from identity_checks`, /permission denied/)
  })
})
