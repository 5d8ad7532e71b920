import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fastify from 'fastify'

import { serveAssets } from '../../src/doors/checkout/assets.ts'
import { renderOrder } from '../../src/doors/checkout/order-page.tsx'
import { checkoutSteps } from '../../src/doors/checkout/steps.ts'
import { emailKinds } from '../../src/exchange/mail/email.ts'
import { askForRefund } from '../../src/exchange/orders/choose.ts'
import type { Company } from '../../src/exchange/settings.ts'
import { languageOf, languages } from '../../src/platform/language/language.ts'
import { openPath, postForm, signedCalculator } from '../support/calculator.ts'
import { formsOn, shownTerms } from '../support/checkout-forms.ts'
import { samplePages, sampleProps } from '../support/checkout-pages.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, type Body, checkOut, create, pay, seen } from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

type Mail = { kind: string; text: string; html: string }

let exchange: Exchange
let company: Company
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
  company = exchange.service.composition.ctx.config.company ?? assert.fail('The sandbox has no company.')
})
after(() => exchange.stop())

/** Company, license, address and support contact are in a text that a customer reads. */
function assertHelp(text: string, where: string): void {
  for (const part of Object.values(company)) assert.ok(text.includes(part), `${where} lacks ${part}`)
}

type Order = { id: string; url: string; email: string }

async function order(tag: string, name: string, body: Body = {}): Promise<Order> {
  const email = `${name}-${tag}@example.com`
  const { id, redirect_url: url } = await create(exchange, { locale: tag, ...body })
  await formsOn(exchange).prove(url, email)
  await checkOut(exchange, id, { email })
  return { id, url, email }
}

/** Wrong codes, then a second browser. */
async function alarm({ url, email }: Order): Promise<void> {
  const forms = formsOn(exchange)
  await forms.ask(`${url}&ask=proof`, email)
  for (let tried = 0; tried < 5; tried += 1) await forms.post(`${url}&ask=proof`, { do: 'code', code: '000000' })
  await advance(exchange, 'PT2M')
  await forms.post(`${url}&ask=proof`, { do: 'send' })
  const code = await codeFor(exchange, email)
  await forms.post(`${url}&ask=proof`, { do: 'code', code, accepts: shownTerms })
}

const receiptOf = async ({ id }: Order): Promise<string> =>
  (await seen(exchange, id, 'a receipt', (record) => record.receipt_url !== null)).receipt_url ?? assert.fail()

describe('a customer finds company, license, address and support contact', () => {
  it('in every kind of email and on every receipt, in every language', async () => {
    const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
    const orders = await Promise.all(
      languages.map(async (tag) => ({
        tag,
        paid: await order(tag, 'paid'),
        short: await order(tag, 'short', transfer),
        idle: await order(tag, 'idle'),
      })),
    )
    for (const { paid } of orders) await alarm(paid)
    for (const { paid, short } of orders) {
      await pay(exchange, paid.id)
      await pay(exchange, short.id, { amount: '60' })
    }
    for (const { paid, short } of orders) {
      await arrive(exchange, paid.id, 'finished')
      await seen(exchange, short.id, 'underpaid', (record) => record.status_details === 'underpaid')
    }
    await advance(exchange, 'P3D')
    const mailsTo = async ({ email }: Order) =>
      (await exchange.api<Mail[]>(`/v1/sandbox/mail?to=${encodeURIComponent(email)}`)).body
    for (const { tag, paid, short, idle } of orders) {
      await until(async () => (await mailsTo(short)).some(({ kind }) => kind === 'reminder'), `a reminder in ${tag}`)
      await askForRefund(exchange.service.composition.ctx, BigInt(short.id))
      await arrive(exchange, short.id, 'refunded')
      await arrive(exchange, idle.id, 'expired')
      const mails = (await Promise.all([paid, short, idle].map(mailsTo))).flat()
      assert.deepEqual([...new Set(mails.map(({ kind }) => kind))].toSorted(), [...emailKinds].toSorted(), tag)
      for (const { kind, text, html } of mails)
        for (const written of [text, html]) assertHelp(written, `${kind} in ${tag}`)
      for (const one of [paid, short]) {
        const receipt = await receiptOf(one)
        const page = new URL(receipt)
        page.pathname = `/${tag}${page.pathname}`
        assertHelp((await formsOn(exchange).get(page.href)).text, `receipt in ${tag}`)
        assert.deepEqual(
          ((await (await fetch(`${receipt}?format=json`)).json()) as { company: unknown }).company,
          company,
        )
      }
    }
  })

  it('on every step of the checkout, in every state that it has, in every language', async () => {
    assert.deepEqual(
      [...new Set(Object.values(samplePages).map(({ step }) => step))].toSorted(),
      Object.keys(checkoutSteps).toSorted(),
      'each step has a sample',
    )
    const assets = serveAssets(fastify())
    for (const [name, sample] of Object.entries(samplePages)) {
      const props = await sampleProps(sample)
      for (const tag of languages) {
        const shown = { ...props, notices: { ...props.notices, company }, language: languageOf(tag) }
        assertHelp(renderOrder(shown, assets), `${name} in ${tag}`)
      }
    }
  })

  it('on the pages of an exchange that are no step: unknown orders, terms, privacy, foreign forms', async () => {
    const forms = formsOn(exchange)
    const { redirect_url: url } = await create(exchange)
    for (const tag of languages) {
      for (const path of ['/checkout?tid=unknown', '/receipt/unknown', '/terms', '/privacy']) {
        const { text } = await forms.get(`${exchange.url}/${tag}${path}`)
        assertHelp(text, `${path} in ${tag}`)
      }
      const page = url.replace('/checkout', `/${tag}/checkout`)
      assertHelp((await forms.get(page)).text, `an order in ${tag}`)
      const foreign = await forms.post(
        page,
        { do: 'email', email: 'a@example.com' },
        { origin: 'https://evil.example' },
      )
      assert.equal(foreign.status, 403)
      assertHelp(foreign.text, `a foreign form in ${tag}`)
    }
  })

  it('in the calculator: of both versions, narrow and wide, denied, refused, and without anything to buy', async () => {
    const key = `partner_api_token=${exchange.sandbox.public_key}`
    for (const tag of languages) {
      const signed = (query: string) => signedCalculator(exchange, `locale=${tag}&${query}`)
      const nothing = `fiat_currencies_list=${encodeURIComponent('[{"ticker":"XXX"}]')}`
      const paths: [path: string, status: number][] = [
        [signed('type=narrow'), 200],
        [signed('type=wide&default_side=sell_crypto'), 200],
        [signed('default_side=swap_crypto'), 200],
        [signed(nothing), 200],
        [`/calculator/v1?locale=${tag}&${key}`, 200],
        [`/calculator/v1?locale=${tag}`, 401],
        [`${signed('type=wide')}0`, 401],
        [`/calculator?locale=${tag}`, 404],
      ]
      for (const [path, status] of paths) {
        const answer = await openPath(exchange, path)
        assert.equal(answer.status, status, path)
        assertHelp(await answer.text(), path)
      }
      const path = signed('type=narrow')
      const foreign = await postForm(exchange, path, { do: 'update' }, { origin: 'https://evil.example' })
      assert.equal(foreign.status, 403)
      assertHelp(await foreign.text(), 'a foreign form')
      const refused = await postForm(exchange, path, { do: 'continue', from_amount: '1', edited: 'direct' })
      assertHelp(await refused.text(), 'an amount that is too small')
    }
  })
})
