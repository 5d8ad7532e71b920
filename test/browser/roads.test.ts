import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser, Page } from 'playwright-core'

import { findNetwork } from '../../src/reference/catalog/network.ts'
import { idBehind } from '../support/checkout-link.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { signedCalculator } from '../support/calculator.ts'
import { heading, openPage, refreshTo } from '../support/checkout-browser.ts'
import { formsOn, shownTerms, titleOf } from '../support/checkout-forms.ts'
import { codeFor, coinNames, createBuy, type Passed, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, pay } from '../support/journey.ts'
import { faultOfFocus, focused, type Keyboard, keyboardOn } from '../support/keyboard.ts'

/** A desk where scripts run, and a narrow window where they do not. */
const windows = {
  with: { viewport: { width: 1280, height: 800 } },
  without: { viewport: { width: 360, height: 740 }, javaScriptEnabled: false },
} as const

/** Somebody on the way: the page, the keyboard, and the titles of the pages that asked for something. */
type Visit = { page: Page; keys: Keyboard; exchange: Exchange; titles: string[] }

const iban = 'NL91ABNA0417164300'
const holder = 'Jan Jansen'
const tron = findNetwork('TRX')?.addressExample ?? ''
const swapOrder = { from_amount: '500', from_currency: 'XRP', to_currency: 'USDT', to_network: 'TRX' }

/** An address of this country, so that the country is not asked. */
const inGermany = '46.4.0.1'
const toAccount = { payout_address: iban, full_name: holder }

/** What everybody is asked of whom nothing is known. */
const known = ['Confirm your email', 'Enter your code', 'Where do you live?']

const button = ({ page }: Visit, name: string | RegExp) => page.getByRole('button', { name })
const goOn = (visit: Visit): Promise<void> => visit.keys.press(button(visit, 'Continue'))

/** The page that is called so, which is one more that is seen. */
async function at({ page, titles }: Visit, title: string): Promise<void> {
  await heading(page, title).catch(async (error: unknown) => {
    throw new Error(`Not ${title}, but: ${await page.locator('body').innerText()}`, { cause: error })
  })
  titles.push(title)
}

async function prove(visit: Visit, email: string): Promise<void> {
  const { page, keys, exchange } = visit
  await at(visit, 'Confirm your email')
  await keys.type(page.getByLabel('Email address'), email)
  await page.keyboard.press('Enter')
  await answer(visit, exchange, email)
}

async function answer(visit: Visit, exchange: Exchange, email: string): Promise<void> {
  const { page, keys } = visit
  await at(visit, 'Enter your code')
  await keys.type(page.getByLabel('Code from the email'), await codeFor(exchange, email))
  await page.keyboard.press('Enter')
}

async function becomeKnown(visit: Visit, email: string): Promise<void> {
  await prove(visit, email)
  await at(visit, 'Where do you live?')
  await visit.keys.choose(visit.page.getByLabel('Country of residence'), 'Netherlands')
  await goOn(visit)
}

async function giveAddress(visit: Visit, asset: keyof typeof coinNames, address: string): Promise<void> {
  await at(visit, `Where should we send your ${coinNames[asset]}?`)
  await visit.keys.type(visit.page.getByLabel(`${asset} address on`), address)
  await goOn(visit)
}

async function giveAccount(visit: Visit): Promise<void> {
  const { page, keys } = visit
  await at(visit, 'Where should we send your money?')
  await keys.type(page.getByLabel('Account holder’s full name'), holder)
  await keys.type(page.getByLabel('IBAN'), iban)
  await page.keyboard.press('Enter')
}

/** Pays at the processor's page and comes back. */
async function payByCard(visit: Visit): Promise<void> {
  const { page, keys } = visit
  await keys.press(button(visit, /^Pay 150\.00\sEUR by card$/))
  await at(visit, 'Pay by card')
  await keys.type(page.getByLabel('Card number'), '4242 4242 4242 4242')
  await keys.type(page.getByLabel('Expiry'), '12/39')
  await keys.type(page.getByLabel('Security code'), '123')
  await keys.press(button(visit, /^Pay /))
  await page.waitForURL(/\/checkout\?/)
}

/** What was wrong is right by now, and its line goes while it has the focus. That may not be lost. */
async function loseLine({ page, keys }: Visit, name: RegExp): Promise<void> {
  let judge = (): void => undefined
  const isReached = new Promise<void>((resolve) => (judge = resolve))
  await page.route('**/checkout/check?**', async (route) => {
    await isReached
    await route.continue()
  })
  const line = page.getByRole('link', { name })
  await keys.reachBack(line)
  judge()
  await line.waitFor({ state: 'detached' })
  assert.equal(await focused(page), 'H1')
  assert.equal(await faultOfFocus(page), '')
}

/** What is paid by hand is paid, while the focus is on something that goes away with the page: it may not be lost, nor the news. */
async function payByHand(visit: Visit, title: string): Promise<void> {
  const { page, keys, exchange } = visit
  const isScripted = (await page.locator('html.copies').count()) > 0
  if (isScripted) {
    await keys.reach(button(visit, /^Copy Exact amount/))
    await pay(exchange, await idBehind(exchange, page.url()))
  } else {
    const loaded = page.waitForEvent('domcontentloaded')
    await keys.press(button(visit, 'Simulate payment'))
    await loaded
  }
  await comeTo(visit, title)
  if (!isScripted) return
  assert.equal(await focused(page), 'H1')
  assert.equal(await page.locator('#live[role="status"]').textContent(), title)
}

/** The end. Where no script moves the page on, a link does, pressed as often as it takes. */
async function comeTo(visit: Visit, title: string): Promise<void> {
  const { page, keys, exchange } = visit
  await arrive(exchange, await idBehind(exchange, page.url()), 'finished')
  await refreshTo(page, title, (link) => keys.press(link))
  await at(visit, title)
}

/** A refusal is where the keyboard is: it has the focus, and is read out. */
async function isTold({ page }: Visit, what: string): Promise<void> {
  const alert = page.getByRole('alert').filter({ hasText: what })
  await alert.and(page.locator(':focus')).waitFor()
  assert.equal(await faultOfFocus(page), '')
}

/** The pages of somebody who sends what each form has to hold and nothing more, up to the one where it is paid. */
async function pagesOf(exchange: Exchange, order: Passed, email: string): Promise<string[]> {
  const forms = formsOn(exchange)
  const { url } = await createBuy(exchange, order)
  const title = async (headers?: Record<string, string>): Promise<string> =>
    titleOf(await forms.get(url, headers)).replaceAll('\u00A0', ' ')
  const first = await title()
  await forms.post(url, { do: 'send' })
  const second = await title()
  const { headers } = await forms.post(url, { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms })
  return [first, second, await title({ cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '' })]
}

describe('the four roads by keyboard alone', { skip: noBrowser(), concurrency: 3 }, () => {
  let exchange: Exchange
  let browser: Browser
  before(async () => {
    ;[exchange, browser] = await Promise.all([startExchange({ RATE_LIMITS: 'off' }), launchBrowser()])
  })
  after(async () => {
    await browser.close() // first: its pages ask the exchange
    await exchange.stop()
  })

  const visitAt = async (url: string, scripts: 'with' | 'without'): Promise<Visit> => {
    const page = await openPage(browser, url, windows[scripts])
    return { page, keys: keyboardOn(page), exchange, titles: [] }
  }
  const visitFor = async (order: Passed, scripts: 'with' | 'without'): Promise<Visit> =>
    visitAt((await createBuy(exchange, order)).url, scripts)

  const calculator = (): string =>
    `${exchange.url}/calculator/v1?partner_api_token=${exchange.sandbox.public_key}&locale=en`

  for (const scripts of ['with', 'without'] as const) {
    it(`leads from the calculator to coins for a card, ${scripts} scripts`, async () => {
      const visit = await visitAt(calculator(), scripts)
      const { page, keys, titles } = visit
      await keys.type(page.getByLabel('Amount you pay'), '150')
      if (scripts === 'with') {
        await keys.press(button(visit, /^Currency you receive/))
        await page.keyboard.type('lite')
        await page.keyboard.press('Enter')
        await button(visit, /^Currency you receive: LTC/).waitFor()
        assert.equal(await focused(page), 'BUTTON')
      } else {
        await keys.choose(page.getByLabel('Currency you receive'), 'Litecoin')
        await keys.press(button(visit, 'Calculate'))
        await page.locator('[data-part="result"]').getByText('LTC').first().waitFor()
      }
      await goOn(visit)

      await becomeKnown(visit, `road-card-${scripts}@example.com`)
      await giveAddress(visit, 'LTC', findNetwork('LTC')?.addressExample ?? '')
      await at(visit, 'Review and pay')
      await payByCard(visit)
      await comeTo(visit, 'Your Litecoin was sent')
      assert.deepEqual(titles, [
        ...known,
        'Where should we send your Litecoin?',
        'Review and pay',
        'Pay by card',
        titles.at(-1),
      ])
    })

    it(`leads from the link to coins for a bank transfer, ${scripts} scripts`, async () => {
      const visit = await visitFor({ deposit: { payment_category: 'SEPA' } }, scripts)
      await becomeKnown(visit, `road-sepa-${scripts}@example.com`)
      await giveAddress(visit, 'BTC', someAddress)
      await at(visit, 'Send 100.00 EUR')
      await payByHand(visit, 'Your Bitcoin was sent')
      assert.deepEqual(visit.titles.slice(0, -1), [...known, 'Where should we send your Bitcoin?', 'Send 100.00 EUR'])
    })

    it(`leads from the signed calculator to money for coins, ${scripts} scripts`, async () => {
      const query = 'locale=en&default_crypto_currency=BTC&default_fiat_currency=EUR'
      const visit = await visitAt(exchange.url + signedCalculator(exchange, query), scripts)
      const { page, keys } = visit
      await keys.reach(page.getByRole('radio', { name: 'Buy' }))
      await page.keyboard.press('ArrowRight')
      if (scripts === 'with') await button(visit, /^Currency you pay: BTC/).waitFor()
      else await keys.press(button(visit, 'Calculate'))
      await keys.type(page.getByLabel('Amount you pay'), '0.05')
      await goOn(visit)

      await becomeKnown(visit, `road-sell-${scripts}@example.com`)
      await giveAccount(visit)
      await at(visit, 'Send 0.05 BTC')
      await payByHand(visit, 'Your money was sent')
      assert.deepEqual(visit.titles.slice(0, -1), [...known, 'Where should we send your money?', 'Send 0.05 BTC'])
    })

    it(`leads from the link to other coins, ${scripts} scripts`, async () => {
      const visit = await visitFor(swapOrder, scripts)
      await becomeKnown(visit, `road-swap-${scripts}@example.com`)
      await giveAddress(visit, 'USDT', tron)
      await at(visit, 'Send 500 XRP')
      await payByHand(visit, 'Your Tether USD was sent')
      assert.deepEqual(visit.titles.slice(0, -1), [...known, 'Where should we send your Tether USD?', 'Send 500 XRP'])
    })

    it(`leads back to an amount that is too small, ${scripts} scripts`, async () => {
      const visit = await visitAt(calculator(), scripts)
      const { page, keys } = visit
      const told = page.getByText('Enter an amount from')
      await keys.type(page.getByLabel('Amount you pay'), '0.01')
      if (scripts === 'with') await told.waitFor()
      await goOn(visit)
      await told.waitFor()
      await page.locator('#from_amount[aria-invalid]:focus').waitFor()
      assert.equal(await faultOfFocus(page), '')
    })

    it(`leads to what is wrong and on from there, ${scripts} scripts`, async () => {
      const visit = await visitFor({}, scripts)
      const { page, keys } = visit
      // A refused form is answered with a status of 4xx, of which the browser's console tells.
      page.removeAllListeners('console')
      await keys.type(page.getByLabel('Email address'), 'nobody@nowhere')
      await page.keyboard.press('Enter')
      await isTold(visit, 'This isn’t an email address')
      await keys.press(page.getByRole('link', { name: /^This isn’t an email address/ }))
      assert.equal(await focused(page), 'INPUT')
      await becomeKnown(visit, `road-wrong-${scripts}@example.com`)
      await giveAddress(visit, 'BTC', someAddress.replace(/4$/, '5'))
      await isTold(visit, 'checksum')
      await keys.type(page.getByLabel('BTC address on'), someAddress)
      if (scripts === 'with') await loseLine(visit, /checksum/)
      else await keys.reachBack(page.getByRole('link', { name: /checksum/ }))
      await goOn(visit)
      await at(visit, 'Review and pay')
    })
  }

  /** Each is a transaction of a person whom nobody knows yet, about which its partner has passed everything that may be passed. */
  const passed: Record<string, { order: Passed; pays: string }> = {
    'a card': { order: {}, pays: 'Review and pay' },
    'a bank transfer': { order: { deposit: { payment_category: 'SEPA' } }, pays: 'Send 100.00 EUR' },
    'coins into an account': {
      order: { from_amount: '0.05', from_currency: 'BTC', to_currency: 'EUR', payout_info: toAccount },
      pays: 'Send 0.05 BTC',
    },
    'coins into coins': { order: { ...swapOrder, payout_info: { payout_address: tron } }, pays: 'Send 500 XRP' },
  }
  for (const [what, { order, pays }] of Object.entries(passed)) {
    it(`asks for a code and nothing else before ${what}, where the partner has passed everything`, async () => {
      const email = `passed-${Object.keys(passed).indexOf(what)}@example.com`
      const customer = { ip: inGermany, contact_info: { email } }
      const all = { customer, payout_info: { payout_address: someAddress }, ...order }
      assert.deepEqual(await pagesOf(exchange, all, email), ['Confirm your email', 'Enter your code', pays])
    })
  }
})
