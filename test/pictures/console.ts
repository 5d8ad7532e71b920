import { join } from 'node:path'

import type { Browser } from 'playwright-core'

import { startExchange } from '../support/exchange.ts'
import { buy, pay, readyToPay } from '../support/journey.ts'
import { capture } from './capture.ts'

/** Orders that ended, for the figures of the day. */
const stories = ['sepa-buy', 'sell', 'swap', 'declined-then-paid', 'payout-bounces'] as const

/** Pictures of the operator's console of a sandbox: what needs attention, one order, one policy. */
export async function takeConsole(browser: Browser, folder: string): Promise<void> {
  const exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  try {
    for (const name of stories) await exchange.api(`/v1/sandbox/scenarios/${name}`, { body: {} })
    const finished = await buy(exchange)
    const held = await readyToPay(exchange)
    const page = await context.newPage()
    const picture = async (path: string, name: string): Promise<void> => {
      await page.goto(exchange.url + path)
      await capture(page, join(folder, `console-${name}-desktop.webp`))
    }
    await page.goto(exchange.url)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.waitForURL(`${exchange.url}/console`)
    await page.goto(`${exchange.url}/console/orders/${held.id}`)
    await page.getByText('Hold', { exact: true }).first().click()
    await page.locator('#hold-reason').fill('The customer called: wrong address')
    await page.getByRole('button', { name: 'Hold' }).click()
    await page.getByText('on hold').first().waitFor()
    await pay(exchange, held.id)
    await picture('/console', 'now')
    await picture(`/console/orders/${finished.id}`, 'order')
    await picture('/console/prices/fees', 'fees')
  } finally {
    await context.close()
    await exchange.stop()
  }
}
