import assert from 'node:assert/strict'

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

import { chooseCountry, proveEmail } from './customer.ts'
import type { Exchange } from './exchange.ts'
import { until } from './telling.ts'

/** A phone that runs scripts, and one that does not. */
export const phones: Record<'with' | 'without', BrowserContextOptions> = {
  with: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  without: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, javaScriptEnabled: false },
}

/** A page in its own browser; whatever its console complains about fails the test. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.on('console', (message) => assert.notEqual(message.type(), 'error', message.text()))
  page.on('pageerror', (error) => assert.fail(error))
  await page.goto(url)
  return page
}

/** Waits for the page that is called so. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** From the first page to the one that asks where the payout shall go. */
export async function becomeKnown(
  page: Page,
  exchange: Exchange,
  email: string,
  country = 'Netherlands',
): Promise<void> {
  await proveEmail(page, exchange, email)
  await chooseCountry(page, country)
}

/** Where no script moves the page on, people press a link, until the page is called so. */
export async function refreshTo(page: Page, name: string, press = (link: Locator) => link.click()): Promise<void> {
  const [title, refresh] = [page.getByRole('heading', { level: 1, name }), page.getByRole('link', { name: 'Refresh' })]
  await until(async () => {
    if ((await title.count()) > 0) return true
    if ((await refresh.count()) > 0) await press(refresh)
    return false
  }, `a page called ${name}`)
}

/** Goes on from a page with one form. */
export const goOn = (page: Page): Promise<void> => page.getByRole('button', { name: 'Continue' }).click()

/** Whether something stands out of the window sideways. */
export async function isTooWide(page: Page): Promise<boolean> {
  const { width = 0 } = page.viewportSize() ?? {}
  return (await page.evaluate(() => document.documentElement.scrollWidth)) > width
}

/** What a row of things to hand over holds, as it would be copied by hand: without the gaps that are only drawn. */
export async function given(page: Page, name: string | RegExp): Promise<string> {
  const row = page.locator('.give').filter({ has: page.locator('dt').filter({ hasText: name }) })
  return (await row.locator('dd').first().textContent())?.replaceAll('\u00A0', ' ') ?? ''
}
