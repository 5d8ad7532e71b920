import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, given, goOn, heading, isTooWide, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy, recordOfBuy } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, pay } from '../support/journey.ts'

const sale = { from_amount: '0.05', from_currency: 'BTC', to_currency: 'EUR' }
const iban = 'NL91ABNA0417164300'
const holder = 'Jan Jansen'

describe('a sell in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  const giveAccount = async (page: Page, account = iban): Promise<void> => {
    await page.getByLabel('Account holder’s full name').fill(holder)
    await page.getByLabel('IBAN').fill(account)
    await goOn(page)
  }

  it('goes from the link to money in the account, on a phone', async () => {
    const sell = await createBuy(exchange, sale)
    const page = await openPage(browser, sell.url, phones.with)
    await becomeKnown(page, exchange, 'sell@example.com')
    await heading(page, 'Where should we send your money?')
    await giveAccount(page, 'NL91 ABNA 0417 1643 00')

    await heading(page, 'Send 0.05 BTC')
    assert.equal(await isTooWide(page), false)
    const address = await given(page, 'BTC address on Bitcoin')
    assert.match(address, /^bc1/)
    assert.equal(await given(page, 'Network'), 'Bitcoin')
    assert.equal(await given(page, 'Exact amount'), '0.05 BTC')
    const wallet = page.getByRole('link', { name: 'Open in a wallet on this device' })
    assert.equal(await wallet.getAttribute('href'), `bitcoin:${address}?amount=0.05`)
    assert.match((await page.locator('.destination').textContent()) ?? '', new RegExp(`${holder}${iban}`))

    await pay(exchange, sell.id)
    await heading(page, 'Your money was sent')
    const record = await recordOfBuy(exchange, sell.id)
    assert.equal(record.status, 'finished')
    const seen = (await page.textContent('main')) ?? ''
    for (const text of [String(record.output_hash), iban, holder, '0.05\u00A0BTC']) assert(seen.includes(text), text)
    assert.equal(await page.getByRole('link', { name: /^View on/ }).count(), 0)
  })

  it('lets a wallet be opened by the link, which the policy of the page does not stand in the way of', async () => {
    const sell = await createBuy(exchange, sale)
    const page = await openPage(browser, sell.url, phones.with)
    await becomeKnown(page, exchange, 'wallet@example.com')
    await giveAccount(page)
    await heading(page, 'Send 0.05 BTC')
    // That nobody here has a wallet is told on the console, too.
    page.removeAllListeners('console')
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    await page.getByRole('link', { name: 'Open in a wallet on this device' }).click()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    assert.doesNotMatch(said.join('\n'), /content security policy/i)
    await heading(page, 'Send 0.05 BTC')
  })

  it('tells that the coins are seen, and how long the network takes', async (t) => {
    const slow = await startExchange({ CONFIRMATIONS: 'LTC=12' }, { blockMs: 3_000 })
    t.after(() => slow.stop())
    const sell = await createBuy(slow, { ...sale, from_currency: 'LTC', from_amount: '5' })
    const page = await openPage(browser, sell.url, phones.with)
    await becomeKnown(page, slow, 'confirming@example.com')
    await giveAccount(page)
    await heading(page, 'Send 5 LTC')
    await pay(slow, sell.id)
    await heading(page, 'We’ve detected your payment')
    await page.getByText('We’ll credit your coins after 12 Litecoin confirmations').waitFor()
    await page.getByText('(about 30 minutes)').waitFor()
    await heading(page, 'Your money was sent')
    await page.context().close()
  })

  it('tells what is wrong with an account beside its field, and keeps what was typed', async () => {
    const { url } = await createBuy(exchange, sale)
    const page = await openPage(browser, url, phones.with)
    await becomeKnown(page, exchange, 'wrong-account@example.com')
    // A refused form is answered with a status of 4xx, of which the browser's console tells.
    page.removeAllListeners('console')
    await giveAccount(page, 'NL91 ABNA 0417 1643 01')
    await page.getByRole('alert').getByText('This is not a valid IBAN').waitFor()
    assert.equal(await page.getByLabel('IBAN').inputValue(), 'NL91 ABNA 0417 1643 01')
    assert.equal(await page.getByLabel('Full name').inputValue(), holder)

    await page.getByLabel('IBAN').fill(iban)
    await page.getByLabel('Full name').fill(' ')
    await goOn(page)
    await page.getByRole('alert').getByText('Enter the account holder’s full name').waitFor()
    await page.getByLabel('Full name').fill(holder)
    await goOn(page)
    await heading(page, 'Send 0.05 BTC')

    await page.getByRole('link', { name: 'Change account' }).click()
    assert.equal(await page.getByLabel('IBAN').inputValue(), 'NL91 ABNA 0417 1643 00')
    await page.getByRole('link', { name: 'Keep this account' }).click()
    await heading(page, 'Send 0.05 BTC')
  })

  it('asks for another account when the bank sends the money back', async () => {
    const sell = await createBuy(exchange, sale)
    const page = await openPage(browser, sell.url, phones.with)
    await becomeKnown(page, exchange, 'bounced@example.com')
    await giveAccount(page)
    await heading(page, 'Send 0.05 BTC')
    await pay(exchange, sell.id)
    await heading(page, 'Your money was sent')

    const bounced = { body: { type: 'bounce' } }
    assert.equal((await exchange.api(`/v1/sandbox/transaction/${sell.id}/rail-event`, bounced)).status, 201)
    assert.equal((await arrive(exchange, sell.id, 'on_hold')).status_details, 'address_needed')
    const elsewhere = await openPage(browser, sell.url, phones.with)
    await heading(elsewhere, 'Your order is waiting for you')
    assert.doesNotMatch(await elsewhere.content(), new RegExp(`${iban}|${holder}`))

    // The page that was left open says so by itself.
    await page.getByText('Our payout to this account was returned').waitFor()
    await giveAccount(page, 'DE89370400440532013000')
    await heading(page, 'Your money was sent')
    assert.match((await page.textContent('main')) ?? '', /DE89370400440532013000/)
  })
})
