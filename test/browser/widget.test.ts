import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { build } from 'esbuild'
import fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { signedCalculator } from '../support/calculator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, checkOut, pay } from '../support/journey.ts'
import { projectFolder } from '../support/source.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

type Detail = { source: string; type: string; height?: number; id?: string; status?: string; to_amount?: string }

describe('<cambio-widget>', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let shop: FastifyInstance
  let shopUrl: string
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
    stopMarket(exchange)
    const bundle = await build({
      entryPoints: [join(projectFolder, 'sdk/src/widget.ts')],
      bundle: true,
      format: 'esm',
      write: false,
      logLevel: 'silent',
    })
    shop = fastify()
    shop.get('/widget.js', (_request, reply) => reply.type('text/javascript').send(bundle.outputFiles[0]?.text))
    shop.get('/favicon.ico', (_request, reply) => reply.code(204).send())
    shop.get<{ Querystring: { mode: string } }>('/', ({ query: { mode } }, reply) =>
      reply.type('text/html').send(shopPage(mode)),
    )
    shopUrl = await shop.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await Promise.all([exchange.stop(), shop.close()])
  })

  const src = () => exchange.url + signedCalculator(exchange, 'default_fiat_amount=250&locale=en')
  const shopPage = (mode: string) => `<!doctype html><html lang="en"><title>A shop</title>
<script>addEventListener('cambio', ({ detail }) => (globalThis.told ??= []).push(detail))</script>
<script type="module" src="/widget.js"></script>
<cambio-widget mode="${mode}" src="${src().replaceAll('&', '&amp;')}">Buy Bitcoin</cambio-widget>`

  async function open(mode: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    page.on('pageerror', (error) => assert.fail(error))
    await page.goto(`${shopUrl}/?mode=${mode}`)
    return page
  }

  /** Waits for the first event of a type. */
  async function event(page: Page, type: string): Promise<Detail> {
    const find = async () => (await told(page)).find((one) => one.type === type)
    await until(async () => (await find()) !== undefined, `an event ${type}`)
    return (await find()) ?? assert.fail()
  }

  /** Continues in the calculator; gives the order and the tab that the checkout is in. */
  async function continueIn(page: Page): Promise<{ id: string; checkout: Page }> {
    const opened = page.context().waitForEvent('page')
    await page.frameLocator('iframe').getByRole('button', { name: 'Continue' }).click()
    const checkout = await opened
    await checkout.waitForURL(/\/checkout\?tid=[\w-]{24}/)
    const { body } = await exchange.api<{ data: { id: string }[] }>('/v1/transactions?limit=1')
    return { id: body.data[0]?.id ?? assert.fail(), checkout }
  }

  it('inline: ready, size, estimate, continue, and finished once the coins were sent', async () => {
    const page = await open('inline')
    await event(page, 'ready')
    const { height } = await event(page, 'size')
    await until(async () => (await page.locator('iframe').evaluate((frame) => frame.clientHeight)) >= (height ?? 0))
    assert.ok(Number((await event(page, 'estimate')).to_amount) > 0)
    const { id, checkout } = await continueIn(page)
    await event(page, 'continue')
    assert.equal(new URL(page.url()).origin, shopUrl, 'the page of the shop stays')
    assert.ok((await told(page)).every(({ type }) => type !== 'finished' && type !== 'failed'))
    await checkOut(exchange, id)
    await pay(exchange, id)
    const finished = await event(page, 'finished')
    assert.deepEqual([finished.id, finished.status], [id, 'finished'])
    assert.equal(new URL(checkout.url()).pathname, '/checkout')
    await page.context().close()
  })

  it('failed when the order ends without coins, once for an order, and finished for the next one', async () => {
    const page = await open('inline')
    const { id } = await continueIn(page)
    await advance(exchange, 'P11D')
    const failed = await event(page, 'failed')
    assert.deepEqual([failed.id, failed.status], [id, 'expired'])
    // The price is a new one after so long.
    await page.frameLocator('iframe').getByRole('button', { name: 'Continue' }).waitFor()
    const next = await continueIn(page)
    assert.notEqual(next.id, id)
    await checkOut(exchange, next.id)
    await pay(exchange, next.id)
    assert.equal((await event(page, 'finished')).id, next.id)
    assert.equal((await told(page)).filter(({ type }) => type === 'failed').length, 1)
    await page.context().close()
  })

  it('overlay: a visible button closes it, as Escape does, with an event, and nothing lies under the button', async () => {
    const page = await open('overlay')
    const close = page.getByRole('button', { name: 'Close' })
    for (const shut of [() => close.click(), () => page.keyboard.press('Escape')]) {
      const before = (await told(page)).filter(({ type }) => type === 'close').length
      await page.getByRole('button', { name: 'Buy Bitcoin' }).click()
      const frame = await page.locator('iframe').elementHandle()
      await page.frameLocator('iframe').getByRole('button', { name: 'Continue' }).waitFor()
      const [button, calculator] = await Promise.all([close.boundingBox(), frame?.boundingBox()])
      assert.ok(button && calculator && button.width >= 44 && button.height >= 44)
      assert.ok(button.y >= 0 && button.x + button.width <= 390)
      assert.ok(button.y + button.height <= calculator.y, 'the button is above the calculator')
      await close.focus()
      await shut()
      await page.locator('dialog').waitFor({ state: 'hidden' })
      await until(async () => (await told(page)).filter(({ type }) => type === 'close').length === before + 1)
    }
    await page.context().close()
  })

  it('overlay: reports the end of an order after it was closed', async () => {
    const page = await open('overlay')
    await page.getByRole('button', { name: 'Buy Bitcoin' }).click()
    const { id } = await continueIn(page)
    await page.bringToFront()
    await page.getByRole('button', { name: 'Close' }).click()
    await checkOut(exchange, id)
    await pay(exchange, id)
    assert.equal((await event(page, 'finished')).id, id)
    await page.context().close()
  })

  it('new-tab: opens the calculator in a tab of its own', async () => {
    const page = await open('new-tab')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Buy Bitcoin' }).click()
    const tab = await opened
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.waitForURL(/\/checkout\?tid=[\w-]{24}/)
    await page.context().close()
  })

  it('passes on nothing that its own calculator did not send', async () => {
    const page = await open('inline')
    await event(page, 'ready')
    await page.evaluate(() => postMessage({ source: 'cambio', type: 'finished', id: '1' }, '*'))
    const stranger = page.frames().find((frame) => frame.url().startsWith(exchange.url))
    await stranger?.evaluate(() => parent.postMessage({ source: 'other', type: 'failed' }, '*'))
    await page.frameLocator('iframe').locator('#from_amount').fill('300')
    await until(async () => (await told(page)).filter(({ type }) => type === 'estimate').length > 1)
    assert.ok((await told(page)).every(({ type }) => type !== 'finished' && type !== 'failed'))
    await page.context().close()
  })
})

const told = (page: Page): Promise<Detail[]> =>
  page.evaluate(() => (globalThis as unknown as { told?: Detail[] }).told ?? [])
