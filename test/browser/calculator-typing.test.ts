import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { launchBrowser, noBrowser } from '../support/browser.ts'
import { signedCalculator } from '../support/calculator.ts'
import { openPage, phones } from '../support/checkout-browser.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

describe('the calculator while one types', { skip: noBrowser() }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange(), launchBrowser()])
    stopMarket(exchange)
  })
  after(async () => {
    await Promise.all([browser.close(), exchange.stop()])
  })

  const open = (scheme: BrowserContextOptions = {}): Promise<Page> => {
    const url = exchange.url + signedCalculator(exchange, 'locale=en')
    return openPage(browser, url, { ...phones.with, ...scheme })
  }

  it('returns to the way to pay that was chosen, though it was closed to an amount on the way', async () => {
    const page = await open()
    const ways = page.getByRole('combobox', { name: 'Pay with' })
    await ways.selectOption('SEPA')
    await page.getByText('We’ll set your final price when your money arrives').waitFor()
    for (const [typed, used] of [
      ['2', 'SEPA'],
      ['25', 'VISA_MC'],
      ['250', 'SEPA'],
    ] as const) {
      await pay(page, typed)
      assert.equal(await ways.inputValue(), used, typed)
    }
    assert.equal(await page.getByText('Payment fee').count(), 0)
    await page.context().close()
  })

  it('does not move under the finger while one types', async () => {
    const page = await open()
    const placeOf = async () => {
      const [onward, main] = [page.getByRole('button', { name: 'Continue' }), page.locator('main')]
      return [(await onward.boundingBox())?.y, (await main.boundingBox())?.height]
    }
    const place = await placeOf()
    for (const typed of ['2', '25', '250', '']) {
      await pay(page, typed)
      assert.deepEqual(await placeOf(), place, typed)
    }
    await page.context().close()
  })

  it('draws the ring of focus around the whole box, once, in both schemes and in forced colors', async () => {
    for (const scheme of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { forcedColors: 'active' }] as const) {
      const page = await open(scheme)
      const ringsAt = async (selector: string) => {
        await page.locator(selector).focus()
        return page
          .locator('.box')
          .first()
          .evaluate((box: HTMLElement) =>
            [box, ...box.querySelectorAll<HTMLElement>('input, button')]
              .filter((element) => getComputedStyle(element).outlineStyle === 'solid')
              .map(({ className }) => className),
          )
      }
      assert.deepEqual(await ringsAt('#from_amount'), ['box'])
      await page.locator('#from_amount').press('Tab')
      assert.deepEqual(await ringsAt('.pick >> nth=0'), ['pick'])
      await page.context().close()
    }
  })

  it('shows which side is chosen in forced colors too', async () => {
    const page = await open({ forcedColors: 'active' })
    const dots = await page.locator('.side span').evaluateAll((sides) =>
      sides.map((side) => {
        const { x, y, height } = side.getBoundingClientRect()
        return { x: x + 6, y: y + height / 2, width: 2, height: 2 }
      }),
    )
    const [chosen, other] = await Promise.all(dots.map((clip) => page.screenshot({ clip })))
    assert.ok(chosen && other && !chosen.equals(other))
    await page.context().close()
  })

  it('leaves what stands there when the answer is no calculator, as a page for repairs: nobody goes on with an amount that was refused', async () => {
    const page = await open()
    const onward = page.getByRole('button', { name: 'Continue' })
    await pay(page, '2')
    assert.equal(await onward.getAttribute('aria-disabled'), 'true')

    const body = '<!doctype html><html lang="en"><title>Not now</title><main><h1>Not now</h1></main></html>'
    let answers = 0
    await page.route('**/calculator/**', (route) => {
      answers += 1
      return route.fulfill({ contentType: 'text/html', body })
    })
    // When the second answer is there, the first has been read.
    for (const turn of [1, 2]) {
      await page.locator('#from_amount').fill(`${turn}`)
      await until(() => answers >= turn, 'an answer that is no calculator')
    }
    assert.equal(await onward.getAttribute('aria-disabled'), 'true')
    assert.ok((await page.locator('.problem').count()) > 0)
    await page.context().close()
  })

  it('goes back to the amount that is paid when the coin is changed', async () => {
    const page = await open()
    const [paid, received] = boxes(page)
    await received.fill('0.01')
    await until(async () => (await paid.inputValue()) !== '100', 'what 0.01 bitcoin cost')
    const cost = await paid.inputValue()
    await page.getByRole('button', { name: /^Currency you receive/ }).click()
    await page.keyboard.type('tether tron')
    await page.keyboard.press('Enter')
    await page.getByText(/1 USDT = /).waitFor()
    assert.equal(await paid.inputValue(), cost)
    assert.ok(Number(await received.inputValue()) > 100)
    await page.context().close()
  })
})

const boxes = (page: Page) => [page.locator('#from_amount'), page.locator('#to_amount')] as const

/** Types what is paid, and waits until it is worked out; less than two digits come to nothing. */
async function pay(page: Page, typed: string): Promise<void> {
  const [paid, received] = boxes(page)
  const before = await received.inputValue()
  await paid.fill(typed)
  await until(async () => {
    const isTold = (await page.locator('.problem').count()) > 0
    return isTold === typed.length < 2 && (await received.inputValue()) !== before
  }, `what ${typed} euro bring`)
}
