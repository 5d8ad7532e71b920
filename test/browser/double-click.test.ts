import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { holdTransaction } from '../../src/exchange/operations/staff.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup, pay, readyToPay, seen } from '../support/journey.ts'
import { makeOperators, password } from '../support/staff-browser.ts'

describe('a double click in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let page: Page
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    await makeOperators(exchange)
    page = await browser.newPage()
    await page.goto(`${exchange.url}/console/sign-in`)
    await page.getByLabel('E-mail address').fill('admin@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${exchange.url}/console`)
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  /** Fills in the form of an action, clicks twice, and gives what the page says when both have been answered. */
  async function clickTwice(path: string, action: string, typed: Readonly<Record<string, string>>): Promise<string> {
    await page.goto(exchange.url + path)
    const form = page.locator(`form:has([name="action"][value="${action}"])`).first()
    await form.evaluate((one) => one.closest('details')?.setAttribute('open', ''))
    for (const [name, value] of Object.entries(typed)) await form.locator(`[name="${name}"]`).fill(value)
    const button = form.getByRole('button')
    await button.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await button.boundingBox()) ?? assert.fail('no button')
    let sent = 0
    const counted = (request: { method(): string }) => (sent += request.method() === 'POST' ? 1 : 0)
    page.on('request', counted)
    // The first one is under way when the second one comes.
    const slow = lookup(exchange, 'begin; lock table used_forms; select pg_sleep(1); commit')
    await page.mouse.dblclick(x + width / 2, y + height / 2, { delay: 60 })
    await Promise.all([slow, page.locator('[role="status"]').first().waitFor()])
    page.off('request', counted)
    assert.equal(sent, 2, 'forms that were sent')
    return (await page.locator('[role="status"]').allInnerTexts()).join('\n')
  }

  it('on Create key makes one key, and shows it', async () => {
    const path = `/console/partners/${exchange.sandbox.partner_id}`
    const said = await clickTwice(path, 'create', { label: 'clicked twice' })
    assert.match(said, /Save what follows\. It is not shown again\.[\s\S]*Key\s+\S{20,}/)
    assert.equal((await lookup(exchange, `select 1 from api_keys where label = 'clicked twice'`)).length, 1)
  })

  it('on Refund refunds once, and says so', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '200' })
    await holdTransaction(exchange.service.composition.ctx, BigInt(id), { reason: 'A drill.', actor: 'cli:test' })
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '200')
    const said = await clickTwice(`/console/orders/${id}`, 'refund', { amount: '40', reason: 'A part of it.' })
    assert.match(said, /40/)
    const refunds = await lookup(
      exchange,
      `select 1 from refunds join transactions on transactions.id = transaction_id where transactions.public_id = $1`,
      [id],
    )
    assert.equal(refunds.length, 1)
  })
})
