import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openPath, postForm, signedCalculator } from '../support/calculator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

const signed = (query: string): string => signedCalculator(exchange, query)

const open = (path: string) => openPath(exchange, path)

const post = (path: string, fields: Record<string, string>) => postForm(exchange, path, fields)

/** What a form of the page sends of itself. */
const hiddenIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

/** The way to pay that is marked in the list. */
const wayIn = (html: string): string => /<option value="([A-Z_]+)"[^>]* selected/.exec(html)?.[1] ?? ''

describe('the ways to pay of the calculator', () => {
  it('keeps the way to pay that was wished while another is used, and returns to it, without scripts too', async () => {
    const path = signed('locale=en')
    let form: Record<string, string> = { edited: 'direct', ...hiddenIn(await (await open(path)).text()) }
    const send = async (fields: Record<string, string>): Promise<string> => {
      const html = await (await post(path, { ...form, edited: 'direct', ...fields })).text()
      form = { ...hiddenIn(html), category: wayIn(html) }
      return html
    }
    const wished = await send({ from_amount: '100', category: 'SEPA' })
    assert.equal(wayIn(wished), 'SEPA')
    assert.doesNotMatch(wished, /Payment fee/)
    const below = await send({ from_amount: '25' })
    assert.equal(wayIn(below), 'VISA_MC', 'what is in use is shown')
    assert.match(below, /Payment fee/)
    assert.match(below, /<option value="SEPA" disabled/, 'what is closed to this amount is there, and cannot be taken')
    assert.equal(wayIn(await send({ from_amount: '250' })), 'SEPA')
    assert.equal(wayIn(await send({ from: 'USD-USD' })), 'VISA_MC')
    assert.equal(wayIn(await send({ from: 'EUR-EUR' })), 'SEPA')
    assert.equal(wayIn(await send({ category: 'VISA_MC' })), 'VISA_MC', 'a new wish takes the place of the old one')
    await send({ from_amount: '25' })
    assert.equal(wayIn(await send({ from_amount: '250' })), 'VISA_MC')
  })

  it('does not go on by another way to pay than the one that was seen, and says which it is now', async () => {
    const path = signed('locale=en')
    const seen = {
      do: 'continue',
      edited: 'direct',
      from_amount: '25',
      category: 'SEPA',
      was_category: 'SEPA',
      wish: 'SEPA',
    }
    const answer = await post(path, seen)
    assert.equal(answer.status, 200)
    const html = await answer.text()
    assert.match(html, /another payment method, Card \(Visa, Mastercard\)\./)
    assert.equal(wayIn(html), 'VISA_MC')
    const again = await post(path, { ...seen, ...hiddenIn(html), edited: 'direct', category: 'VISA_MC' })
    assert.equal(again.status, 303)
  })

  it('lists the same ways to pay whatever is typed, and names the only one that there is', async () => {
    const path = signed('locale=en')
    const list = async (amount: string) =>
      [
        ...(await (await post(path, { from_amount: amount, edited: 'direct' })).text()).matchAll(
          /<option value="([A-Z_]+)"/g,
        ),
      ]
        .map(([, category]) => category)
        .join()
    const usual = await list('100')
    assert.match(usual, /VISA_MC.*SEPA/)
    for (const amount of ['2', '25', '1000000', 'ten', '']) assert.equal(await list(amount), usual, amount)
    const fixed = await (await open(signed('payment_category=SEPA'))).text()
    assert.match(fixed, /Pay with *<\/dt><dd>SEPA bank transfer</)
    assert.doesNotMatch(await (await open(signed('default_side=sell_crypto'))).text(), /Pay with/)
  })

  it('says of each way to pay from when on its price is the reader’s', async () => {
    const saysOf = async (query: string) => {
      const html = await (await open(signed(`locale=en&${query}`))).text()
      return [
        /We’ll hold it for you when you continue/.test(html),
        /We’ll set your final price when your money arrives/.test(html),
      ]
    }
    assert.deepEqual(await saysOf('payment_category=VISA_MC'), [true, false])
    assert.deepEqual(await saysOf('payment_category=SEPA'), [false, true])
    assert.deepEqual(await saysOf('default_side=sell_crypto'), [true, false])
  })
})
