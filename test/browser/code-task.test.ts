import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { heading, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { putInForce } from '../support/policies.ts'

describe('a browser of a network that asks for many codes', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({}), launchBrowser()])
    const { ctx } = exchange.service.composition
    const { document } = ctx.policies.at(ctx.clock.now(), 'caps')
    const { one_time_codes: codes } = document as { one_time_codes: object }
    const changed = { ...codes, proof_of_work: { per_network: 1, in_all: 3_000, bits: 12 } }
    await putInForce(ctx, { kind: 'caps', document: { ...(document as object), one_time_codes: changed } })
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  /** Asks for a code for a new order. */
  async function askForCode(name: string) {
    const { url } = await createBuy(exchange)
    const page = await openPage(browser, url, phones.with)
    await page.getByLabel('Email address').fill(`${name}@example.com`)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    return page
  }

  it('solves a task that its customer does not notice; without scripts it is told what helps', async () => {
    await heading(await askForCode('first'), 'Enter your code')
    const page = await askForCode('second')
    await heading(page, 'Enter your code')

    const { url } = await createBuy(exchange)
    const bare = await openPage(browser, url, phones.without)
    await bare.locator('noscript .hint').waitFor({ state: 'visible' })
  })
})
