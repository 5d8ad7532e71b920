import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import fastify, { type FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'

import { serveAssets } from '../../src/checkout/assets.ts'
import { renderOrder } from '../../src/checkout/order-page.tsx'
import { closedCheckPage, documentPage, reviewPage, selfiePage } from '../../src/identity/sandbox/check-page.tsx'
import {
  cardPage,
  challengePage,
  closedPage,
  stylePath,
  unknownPage,
} from '../../src/rails/sandbox/page/processor-page.tsx'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { samplePages, sampleProps } from '../support/checkout-pages.ts'
import { projectFolder } from '../support/source.ts'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const bill = {
  merchant: 'exchange.example',
  amount: '100 EUR',
  reference: 'r-1',
  returnUrl: 'https://exchange.example/',
}
const processorPages: Record<string, string> = {
  card: cardPage(bill, {}, false),
  'card-wrong': cardPage(bill, { number: 'Wrong.', expiry: 'Wrong.', cvc: 'Wrong.' }, false),
  'card-declined': cardPage(bill, {}, true),
  challenge: challengePage(bill),
  paid: closedPage(bill, true),
  closed: closedPage(bill, false),
  unknown: unknownPage(),
  document: documentPage({ name: bill.merchant, returnUrl: bill.returnUrl }, false),
  'document-again': documentPage({ name: bill.merchant, returnUrl: bill.returnUrl }, true),
  selfie: selfiePage({ name: bill.merchant, returnUrl: bill.returnUrl }),
  'check-review': reviewPage({ name: bill.merchant, returnUrl: bill.returnUrl }),
  'check-over': closedCheckPage({ name: bill.merchant, returnUrl: bill.returnUrl }),
}

/** Every page, and what it looks like in every state, without an exchange behind it. */
function serveSamples(): FastifyInstance {
  const app = fastify()
  const assets = serveAssets(app)
  for (const [name, sample] of Object.entries(samplePages)) {
    app.get(`/checkout/${name}`, async (_request, reply) =>
      reply.type('text/html').send(renderOrder(await sampleProps(sample), assets)),
    )
  }
  for (const [name, html] of Object.entries(processorPages)) {
    app.get(`/processor/${name}`, (_request, reply) => reply.type('text/html').send(html))
  }
  const style = readFileSync(`${projectFolder}src/rails/sandbox/page/processor.css`, 'utf8')
  app.get(stylePath, (_request, reply) => reply.type('text/css').send(style))
  app.get('/checkout/status', (_request, reply) => reply.send({ version: 'sample' }))
  return app
}

const paths = [
  ...Object.keys(samplePages).map((name) => `/checkout/${name}`),
  ...Object.keys(processorPages).map((name) => `/processor/${name}`),
]

describe('every page of the checkout and of the processor', { skip: noBrowser() }, () => {
  let app: FastifyInstance
  let url: string
  let browser: Browser
  before(async () => {
    app = serveSamples()
    ;[url, browser] = await Promise.all([app.listen({ port: 0, host: '127.0.0.1' }), launchBrowser()])
  })
  after(async () => {
    await Promise.all([browser.close(), app.close()])
  })

  for (const width of [360, 1280]) {
    it(`is usable by everyone and fits, light and dark, ${width} pixels wide`, async () => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
      for (const path of paths) {
        await page.emulateMedia({ colorScheme: 'light' })
        await page.goto(url + path)
        await page.evaluate(axe)
        assert.deepEqual(await findingsOn(page), [], `${path} light ${width}`)
        assert.deepEqual(await tooWide(page), [], `${path} light ${width}`)
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await findingsOn(page, rulesOfColour), [], `${path} dark ${width}`)
        assert.deepEqual(await tooWide(page), [], `${path} dark ${width}`)
      }
      await page.close()
    })
  }

  it('weighs little: scripts under 15 kB, page and styles together under 30 kB, compressed', async () => {
    const weigh = async (path: string): Promise<number> => gzipSync(await (await fetch(url + path)).text()).length
    for (const path of paths) {
      const html = await (await fetch(url + path)).text()
      const weights = (pattern: RegExp) => Promise.all([...html.matchAll(pattern)].map(([, file = '']) => weigh(file)))
      const scripts = await weights(/src="([^"]+\.js)"/g)
      const styles = await weights(/href="([^"]+\.css)"/g)
      assert(sum(scripts) < 15_000, `${path}: ${sum(scripts)} bytes of scripts`)
      assert(sum(styles) + gzipSync(html).length < 30_000, `${path}: ${sum(styles)} bytes of styles`)
      assert.doesNotMatch(
        html,
        /(src|href|action)="(https?:)?\/\/(?!tulip|mempool|tronscan|exchange)|<style|style=|<script(?! type="module" src)|\son\w+=/,
      )
    }
  })
})

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Dark is the same page in other colours: what does not look at them would find the same again. */
const rulesOfColour = ['color-contrast', 'link-in-text-block']

/** What axe finds against WCAG 2.2 AA and its own best practices, or these of its rules, as `rule: element`. */
const findingsOn = (page: Page, rules?: string[]): Promise<string[]> =>
  page.evaluate(async (only) => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] }
    const { axe: runner } = globalThis as unknown as {
      axe: { run(context: Document, options: object): Promise<Found> }
    }
    const { violations } = await runner.run(document, only ? { runOnly: { type: 'rule', values: only } } : {})
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
  }, rules)

/** Elements that stand out of the window sideways, and targets smaller than 24 pixels (WCAG 2.2, 2.5.8). */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const shown = [...document.querySelectorAll('body *')].map((element) => ({
      element,
      box: element.getBoundingClientRect(),
    }))
    const out = shown.filter(({ element, box }) => box.right > innerWidth + 1 && !element.closest('.visually-hidden'))
    const targets = shown.filter(
      ({ element, box }) => element.matches('button, input:not([type=hidden]), select') && box.height < 44,
    )
    return [...out, ...targets].map(({ element }) => element.outerHTML.slice(0, 120))
  })
