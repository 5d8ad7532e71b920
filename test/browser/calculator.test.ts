import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { signedCalculator } from '../support/calculator.ts'
import { openPage, phones } from '../support/checkout-browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { axeFindings, layoutFaults, show } from '../support/page-faults.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

describe('the calculator in a browser', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  let shop: FastifyInstance
  let shopUrl: string
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
    stopMarket(exchange)
    shop = fastify()
    shop.get('/', (_request, reply) => reply.type('text/html').send(shopPage(signed('default_fiat_amount=250'))))
    shop.get('/favicon.ico', (_request, reply) => reply.code(204).send())
    shopUrl = await shop.listen({ port: 0, host: '127.0.0.1' })
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await Promise.all([exchange.stop(), shop.close()])
  })

  const signed = (query: string): string =>
    exchange.url + signedCalculator(exchange, `locale=en${query === '' ? '' : `&${query}`}`)
  const open = (query = '', url = signed(query)): Promise<Page> => openPage(browser, url, phones.with)

  it('works out the other amount from either box, as one types', async () => {
    const page = await open('default_crypto_currency=ETH')
    const [paid, received] = boxes(page)
    await paid.fill('300')
    await until(async () => Number(await received.inputValue()) > 0, 'what 300 euro bring')
    const brought = await received.inputValue()
    await received.fill('0.05')
    const cost = async () => (await paid.inputValue()).match(/^\d+(\.\d\d?)?$/)?.[0]
    await until(async () => ![undefined, '300'].includes(await cost()), 'what 0.05 ether cost')
    assert.equal(await received.inputValue(), '0.05', 'what was typed stays')
    assert.notEqual(brought, '0.05')
    await page.context().close()
  })

  it('works out what was typed before its script had come', async () => {
    const context = await browser.newContext(phones.with)
    const page = await context.newPage()
    let bring = (): void => undefined
    const isBrought = new Promise<void>((resolve) => (bring = resolve))
    await page.route('**/*.js', async (route) => {
      await isBrought
      await route.continue()
    })
    await page.goto(signed('default_crypto_currency=ETH'), { waitUntil: 'commit' })
    const [paid, received] = boxes(page)
    await paid.fill('300')
    await received.fill('0.05')
    bring()
    await until(async () => !['', '300'].includes(await paid.inputValue()), 'what 0.05 ether cost')
    assert.equal(await received.inputValue(), '0.05')
    await context.close()
  })

  it('goes on with what was typed, though the reader has passed the other box by', async () => {
    const page = await open()
    const [paid, received] = boxes(page)
    const before = await received.inputValue()
    await paid.fill('300')
    await received.focus()
    await until(async () => (await received.inputValue()) !== before, 'what 300 euro bring')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { level: 1, name: 'Confirm your email' }).waitFor()
    await page.getByText('300.00 EUR').first().waitFor()
    await page.context().close()
  })

  it('says between which amounts, keeps the way on shut until one fits, and then opens it', async () => {
    const page = await open()
    const [paid] = boxes(page)
    const onward = page.getByRole('button', { name: 'Continue' })
    await paid.fill('1')
    await page.getByText('Enter an amount from 20.00 EUR to 15,000.00 EUR.').waitFor()
    assert.deepEqual(
      [await paid.getAttribute('aria-invalid'), await onward.getAttribute('aria-disabled')],
      ['true', 'true'],
    )
    await onward.press('Enter')
    assert.equal(await focused(page), 'from_amount', 'pressing on leads to what is wrong')
    await paid.fill('100')
    await until(async () => (await onward.getAttribute('aria-disabled')) === null, 'the way on')
    await onward.click()
    await page.waitForURL(/\/checkout\?tid=[\w-]{24}/)
    await page.context().close()
  })

  it('finds currencies by name, ticker or network, by keyboard alone', async () => {
    const page = await open()
    const picker = page.getByRole('button', { name: /^Currency you receive/ })
    await picker.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('tether tron')
    const list = page.getByRole('dialog')
    assert.deepEqual(await shownIn(list), ['Tether USD (USDT) on Tron'])
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    assert.equal(await focused(page), 'pick', 'the focus is where it came from')
    assert.match((await picker.textContent()) ?? '', /USDT.*Tron/)
    await page.getByText(/1 USDT = /).waitFor()

    await page.keyboard.press('Enter')
    await page.keyboard.type('no such coin')
    assert.deepEqual(await shownIn(list), [])
    await page.getByText('No matches.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('No matches.').waitFor({ state: 'hidden' })
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    assert.equal(await focused(page), 'pick')
    await page.context().close()
  })

  it('is usable by everyone in both forms of its address, narrow and wide, light and dark', async () => {
    const old = `${exchange.url}/calculator/v1?locale=en&theme=auto&partner_api_token=${exchange.sandbox.public_key}`
    const page = await browser.newPage({ reducedMotion: 'reduce' })
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [width, type] of [[360, 'narrow'] as const, [1280, 'wide'] as const])
        for (const url of [`${old}&type=${type}`, signed(`theme=auto&type=${type}`)]) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 800 })
          await show(page, url)
          const found = [...(await axeFindings(page)), ...(await layoutFaults(page))]
          assert.deepEqual(found, [], `${colorScheme} ${type} ${url}`)
        }
    await page.close()
  })

  it('is in the scheme that the partner asks for, whatever the device has', async () => {
    const groundOf = async (query: string, colorScheme: 'light' | 'dark') => {
      const page = await openPage(browser, signed(query), { ...phones.with, colorScheme })
      const ground = await page.locator('main').evaluate((main) => getComputedStyle(main).backgroundColor)
      await page.context().close()
      return ground
    }
    const [light, dark] = [await groundOf('theme=auto', 'light'), await groundOf('theme=auto', 'dark')]
    assert.notEqual(light, dark)
    assert.equal(await groundOf('', 'dark'), light)
    assert.equal(await groundOf('theme=light', 'dark'), light)
    assert.equal(await groundOf('theme=dark', 'light'), dark)
  })

  it('goes on to the checkout without scripts, from either box', async () => {
    const page = await openPage(browser, signed(''), phones.without)
    const [paid, received] = boxes(page)
    await received.fill('0.01')
    await page.getByRole('button', { name: 'Calculate' }).click()
    await until(async () => Number(await paid.inputValue()) > 100, 'what 0.01 bitcoin cost')
    assert.equal(await received.inputValue(), '0.01')
    await page.getByRole('combobox', { name: 'Currency you pay' }).selectOption('GBP-GBP')
    await page.getByRole('button', { name: 'Calculate' }).click()
    await page.getByText(/1 BTC = .*GBP/).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { level: 1, name: 'Confirm your email' }).waitFor()
    await page.context().close()
  })

  it('is put into a partner’s page by the script: as tall as it is, and telling what happens', async () => {
    const page = await openPage(browser, shopUrl, phones.with)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Continue' }).waitFor()
    const gap = () =>
      page.evaluate(() => {
        const outside = document.querySelector('iframe')
        return outside === null ? undefined : outside.clientHeight - Number(outside.dataset.inside ?? Number.NaN)
      })
    const inside = async () => {
      const height = await frame.locator('main').evaluate((main) => main.getBoundingClientRect().bottom)
      await page
        .locator('iframe')
        .evaluate((outside, tall) => outside.setAttribute('data-inside', String(tall)), height)
      return gap()
    }
    const isFitting = async () => Math.abs((await inside()) ?? Number.NaN) < 3
    await until(isFitting, 'a frame as tall as the calculator')
    await page.setViewportSize({ width: 800, height: 740 })
    await until(isFitting, 'a frame as tall as the calculator in a wider page')

    const first = (await told(page)).find(({ type }) => type === 'estimate')
    assert.deepEqual([first?.from_amount, Number(first?.to_amount) > 0], ['250', true])
    assert.ok((await told(page)).some(({ type }) => type === 'size'))
    assert.equal(await page.locator('iframe').getAttribute('allow'), 'camera')

    const before = (await told(page)).length
    await frame.locator('#from_amount').fill('nothing')
    await frame.getByText('Enter an amount').first().waitFor()
    assert.ok((await told(page)).slice(before).every(({ type }) => type !== 'estimate'))
    await frame.locator('#from_amount').fill('120')
    await until(async () => (await told(page)).some(({ from_amount: amount }) => amount === '120'), 'the estimate')
    await frame.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(/\/checkout\?tid=[\w-]{24}/)
    await page.context().close()
  })

  it('is not shown in the page of anybody else', async () => {
    const { ctx } = exchange.service.composition
    const id = BigInt(exchange.sandbox.partner_id)
    await setPartner(ctx, id, { frame_origins: 'https://shop.example' }, 'test')
    // To the browser this exchange is a machine in the reader's own network.
    const context = await browser.newContext({ ...phones.with, permissions: ['local-network-access'] })
    await context.route('https://*.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: shopPage(signed('')) }),
    )
    const [friend, stranger] = [await context.newPage(), await context.newPage()]
    await until(async () => {
      await friend.goto('https://shop.example/')
      return (await friend.frames()[1]?.locator('main').count()) === 1
    }, 'the partner’s page')
    await stranger.goto('https://evil.example/')
    await stranger.waitForLoadState('networkidle')
    assert.equal(await stranger.frames()[1]?.locator('main').count(), 0)
    await context.close()
  })
})

describe('a calculator that has been open for long', { skip: noBrowser() }, () => {
  it('says that its address has become too old, rather than showing a price that it cannot hold', async () => {
    // Its own exchange: one whose clock jumps prices nothing until it has compared it with the database's again.
    const [exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
    const { clock } = exchange.service.composition.ctx
    const { realNow } = clock
    const hour = 3_600_000
    try {
      const expiry = Math.floor(realNow().getTime() / 1_000) + 3_600
      const url = exchange.url + signedCalculator(exchange, `locale=en&expires_at=${expiry}`)
      const page = await openPage(browser, url, phones.with)
      // The page that says so is answered with a status of 401, of which the browser's console tells.
      page.removeAllListeners('console')
      clock.realNow = () => new Date(realNow().getTime() + 2 * hour)
      await boxes(page)[0].fill('300')
      await page.getByRole('heading', { level: 1, name: 'We can’t show this calculator' }).waitFor()
      await page.getByText('Its URL has expired').waitFor()
    } finally {
      await browser.close()
      await exchange.stop()
    }
  })
})

const boxes = (page: Page) => [page.locator('#from_amount'), page.locator('#to_amount')] as const

/** The element in focus, by its id or its class. */
const focused = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.id || document.activeElement?.className)

const shownIn = async (list: ReturnType<Page['getByRole']>): Promise<string[]> => {
  await list.waitFor()
  return (await list.locator('li:visible').allTextContents()).map((text) => text.trim())
}

type Event = { type: string; from_amount?: string; to_amount?: string }

/** What the calculator has told the page that it is in. */
const told = (page: Page): Promise<Event[]> =>
  page.evaluate(() => (globalThis as unknown as { told?: Event[] }).told ?? [])

/** A partner's page, as the documentation has it. */
const shopPage = (calculator: string): string => `<!doctype html><html lang="en"><title>A shop</title>
<script>addEventListener('cambio', ({ detail }) => (globalThis.told ??= []).push(detail))</script>
<main><h1>A shop</h1><div data-cambio-calculator="${calculator.replaceAll('&', '&amp;')}"></div></main>
<script src="${new URL(calculator).origin}/calculator/embed.js" async></script>`
