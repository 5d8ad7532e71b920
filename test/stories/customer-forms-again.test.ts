import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { outcomePlace } from '../../src/exchange/sign-in/once.ts'
import { languageOf, languages } from '../../src/platform/language/language.ts'
import { seal } from '../../src/platform/privacy/seal.ts'
import { type Answer, cookieOf, type Forms, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { idBehind } from '../support/checkout-link.ts'
import { codeFor, createBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, lookup } from '../support/journey.ts'
import { formsIn, valuesOf } from '../support/page-forms.ts'
import { newEmail } from '../support/shared-identity.ts'
import { stopMarket } from '../support/still-market.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const calculator = (locale = 'en'): string =>
  `${exchange.url}/calculator/v1?locale=${locale}&partner_api_token=${exchange.sandbox.public_key}`

/** What a browser sends that presses *Continue* on a page of the calculator. */
async function continued(url: string): Promise<Record<string, string>> {
  const [form = assert.fail('no form')] = formsIn((await forms.get(url)).text, url)
  return { ...valuesOf(form), do: 'continue', side: 'buy', from_amount: '120', edited: 'direct' }
}

const ordersLeft = async (...answers: Answer[]): Promise<string[]> =>
  Promise.all(answers.map(({ headers }) => idBehind(exchange, headers.get('location') ?? assert.fail('no order'))))

/** The form that was used last led nowhere: its process ended half-way. */
async function forgetLastOutcome(): Promise<void> {
  const [{ id } = assert.fail('nothing was used')] = await lookup<{ id: bigint }>(
    exchange,
    'select id from used_forms order by id desc limit 1',
  )
  const nothing = seal(exchange.service.composition.ctx.secrets.sealing, 'null', outcomePlace(id))
  await lookup(exchange, `update used_forms set outcome = $1 where id = ${id}`, [nothing])
}

it('Continue on a page that somebody went back to leads to the same order while it can be paid, and to one new order once that is over', async () => {
  const form = await continued(calculator())
  const answer = await forms.post(calculator(), form)
  const [first = '', again] = await ordersLeft(answer, await forms.post(calculator(), form))
  assert.equal(again, first)

  const checkout = answer.headers.get('location') ?? ''
  await forms.post(checkout, { do: 'cancel' }, await forms.prove(checkout, newEmail()))
  await arrive(exchange, first, 'cancelled')
  const both = await ordersLeft(
    ...(await Promise.all([forms.post(calculator(), form), forms.post(calculator(), form)])),
  )
  assert.notEqual(both[0], first)
  assert.equal(new Set(both).size, 1, 'a double click')
  assert.deepEqual(await ordersLeft(await forms.post(calculator(), form)), [both[0]])
})

it('a form of the calculator whose outcome is not known says so in the language of the page', async () => {
  for (const tag of languages) {
    const form = await continued(calculator(tag))
    assert.equal((await forms.post(calculator(tag), form)).status, 303)
    await forgetLastOutcome()
    const again = await forms.post(calculator(tag), form)
    assert.equal(again.status, 409)
    assert.ok(again.text.includes(languageOf(tag).say('problem.UNKNOWN_OUTCOME')), tag)
  }
})

it('a code whose outcome is not known is answered with a sentence in the language of the page', async () => {
  for (const tag of languages) {
    const email = newEmail()
    const { url: plain } = await createBuy(exchange, { customer: { contact_info: { email } } })
    const url = plain.replace('/checkout', `/${tag}/checkout`)
    const cookie = cookieOf(await forms.post(url, { do: 'send' }))
    const form = {
      do: 'code',
      code: await codeFor(exchange, email),
      accepts: shownTerms,
      once: `the-once-of-a-form-in-${tag}`,
    }
    assert.equal((await forms.post(url, form, { cookie })).status, 303)
    await forgetLastOutcome()
    const again = await forms.post(url, form, { cookie })
    assert.equal(again.status, 409)
    assert.ok(again.text.includes(languageOf(tag).say('problem.UNKNOWN_OUTCOME')), tag)
  }
})
