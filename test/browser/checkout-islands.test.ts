import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, heading, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, read } from '../support/journey.ts'

/** Stands in for what the browser under test does not have: a camera, and what reads codes. */
const camera = `
  const canvas = document.createElement('canvas')
  let shade = 0
  setInterval(() => {
    const context = canvas.getContext('2d')
    context.fillStyle = 'rgb(' + (shade = (shade + 9) % 255) + ',0,0)'
    context.fillRect(0, 0, 99, 99)
  }, 40)
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(canvas.captureStream())
  window.BarcodeDetector = class {
    detect() {
      return Promise.resolve(window.before ? [{ rawValue: window.before }] : [])
    }
  }`

describe('the checkout with scripts', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  let customers = 0
  const asked = 'Where should we send your Bitcoin?'
  const field = (page: Page) => page.getByLabel('BTC address on Bitcoin')

  /** A customer at the page that asks for the address. */
  async function atAddress(): Promise<{ page: Page; url: string; id: string }> {
    customers += 1
    const { url, id } = await createBuy(exchange)
    const page = await openPage(browser, url, phones.with)
    await becomeKnown(page, exchange, `islands-${customers}@example.com`)
    await heading(page, asked)
    return { page, url, id }
  }

  it('tells what is wrong with an address when its field is left, and takes it back when it is right', async () => {
    const { page } = await atAddress()
    await field(page).fill(`${someAddress.slice(0, -1)}5`)
    await page.keyboard.press('Tab')
    await page.locator('#payout_address-problem').waitFor()
    assert.match((await page.locator('#payout_address-problem').textContent()) ?? '', /checksum/i)
    assert.equal(await field(page).getAttribute('aria-invalid'), 'true')
    assert.match(
      (await field(page).getAttribute('aria-describedby')) ?? '',
      /payout_address-hint payout_address-problem/,
    )
    assert.match((await page.locator('#live').textContent()) ?? '', /checksum/i)

    await field(page).fill(someAddress)
    await page.keyboard.press('Tab')
    await page.locator('#payout_address-problem').waitFor({ state: 'detached' })
    assert.equal(await field(page).getAttribute('aria-invalid'), null)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Review and pay')
  })

  it('fills an address in from the clipboard, also out of a payment request', async () => {
    const { page } = await atAddress()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.evaluate(`navigator.clipboard.writeText('bitcoin:${someAddress}?amount=0.1&label=Me')`)
    await page.getByRole('button', { name: 'Paste' }).click()
    await page.getByText('Filled in.').waitFor()
    assert.equal(await field(page).inputValue(), someAddress)
    assert.equal(await page.evaluate('document.activeElement.id'), 'payout_address')
  })

  it('fills an address in from a code before the camera, and offers that only where there is something to read it', async () => {
    const { page } = await atAddress()
    assert.equal(
      await page.getByRole('button', { name: 'Scan a QR code' }).isVisible(),
      await page.evaluate('"BarcodeDetector" in window'),
    )
    await page.addInitScript(camera)
    await page.reload()
    await page.getByRole('button', { name: 'Scan a QR code' }).click()
    await page.getByRole('dialog').getByText('Hold your wallet’s QR code').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await field(page).inputValue(), '')

    await page.getByRole('button', { name: 'Scan a QR code' }).click()
    await page.getByRole('dialog').waitFor()
    await page.evaluate(`window.before = 'BITCOIN:${someAddress.toUpperCase()}'`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await field(page).inputValue(), someAddress.toUpperCase())
  })

  it('says that a price has ended, and renews it in place: what has been typed stays', async () => {
    const { page, url, id } = await atAddress()
    const endsAt = Date.parse((await read(exchange, id)).quote_expires_at)
    const leftMs = endsAt - exchange.service.composition.ctx.clock.now().getTime()
    await advance(exchange, `PT${Math.floor(leftMs / 1_000) - 25}S`)
    await page.goto(url)
    await page.getByText('This price holds for').first().waitFor()
    await field(page).fill('half an addr')
    const renew = page.getByRole('button', { name: 'Get a new price' })
    await renew.waitFor()
    assert.match((await page.locator('.deadlines').textContent()) ?? '', /This price has expired/)
    assert.match((await page.locator('#live').textContent()) ?? '', /This price has expired/)
    await renew.click()
    await page.getByText('This price holds for').first().waitFor()
    await renew.waitFor({ state: 'hidden' })
    assert.equal(await field(page).inputValue(), 'half an addr')
    assert.equal(await page.locator('.deadlines [aria-live], .deadlines [role]').count(), 0, 'seconds are not read out')
  })

  it('says what is left after a phone was put away: the server’s time counts, not how long the page ticked', async () => {
    const { page } = await atAddress()
    const deadlines = page.locator('.deadlines')
    await deadlines.getByText(/^Pay within (28|29|30) minutes/).waitFor()
    await advance(exchange, 'PT10M')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await deadlines.getByText(/^This price holds for [34]:/).waitFor()
    await deadlines.getByText(/^Pay within (18|19|20) minutes/).waitFor()
    await advance(exchange, 'PT6M')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await deadlines.getByText(/^This price has expired/).waitFor()
    await page.getByRole('button', { name: 'Get a new price' }).waitFor()
    await deadlines.getByText(/^Pay within (12|13|14) minutes/).waitFor()
  })

  it('takes back on top what it takes back at the field', async () => {
    const { page } = await atAddress()
    page.removeAllListeners('console')
    await page.getByRole('button', { name: 'Continue' }).click()
    const onTop = page.getByRole('alert')
    await onTop.getByRole('link', { name: 'Enter the address' }).waitFor()
    await field(page).fill(`${someAddress.slice(0, -1)}5`)
    await page.keyboard.press('Tab')
    await onTop.getByRole('link', { name: /checksum/ }).waitFor()
    await field(page).fill(someAddress)
    await page.keyboard.press('Tab')
    await onTop.waitFor({ state: 'detached' })
  })

  it('says that there is no connection, keeps what was typed, and sends it once there is one', async () => {
    const { page } = await atAddress()
    page.removeAllListeners('console')
    await field(page).fill(someAddress)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('You’re offline').waitFor()
    await heading(page, asked)
    assert.equal(await field(page).inputValue(), someAddress)

    await page.context().setOffline(false)
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Review and pay')
  })

  it('explains wallets to those who have none yet, and leads nowhere', async () => {
    const { page } = await atAddress()
    await page.getByText('I don’t have a wallet yet').click()
    const help = page.locator('details').filter({ hasText: 'I don’t have a wallet yet' })
    await help.getByText(/A wallet is an app/).waitFor()
    assert.equal(await help.locator('a').count(), 0)
  })

  it('moves on by itself when another tab has', async () => {
    const { page, url } = await atAddress()
    const other = await page.context().newPage()
    await other.goto(url)
    await field(page).fill('half an addr')
    await field(other).fill(someAddress)
    await other.getByRole('button', { name: 'Continue' }).click()
    await heading(other, 'Review and pay')
    await heading(page, 'Review and pay')
  })
})
