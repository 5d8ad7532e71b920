import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { arriveAt, asked, buyOf, newEmail, ready, valueIn, valuesIn, whole } from '../support/billing.ts'
import { titleOf } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Body, checkOut, read, type Refused } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

const part = { first_name: whole.first_name, city: whole.city }
const { first_name: _first, city: _city, ...rest } = whole

describe('billing_info', () => {
  it('when passed, is saved and kept between different transactions of the same user', async () => {
    const email = newEmail()
    await buyOf(exchange, email, whole)
    const second = await buyOf(exchange, email.toUpperCase())
    const { get } = await arriveAt(exchange, second.redirect_url, email)
    const page = await get()
    assert.equal(titleOf(page), ready)
    for (const text of Object.values(whole)) {
      const shown = text === 'NL' ? 'Netherlands' : text
      assert.ok(page.text.includes(shown), shown)
    }
    assert.deepEqual(valuesIn((await get('billing')).text), whole)
  })

  it('when only part is passed, is filled in and saved, and the user must still fill the remaining fields', async () => {
    const email = newEmail()
    const first = await buyOf(exchange, email, part)
    const { get, post } = await arriveAt(exchange, first.redirect_url, email)
    const page = await get()
    assert.equal(titleOf(page), asked)
    const blank = Object.fromEntries(Object.keys(rest).map((name) => [name, name === 'country_alpha_2' ? 'DE' : '']))
    assert.deepEqual(valuesIn(page.text), { ...blank, ...part })

    const refused = await post({ do: 'billing', ...part, country_alpha_2: 'NL', region: '  ' })
    assert.deepEqual([refused.status, titleOf(refused)], [400, asked])
    for (const name of Object.keys(rest)) {
      const isMissing = name !== 'country_alpha_2'
      assert.equal(refused.text.includes(`id="${name}-problem"`), isMissing, name)
    }
    assert.equal(valueIn(refused.text, 'country_alpha_2'), 'NL', 'what was typed is there to be mended')
    assert.equal((await read(exchange, first.id)).status, 'waiting_for_customer')

    assert.equal((await post({ do: 'billing', ...whole })).status, 303)
    assert.equal(titleOf(await get()), ready)
    assert.equal((await read(exchange, first.id)).status, 'waiting_for_deposit')

    const later = await buyOf(exchange, email)
    assert.equal(
      titleOf(await (await arriveAt(exchange, later.redirect_url, email)).get()),
      ready,
      'nothing is asked twice',
    )
  })

  it('passed in part before is asked for in a later transaction that passes nothing', async () => {
    const email = newEmail()
    await buyOf(exchange, email, part)
    await buyOf(exchange, email, { region: whole.region, first_name: 'Mina' })
    const later = await buyOf(exchange, email)
    const page = await (await arriveAt(exchange, later.redirect_url, email)).get()
    assert.equal(titleOf(page), asked)
    const { first_name: name, city, region } = valuesIn(page.text)
    assert.deepEqual([name, city, region], ['Mina', whole.city, whole.region], 'the newer over the older')
  })

  it('may be changed by the user manually at the payment step', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, whole)
    const { get, post } = await arriveAt(exchange, order.redirect_url, email)
    assert.equal((await read(exchange, order.id)).status, 'waiting_for_deposit')
    assert.match((await get()).text, /ask=billing">Change billing information/)

    const moved = { ...whole, city: 'Haarlem', apt_number: '' }
    const refused = await post({ do: 'billing', ...moved }, 'billing')
    assert.deepEqual([refused.status, refused.text.includes('id="apt_number-problem"')], [400, true])
    assert.equal((await post({ do: 'billing', ...moved, no_apartment: 'yes' }, 'billing')).status, 303)
    const page = await get()
    assert.equal(titleOf(page), ready)
    assert.ok(page.text.includes('Haarlem') && !page.text.includes(whole.city) && !page.text.includes('77b'))
    const form = (await get('billing')).text
    assert.match(form, /name="no_apartment" value="yes" checked/)
    assert.equal((await read(exchange, order.id)).status, 'waiting_for_deposit')
  })

  it('that the customer has typed stays as it is, whatever a partner passes afterwards', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, part)
    const { post } = await arriveAt(exchange, order.redirect_url, email)
    await post({ do: 'billing', ...whole })

    const later = await buyOf(exchange, email, {
      ...whole,
      last_name: 'Anders',
      gender: 'f',
      date_of_birthday: '23.04.1987',
    })
    const form = (await (await arriveAt(exchange, later.redirect_url, email)).get('billing')).text
    assert.deepEqual(valuesIn(form), whole)
    assert.deepEqual([valueIn(form, 'gender'), valueIn(form, 'date_of_birthday')], ['F', '23.04.1987'])
  })

  it('of a country that is not served lets nobody pay', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, { ...whole, country_alpha_2: 'IR' })
    const { get, post } = await arriveAt(exchange, order.redirect_url, email)
    const page = await get()
    assert.equal(titleOf(page), asked)
    assert.match(page.text, /in a country where we don’t offer this exchange/)
    const refused = await post({ do: 'billing', ...whole, country_alpha_2: 'IR' })
    assert.deepEqual([refused.status, refused.text.includes('id="country_alpha_2-problem"')], [403, true])
    assert.equal((await read(exchange, order.id)).status, 'waiting_for_customer')
  })

  it('is completed by the sandbox’s test customer', async () => {
    const order = await buyOf(exchange, newEmail(), part)
    assert.equal((await checkOut(exchange, order.id)).status, 'waiting_for_deposit')
    const noEmail = await buyOf(exchange, undefined, { gender: 'O' }, { customer: { billing_info: { gender: 'O' } } })
    assert.equal((await checkOut(exchange, noEmail.id)).status, 'waiting_for_deposit')
  })

  it('and its formats: each is told with its path, and a form at the checkout is judged alike', async () => {
    const wrong: [Body, string[]][] = [
      [{ date_of_birthday: '1987-04-23' }, ['date_of_birthday']],
      [{ date_of_birthday: '31.02.1987' }, ['date_of_birthday']],
      [{ date_of_birthday: '23.04.2015' }, ['date_of_birthday']],
      [{ gender: 'male' }, ['gender']],
      [{ country_alpha_2: 'Germany' }, ['country_alpha_2']],
      [{ country_alpha_2: 'DE', us_region_alpha_2: 'NY' }, ['us_region_alpha_2']],
      [{ country_alpha_2: 'US', us_region_alpha_2: 'US-NY' }, ['us_region_alpha_2']],
    ]
    for (const [billing, paths] of wrong) {
      const body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', customer: { billing_info: billing } }
      const answer = await exchange.api<Refused>('/v1/transaction', { body })
      assert.deepEqual([answer.status, answer.body.code], [400, 'BAD_REQUEST'])
      assert.deepEqual(
        answer.body.errors.map(({ path }) => path),
        paths.map((name) => `customer.billing_info.${name}`),
      )
    }
    const email = newEmail()
    const born = { date_of_birthday: '23.04.1987', gender: 'F' }
    const order = await buyOf(exchange, email, { ...whole, ...born })
    const { get, post } = await arriveAt(exchange, order.redirect_url, email)
    for (const [name, value] of [
      ['date_of_birthday', '31.02.1987'],
      ['gender', 'X'],
      ['country_alpha_2', 'Germany'],
      ['city', 'x'.repeat(256)],
    ] as const) {
      const refused = await post({ do: 'billing', ...whole, ...born, [name]: value }, 'billing')
      assert.deepEqual([refused.status, refused.text.includes(`id="${name}-problem"`)], [400, true], name)
    }
    const american = { ...whole, country_alpha_2: 'US', us_region_alpha_2: 'NY' }
    assert.equal((await post({ do: 'billing', ...american }, 'billing')).status, 303)
    assert.equal(valueIn((await get('billing')).text, 'us_region_alpha_2'), 'NY')
    assert.equal((await post({ do: 'billing', ...american, country_alpha_2: 'NL' }, 'billing')).status, 303)
    assert.equal(valueIn((await get('billing')).text, 'us_region_alpha_2'), undefined, 'it goes with the US only')
  })

  it('is asked for in a form that works without scripts, with a label and a meaning for each field', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, part)
    const { text } = await (await arriveAt(exchange, order.redirect_url, email)).get()
    for (const name of Object.keys(whole)) assert.ok(text.includes(`<label for="${name}">`), name)
    const meanings =
      'given-name family-name country address-level1 address-level2 address-line1 address-line2 postal-code'
    for (const meaning of meanings.split(' ')) assert.ok(text.includes(`autocomplete="${meaning}"`), meaning)
  })
})
