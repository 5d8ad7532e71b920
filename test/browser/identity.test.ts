import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { becomeKnown, goOn, heading, openPage, phones, refreshTo } from '../support/checkout-browser.ts'
import { createBuy, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive } from '../support/journey.ts'
import { newEmail } from '../support/shared-identity.ts'
import { visitor } from '../support/identity-check.ts'

describe('the check of the identity in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  for (const scripts of ['with', 'without'] as const) {
    it(`is asked again, passes and leads on to paying, ${scripts} scripts`, async () => {
      const email = newEmail()
      await visitor(exchange, email, { amount: 14_000 })
      const { id, url } = await createBuy(exchange, { from_amount: 14_000 })
      const page = await openPage(browser, url, phones[scripts])
      await becomeKnown(page, exchange, email)
      await page.getByLabel('BTC address on Bitcoin').fill(someAddress)
      await goOn(page)
      // The address was used before, so nothing is asked about it.
      await heading(page, 'Confirm your identity')
      await page.getByRole('button', { name: 'Start the check' }).click()
      await page.getByRole('button', { name: 'A blurred photo' }).click()
      if (scripts === 'without') await refreshTo(page, 'Please submit your document again')
      await heading(page, 'Please submit your document again')
      await page.getByRole('button', { name: 'Submit it again' }).click()
      await page.getByRole('button', { name: 'A passport that can be read' }).click()
      await page.getByRole('button', { name: 'The same person' }).click()
      await arrive(exchange, id, 'waiting_for_deposit')
      if (scripts === 'without') await refreshTo(page, 'Review and pay')
      await heading(page, 'Review and pay')
    })
  }
})
