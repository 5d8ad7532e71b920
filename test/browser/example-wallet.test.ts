import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { build } from 'esbuild'
import type { Browser } from 'playwright-core'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { type ExampleRunner, exampleRunner } from '../support/examples.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'

describe('the example of a wallet', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let examples: ExampleRunner
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    examples = exampleRunner(exchange)
  })
  after(async () => {
    examples.stop()
    await Promise.all([exchange.stop(), browser.close()])
  })

  it('builds, opens the signed calculator over the page, and shows what it estimates', async () => {
    const folder = examples.installed('react-wallet', ['react', 'react-dom', 'scheduler'])
    // As its `npm run build` does.
    await build({
      entryPoints: [join(folder, 'main.jsx')],
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      outfile: join(folder, 'public/main.js'),
      logLevel: 'silent',
    })

    const wallet = examples.run(process.execPath, [join(folder, 'server.js')])
    const url = await wallet.says(/(http:\/\/localhost:\d+)/)
    const { ctx } = exchange.service.composition
    await setPartner(ctx, BigInt(exchange.sandbox.partner_id), { frame_origins: url }, 'test')
    const page = await browser.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: 'Buy Bitcoin' }).click()
    const calculator = page.frameLocator('iframe')
    await calculator
      .getByRole('button', { name: /continue|buy/i })
      .first()
      .waitFor()
    await page.getByText(/You would get [\d.]+ BTC\./).waitFor()
    await page.close()
  })
})
