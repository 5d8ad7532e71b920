import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { isCreditorReference } from '../../src/reference/bank/creditor-reference.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, given, goOn, heading, isTooWide, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy, recordOfBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { pay } from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'

const bySepa = { deposit: { payment_category: 'SEPA' } }

describe('a buy by bank transfer in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
    stopMarket(exchange)
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  const toPayment = async (page: Page, email: string): Promise<void> => {
    await becomeKnown(page, exchange, email)
    await page.getByLabel('BTC address on Bitcoin').fill(someAddress)
    await goOn(page)
  }

  it('goes from the link to coins on the chain, on a phone', async () => {
    const buy = await createBuy(exchange, bySepa)
    const page = await openPage(browser, buy.url, phones.with)
    await toPayment(page, 'sepa@example.com')

    await heading(page, 'Send 100.00 EUR')
    assert.equal(await isTooWide(page), false)
    assert.equal(await given(page, 'Exact amount'), '100.00 EUR')
    assert.match(await given(page, 'IBAN'), /^DE\d{20}$/)
    assert(isCreditorReference(await given(page, 'Payment reference')))
    assert.equal(await page.locator('.qr svg').count(), 1)
    assert.equal((await recordOfBuy(exchange, buy.id)).status, 'waiting_for_deposit')

    await pay(exchange, buy.id)
    await heading(page, 'Your Bitcoin was sent')
    const record = await recordOfBuy(exchange, buy.id)
    assert.equal(record.status, 'finished')
    assert.equal(record.deposit_payment_category, 'SEPA')
    assert((await page.textContent('main'))?.includes(String(record.output_hash)))
  })

  it('holds still while it becomes able to copy, and copies to the letter', async () => {
    const { url } = await createBuy(exchange, bySepa)
    const page = await openPage(browser, url, { ...phones.with, permissions: ['clipboard-read', 'clipboard-write'] })
    await toPayment(page, 'copies@example.com')
    await heading(page, 'Send 100.00 EUR')
    const shift = await page.evaluate(async () => {
      const seen = new PerformanceObserver(() => undefined)
      seen.observe({ type: 'layout-shift', buffered: true })
      await new Promise(requestAnimationFrame)
      return seen.takeRecords().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0)
    })
    assert.equal(shift, 0)

    for (const [name, text] of [
      ['Exact amount', '100'],
      ['IBAN', await given(page, 'IBAN')],
      ['Payment reference', await given(page, 'Payment reference')],
    ] as const) {
      await page.getByRole('button', { name: new RegExp(`^Copy ${name}`) }).click()
      await page.getByRole('button', { name: new RegExp(`^Copied ${name}`) }).waitFor()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text)
    }
  })

  it('lets another way to pay be chosen, each with what would come out, until money is seen', async () => {
    const buy = await createBuy(exchange, { deposit: { payment_category: 'VISA_MC' } })
    const page = await openPage(browser, buy.url, phones.with)
    await toPayment(page, 'other-way@example.com')
    await heading(page, 'Review and pay')
    await page.getByRole('link', { name: 'Pay another way' }).click()
    await heading(page, 'How do you want to pay?')
    assert.equal(await isTooWide(page), false)
    const offered = await page.locator('.way-to-pay').allTextContents()
    const amounts = offered.map((text) => Number(/You receive (\S+)\sBTC/.exec(text)?.[1]))
    assert.ok(new Set(amounts).size > 1, 'they differ')
    assert.deepEqual(
      amounts,
      amounts.toSorted((one, other) => other - one),
      'the best comes first',
    )
    const choice = page.getByRole('button', { name: /SEPA bank transfer/ })
    const promised = /You receive (\S+)\sBTC/.exec((await choice.textContent()) ?? '')?.[1]
    await choice.click()

    await heading(page, 'Send 100.00 EUR')
    const record = await recordOfBuy(exchange, buy.id)
    assert.equal(record.deposit_payment_category, 'SEPA')
    assert.equal(record.expected_to_amount, promised)
    assert.equal(await page.getByRole('heading', { level: 2, name: `You receive ${promised}` }).count(), 1)

    await pay(exchange, buy.id)
    await heading(page, 'Your Bitcoin was sent')
    await page.goto(`${buy.url}&ask=method`)
    await heading(page, 'Your Bitcoin was sent')
  })

  it('shows account and reference to nobody else', async () => {
    const { url } = await createBuy(exchange, bySepa)
    const page = await openPage(browser, url, phones.with)
    await toPayment(page, 'mine-alone@example.com')
    await heading(page, 'Send 100.00 EUR')
    const reference = await given(page, 'Payment reference')

    const elsewhere = await openPage(browser, url, phones.with)
    await heading(elsewhere, 'Confirm your email')
    assert.doesNotMatch(await elsewhere.content(), new RegExp(`${reference}|${reference.slice(0, 4)}|Sandbox Bank`))
  })
})
