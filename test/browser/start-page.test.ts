import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { axeFindings, layoutFaults, show, structureFaults } from '../support/page-faults.ts'

describe('the start page of the sandbox in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  it('leads to a checkout with one press', async () => {
    const page = await browser.newPage()
    await page.goto(exchange.url)
    await page.getByRole('button', { name: 'Buy €100 of Bitcoin' }).click()
    await page.waitForURL(/\/checkout\?tid=/)
    await page.close()
  })

  it('makes calls from the documentation, with keys that are filled in', async () => {
    const page = await browser.newPage()
    await page.goto(`${exchange.url}/docs/api/createTransaction`)
    await page.locator('[data-language] code', { hasText: exchange.sandbox.public_key }).first().waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('output', { hasText: /^201 in \d+ ms/ }).waitFor()
    assert.match(await page.locator('output').innerText(), /"redirect_url": "http/)
    await page.close()
    const foreign = await fetch(`${exchange.url}/sandbox/keys`, { headers: { origin: 'https://elsewhere.example' } })
    assert.equal(foreign.headers.get('access-control-allow-origin'), null)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1440])
      it(`is usable by everyone in ${colorScheme} colors, ${width} pixels wide`, async () => {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
        await show(page, exchange.url)
        const faults = [await axeFindings(page), await structureFaults(page), await layoutFaults(page)].flat()
        assert.deepEqual(faults, [])
        await page.close()
      })
})
