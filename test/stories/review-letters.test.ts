import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { tidOf } from '../support/checkout-link.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { shows, type Visitor, visitor } from '../support/identity-check.ts'
import { arrive, read } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { newEmail } from '../support/shared-identity.ts'
import { until } from '../support/telling.ts'
import { backendsWait } from '../support/waiting.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

type Letter = { kind: string; subject: string; text: string; html: string }

const lettersTo = async (email: string): Promise<Letter[]> => {
  const { body } = await exchange.api<Letter[]>(`/v1/sandbox/mail?to=${encodeURIComponent(email)}`)
  return body.filter(({ kind }) => kind === 'action_needed' || kind === 'expired')
}

/** An order whose customer has shown a document; gives the provider's page. */
async function documentShown(locale = 'en'): Promise<{ visit: Visitor; email: string; page: string }> {
  const email = newEmail()
  await visitor(exchange, email, { amount: 14_000 })
  const visit = await visitor(exchange, email, { amount: 14_000, locale })
  const page = await visit.goToCheck()
  await visit.press(page, 'document')
  return { visit, email, page }
}

/** An order that waits while a person looks at what its customer has shown; gives the page on which that person decides. */
async function reviewed(locale = 'en'): Promise<{ visit: Visitor; email: string; page: string }> {
  const { visit, email, page } = await documentShown(locale)
  await visit.press(page, 'unsure')
  await shows(visit, locale === 'de' ? /Wir schreiben Ihnen/ : /we’ll email you as soon as it’s done/)
  assert.deepEqual(await lettersTo(email), [])
  return { visit, email, page }
}

/** The letter that comes of what the person decides: one, and no more. */
async function letterAfter(button: string, locale?: string): Promise<{ letter: Letter; visit: Visitor }> {
  const { visit, email, page } = await reviewed(locale)
  await visit.press(page, button)
  await until(async () => (await lettersTo(email)).length > 0, 'a letter')
  const [letter, ...more] = await lettersTo(email)
  assert.deepEqual(more, [])
  return { letter: letter ?? assert.fail(), visit }
}

describe('whoever may close the page while a person looks', () => {
  it('gets a letter when it was passed, that leads back to the order', async () => {
    const { letter, visit } = await letterAfter('approve')
    await arrive(exchange, visit.id, 'waiting_for_deposit')
    assert.match(letter.subject, /^You’re verified: continue your order at /)
    assert.match(letter.text, new RegExp(`${exchange.url}/en/checkout\\?tid=${await tidOf(exchange, visit.id)}\n`))
    assert.match(letter.text, new RegExp(`your order ${visit.id} can continue`))
  })

  it('gets one in the language that the order was read in', async () => {
    const { letter, visit } = await letterAfter('approve', 'de')
    assert.match(letter.subject, /^Ihre Identität ist bestätigt/)
    assert.match(letter.html, /<html lang="de"/)
    assert.match(letter.text, new RegExp(`/de/checkout\\?tid=${await tidOf(exchange, visit.id)}`))
  })

  it('is asked for more when more is needed', async () => {
    const { letter, visit } = await letterAfter('ask')
    assert.match(letter.subject, /^Please submit your document again/)
    assert.equal((await read(exchange, visit.id)).status, 'waiting_for_customer')
  })

  it('is told that it ends when it was not passed, and never why', async () => {
    const { letter, visit } = await letterAfter('reject')
    await arrive(exchange, visit.id, 'failed')
    assert.match(letter.subject, /^We can’t complete your order at /)
    assert.doesNotMatch(letter.text.replace(/http\S+/, ''), /identity|document|check|reject|review|launder/i)
  })
})

describe('whoever is passed before the order has heard that a person looks', () => {
  it('gets the letter, and one only', async () => {
    const { visit, email, page } = await documentShown()
    await asOwner(exchange.ownerUrl, async (client) => {
      await client.query('begin')
      await client.query('select from transactions where public_id = $1 for update', [visit.id])
      await visit.press(page, 'unsure')
      await backendsWait(exchange, 1)
      await visit.press(page, 'approve')
      await backendsWait(exchange, 2)
      await client.query('commit')
    })
    await arrive(exchange, visit.id, 'waiting_for_deposit')
    await until(async () => (await lettersTo(email)).length > 0, 'a letter')
    assert.equal((await lettersTo(email)).length, 1)
  })
})

describe('whoever passes at once', () => {
  it('is at the page, and gets no letter', async () => {
    const { visit, email, page } = await documentShown()
    await visit.press(page, 'selfie')
    await arrive(exchange, visit.id, 'waiting_for_deposit')
    assert.deepEqual(await lettersTo(email), [])
  })
})
