import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, BrowserContext } from 'playwright-core'

import { pages as consolePages } from '../../src/doors/console/pages.ts'
import { pages as portalPages } from '../../src/doors/portal/portal.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, create } from '../support/journey.ts'
import { placeOf } from '../support/staff-browser.ts'
import { axeFindings, show, structureFaults } from '../support/page-faults.ts'

const isPage = (path: string): boolean => !path.endsWith('.csv') && !path.endsWith('journal')

describe('the pages of the console and of the portal in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let about: Parameters<typeof placeOf>[1]
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    await exchange.api('/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })
    const { id: order, customer_id: customer } = await buy(exchange)
    about = { order, partner: exchange.sandbox.partner_id, customer: customer ?? assert.fail('nobody') }
    await create(exchange)
  })
  after(() => Promise.all([exchange.stop(), browser.close()]))

  async function signIn(context: BrowserContext, area: 'console' | 'portal'): Promise<void> {
    const { email, password } = exchange.sandbox[area === 'console' ? 'operator' : 'portal']
    const page = await context.newPage()
    await page.goto(`${exchange.url}/${area}/sign-in`)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${exchange.url}/${area}`)
    await page.close()
  }

  for (const [area, pages] of [
    ['console', consolePages],
    ['portal', portalPages],
  ] as const)
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1440, 'light'],
    ] as const)
      it(`are usable by everyone: the ${area} in ${colorScheme} colors, ${width} pixels wide`, async () => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
        await signIn(context, area)
        const page = await context.newPage()
        for (const { path } of pages.filter((one) => isPage(one.path))) {
          const place = placeOf(path, about)
          await show(page, exchange.url + place)
          const faults = [await axeFindings(page), await structureFaults(page)].flat()
          assert.deepEqual(faults, [], place)
          // Wide tables scroll within themselves; the page does not.
          const [whole, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
          assert.ok((whole ?? 0) <= (window ?? 0), `${place} is ${whole} pixels wide`)
        }
        await context.close()
      })
})
