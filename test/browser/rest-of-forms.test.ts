import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { buyOf, whole } from '../support/billing.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { cookieOf, type Forms, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { tidOf } from '../support/checkout-link.ts'
import { codeFor, createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, pay, railEvent, readyToPay, seen } from '../support/journey.ts'
import { newEmail } from '../support/shared-identity.ts'

/** Forms that the roads through the checkout do not come by, and those of the start page. */
describe('forms beside the usual way, in a browser without scripts', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let forms: Forms
  before(async () => {
    ;[exchange, browser] = await Promise.all([
      startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' }),
      launchBrowser(),
    ])
    forms = formsOn(exchange)
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  /** The page of somebody who has proven the e-mail address of an order. */
  async function proven(url: string, email: string, accepts = shownTerms): Promise<Page> {
    await forms.post(url, { do: 'send' })
    const answer = await forms.post(url, { do: 'code', code: await codeFor(exchange, email), accepts })
    const [name = '', value = ''] = cookieOf(answer).split('=')
    const context = await browser.newContext({ javaScriptEnabled: false })
    await context.addCookies([{ name, value, url: exchange.url }])
    const page = await context.newPage()
    await page.goto(url)
    return page
  }

  /** Sends the form that does something, with what is typed into it. */
  async function send(page: Page, does: string, typed: Readonly<Record<string, string>> = {}): Promise<void> {
    const form = page.locator(`form:has(input[name="do"][value="${does}"])`).first()
    for (const [name, text] of Object.entries(typed)) {
      const field = form.locator(`[name="${name}"]`)
      if ((await field.evaluate(({ tagName }) => tagName)) === 'SELECT') await field.selectOption(text)
      else await field.fill(text)
    }
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await form.getByRole('button').last().click()
    assert.equal((await answered).status() < 400, true, `${does}: ${(await answered).status()}`)
    await page.waitForLoadState()
  }

  /** An order on hold because too little was paid. */
  async function underpaid(body = {}, amount = '60'): Promise<{ id: string; page: Page }> {
    const { id, email } = await readyToPay(exchange, body)
    await pay(exchange, id, { amount })
    await arrive(exchange, id, 'on_hold')
    const url = `${exchange.url}/en/checkout?tid=${await tidOf(exchange, id)}`
    return { id, page: await proven(`${url}&ask=proof`, email ?? '') }
  }

  it('exchange what has come, send it back, and send it to another address', async () => {
    const less = await underpaid()
    await send(less.page, 'accept')
    await arrive(exchange, less.id, 'finished')
    const back = await underpaid({ from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }, '0.002')
    await send(back.page, 'refund')
    await arrive(exchange, back.id, 'refunded')
    await railEvent(exchange, back.id, 'bounce')
    await seen(exchange, back.id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
    await back.page.reload()
    await send(back.page, 'refund_address', { refund_address: someAddress })
    await arrive(exchange, back.id, 'refunded')
  })

  it('take billing details, agree to other terms, and ask for another code', async () => {
    const email = newEmail()
    const { redirect_url: url } = await buyOf(exchange, email, { city: whole.city })
    const billing = await proven(url, email)
    await send(billing, 'billing', whole)
    await billing.locator('[name="do"][value="billing"]').waitFor({ state: 'detached' })

    const other = newEmail()
    const order = await createBuy(exchange, { customer: { contact_info: { email: other } } })
    const terms = await proven(order.url, other, '0 1')
    await terms.getByRole('heading', { name: 'Before you continue' }).waitFor()
    await send(terms, 'terms')

    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    await page.goto((await createBuy(exchange)).url)
    await send(page, 'email', { email: newEmail() })
    await send(page, 'resend')
  })

  it('play a scenario from the start page, and open the console and the portal', async () => {
    const page = await browser.newPage()
    for (const [name, path] of [
      ['Open the console', '/console'],
      ['Open the portal', '/portal'],
    ] as const) {
      await page.goto(exchange.url)
      await page.getByRole('button', { name }).click()
      await page.waitForURL(exchange.url + path)
    }
    await page.goto(exchange.url)
    await page.locator('form:has(input[name="name"][value="card-buy"]) button').click()
    await page.getByText(/^Played: /).waitFor()
  })
})
