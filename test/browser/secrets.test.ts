import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { generateMnemonic } from '@scure/bip39'
import { wordlist as english } from '@scure/bip39/wordlists/english'
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese'
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish'
import type { Browser, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, heading, openPage, phones } from '../support/checkout-browser.ts'
import { createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { secretKeys, secretSpellings } from '../support/secret-samples.ts'
import { everyTable, isIn } from '../support/traces.ts'

/** What wallets show their owners: keys of every family, and phrases. */
const secrets = [
  ...Object.values(secretKeys).flatMap((key) => secretSpellings.map((spell) => spell(key))),
  ...[english, japanese, simplifiedChinese, spanish].map((list) => generateMnemonic(list, 128)),
  `bitcoin:${generateMnemonic(english, 256).replaceAll(' ', '%20')}`,
]

describe('a secret in a field of the checkout', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let page: Page
  const sent: string[] = []
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    const { url } = await createBuy(exchange)
    page = await openPage(browser, url, phones.with)
    await becomeKnown(page, exchange, 'secrets@example.com')
    await heading(page, 'Where should we send your Bitcoin?')
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  })
  after(async () => {
    await browser.close()
    await exchange.stop()
  })

  it('is warned of and cleared at once, and never sent', async () => {
    const field = page.getByLabel('BTC address on Bitcoin')
    const problem = page.locator('#payout_address-problem')
    for (const secret of secrets) {
      await field.fill(secret)
      assert.equal(await field.inputValue(), '', secret)
      assert.match((await problem.textContent()) ?? '', /private key or a recovery phrase/, secret)
      assert.equal(await field.getAttribute('aria-invalid'), 'true')
    }
    await page.keyboard.press('Tab')
    for (const request of sent) assert.ok(!/payout_address=[^&]/.test(request), request)

    await field.fill(someAddress)
    await page.getByRole('button', { name: 'Continue' }).click()
    await heading(page, 'Review and pay')
  })

  it('is stored nowhere', async () => {
    for (const [table, rows] of await everyTable(exchange.ownerUrl))
      for (const secret of secrets) assert.ok(!isIn(rows, secret), table)
  })
})
