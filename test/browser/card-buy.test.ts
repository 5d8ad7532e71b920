import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import {
  answerCode,
  chooseCountry,
  codeFor,
  completeDetails,
  createBuy,
  fillCard,
  payWith,
  proveEmail,
  recordOfBuy,
  someAddress,
} from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const paysAlways = '4242 4242 4242 4242'

describe('a card buy in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  /** A page in a browser of its own; whatever its console complains about fails the test. */
  const open = async (url: string, options: BrowserContextOptions = phone): Promise<Page> => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.on('console', (message) => assert.notEqual(message.type(), 'error', message.text()))
    page.on('pageerror', (error) => assert.fail(error))
    await page.goto(url)
    return page
  }
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

  it('goes from the link to coins on the chain, on a phone', async () => {
    const buy = await createBuy(exchange, { redirects: { successful: 'https://shop.example/thanks/$$' } })
    const page = await open(buy.url)
    await completeDetails(page, exchange, 'phone@example.com')
    assert.equal((await recordOfBuy(exchange, buy.id)).status, 'waiting_for_deposit')
    assert.equal(await page.locator('code.address').textContent(), someAddress)

    await payWith(page, paysAlways)
    await heading(page, 'Your Bitcoin was sent')
    const record = await recordOfBuy(exchange, buy.id)
    assert.equal(record.status, 'finished')
    assert(await page.getByText(String(record.output_hash)).isVisible())
    assert((await page.textContent('main'))?.includes(String(record.to_amount)))
    const back = page.getByRole('link', { name: 'Back to Demo Wallet' })
    assert.equal(await back.getAttribute('href'), `https://shop.example/thanks/${buy.id}`)
  })

  it('asks for nothing that the partner has passed, but the code and the payment', async () => {
    const email = 'known@example.com'
    const buy = await createBuy(exchange, {
      customer: { contact_info: { email } },
      payout_info: { payout_address: someAddress, skip_choose_payout_address: true },
    })
    const page = await open(buy.url)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await answerCode(page, exchange, email)
    await chooseCountry(page, 'Germany')
    await heading(page, 'Review and pay')
    assert.equal(await page.getByRole('link', { name: 'Change address' }).count(), 0)
  })

  it('lets a declined card be followed by one that pays, after a challenge', async () => {
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    await completeDetails(page, exchange, 'declined@example.com')
    await payWith(page, '4000 0000 0000 0002')
    await page.getByText('The card was declined').waitFor()
    await page.getByRole('link', { name: 'Cancel and go back' }).click()
    await page.getByText('Your card was declined, and you weren’t charged').waitFor()
    assert.equal((await recordOfBuy(exchange, buy.id)).status, 'waiting_for_deposit')

    await payWith(page, '4000 0000 0000 3220')
    await page.getByRole('button', { name: 'It is not me' }).click()
    await page.getByText('The card was declined').waitFor()
    await fillCard(page, '4000 0000 0000 3220')
    await page.getByRole('button', { name: 'It is me' }).click()
    await heading(page, 'Your Bitcoin was sent')
  })

  it('that is paid after it was cancelled in another tab goes on, and both tabs show it by themselves', async () => {
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    await completeDetails(page, exchange, 'cancelled@example.com')
    const other = await page.context().newPage()
    await page.getByRole('button', { name: /^Pay / }).click()
    await other.goto(buy.url)
    await other.getByText('Cancel this order').click()
    await other.getByRole('button', { name: 'Yes, cancel it' }).click()
    await heading(other, 'This order was canceled')
    await fillCard(page, paysAlways)
    await Promise.all([heading(page, 'Your Bitcoin was sent'), heading(other, 'Your Bitcoin was sent')])
  })

  it('can be paid in another way by who comes back from the processor without having tried a card', async () => {
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    await completeDetails(page, exchange, 'gone-back@example.com')
    await page.getByRole('button', { name: /^Pay / }).click()
    await page.getByRole('link', { name: 'Cancel and go back' }).click()
    await page.getByText('We haven’t received a payment yet').waitFor()
    await page.getByRole('link', { name: 'Pay another way' }).click()
    await heading(page, 'How do you want to pay?')
  })

  it('is paid once, in two tabs, by the back button and by a form sent twice', async () => {
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    await completeDetails(page, exchange, 'tabs@example.com')
    const other = await page.context().newPage()
    await other.goto(buy.url)
    await page.getByRole('button', { name: /^Pay / }).click()
    await other.getByRole('button', { name: /^Pay / }).click()
    await Promise.all([fillCard(page, paysAlways), fillCard(other, paysAlways)])
    await Promise.all([heading(page, 'Your Bitcoin was sent'), heading(other, 'Your Bitcoin was sent')])

    await page.goBack()
    await page.reload()
    assert.match((await page.textContent('main')) ?? '', /Already paid|was sent|on its way/)
    const record = await recordOfBuy(exchange, buy.id)
    assert.equal(record.from_amount, '100')
    assert.equal(record.status, 'finished')
  })

  it('shows nothing personal in a browser where the e-mail address is not proven', async () => {
    const email = 'private.person@example.com'
    const buy = await createBuy(exchange, { customer: { contact_info: { email } } })
    const page = await open(buy.url)
    const elsewhere = await open(buy.url)
    const seenElsewhere = async (): Promise<string> => {
      await elsewhere.goto(buy.url)
      return elsewhere.content()
    }
    const isPersonal = /private\.person|person@|example\.com|bc1q|w508/

    assert.doesNotMatch(await seenElsewhere(), isPersonal)
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await answerCode(page, exchange, email)
    await chooseCountry(page, 'Netherlands')
    await page.getByLabel('BTC address').fill(someAddress)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Review and pay')
    assert.doesNotMatch(await seenElsewhere(), isPersonal)

    await payWith(page, paysAlways)
    await heading(page, 'Your Bitcoin was sent')
    const seen = await seenElsewhere()
    assert.match(seen, /was sent/)
    assert.doesNotMatch(seen, isPersonal)
    assert.doesNotMatch(seen, new RegExp(String((await recordOfBuy(exchange, buy.id)).output_hash)))

    await elsewhere.getByRole('link', { name: 'Show all details' }).click()
    await elsewhere.getByRole('button', { name: 'Send me a code' }).click()
    await answerCode(elsewhere, exchange, email)
    await elsewhere.getByText('bc1q').waitFor()
  })

  it('tells what is wrong beside the field, keeps what was typed, and lets it be mended', async () => {
    const email = 'mistakes@example.com'
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    const refused = async (text: string | RegExp) => {
      await page.getByRole('alert').getByText(text).waitFor()
      assert.match(await page.title(), /^Error: /)
    }
    // A refused form is answered with a status of 4xx, of which the browser's console tells.
    page.removeAllListeners('console')

    await page.getByLabel('Email address').fill('mistakes@example')
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await refused('This isn’t an email address')
    assert.equal(await page.getByLabel('Email address').inputValue(), 'mistakes@example')
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('button', { name: 'Send me a code' }).click()

    await heading(page, 'Enter your code')
    const right = await codeFor(exchange, email)
    await page.getByLabel('Code from the email').fill(right === '111111' ? '222222' : '111111')
    await refused('This isn’t the code we sent')
    assert.equal(await page.getByLabel('Code from the email').inputValue(), '')
    await answerCode(page, exchange, email)

    await heading(page, 'Where do you live?')
    await page.getByRole('button', { name: 'Continue' }).click()
    await refused('Choose your country')
    await chooseCountry(page, 'Netherlands')

    const wrong = someAddress.replace(/4$/, '5')
    await page.getByLabel('BTC address').fill(wrong)
    await page.getByRole('button', { name: 'Continue' }).click()
    await refused(/checksum/)
    assert.equal(await page.getByLabel('BTC address').inputValue(), wrong)
    await page.getByLabel('BTC address').fill(` ${someAddress}\n`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Review and pay')
  })

  it('lets a mistyped e-mail address be changed until it is proven', async () => {
    const buy = await createBuy(exchange)
    const page = await open(buy.url)
    await page.getByLabel('Email address').fill('mistyped@example.com')
    await page.getByRole('button', { name: 'Send me a code' }).click()
    await page.getByRole('link', { name: 'Use a different email address' }).click()
    await proveEmail(page, exchange, 'mended@example.com')
    await heading(page, 'Where do you live?')
    assert.equal((await recordOfBuy(exchange, buy.id)).email, 'mended@example.com')
  })
})
