import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { findListing } from '../../src/reference/catalog/asset.ts'
import { findNetwork } from '../../src/reference/catalog/network.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, given, goOn, heading, isTooWide, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy, recordOfBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { pay } from '../support/journey.ts'

const swap = { from_amount: '500', from_currency: 'XRP', to_currency: 'USDT', to_network: 'TRX' }

describe('a swap in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  const address = findNetwork('TRX')?.addressExample ?? ''
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  const toPayment = async (page: Page, email: string): Promise<void> => {
    await becomeKnown(page, exchange, email)
    await heading(page, 'Where should we send your Tether USD?')
    await page.getByLabel('USDT address on Tron').fill(address)
    await goOn(page)
    await heading(page, 'Send 500 XRP')
  }

  it('goes from coins to other coins, with a tag, on a phone', async () => {
    const { id, url } = await createBuy(exchange, swap)
    const page = await openPage(browser, url, phones.with)
    await toPayment(page, 'swap@example.com')
    assert.equal(await isTooWide(page), false)
    const tag = await given(page, 'Destination tag')
    assert.match(tag, /^\d{10}$/)
    assert.match(await given(page, 'XRP address on'), /^r/)
    await page.getByText('Send only XRP').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Pay another way' }).count(), 0)

    await pay(exchange, id)
    await heading(page, 'Your Tether USD was sent')
    const record = await recordOfBuy(exchange, id)
    assert.equal(record.status, 'finished')
    const seen = (await page.textContent('main')) ?? ''
    for (const text of [String(record.output_hash), address, '500\u00A0XRP']) assert(seen.includes(text), text)

    await page.getByRole('link', { name: 'Swap again' }).click()
    await page.waitForURL(/calculator/)
    const chosen = await page.evaluate(() => ['side', 'from'].map((name) => new FormData(document.forms[0]).get(name)))
    assert.deepEqual(chosen, ['swap', findListing('XRP')?.asset.id])
  })
})
