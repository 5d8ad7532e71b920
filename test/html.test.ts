import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import type { FastifyInstance } from 'fastify'
import { type ConfigData, HtmlValidate, StaticConfigLoader } from 'html-validate'

import { languages } from '../src/platform/language/language.ts'
import { ourPaths, playedPaths, serveGallery } from './pictures/gallery.ts'
import { signedCalculator } from './support/calculator.ts'
import { type Exchange, startExchange } from './support/exchange.ts'
import { visitor } from './support/identity-check.ts'
import { arrive, buy, pay, read } from './support/journey.ts'
import { newEmail } from './support/shared-identity.ts'

/** Every rule of html-validate's strict presets, except for these. */
const rules: NonNullable<ConfigData['rules']> = {
  // Presets of the validator's own look; both ways are the same to a parser, and the renderer of our pages writes `<br/>`.
  'doctype-style': ['error', { style: 'lowercase' }],
  'void-style': 'off',
  // A list may be named (WAI-ARIA 1.2, role `list`): so are the stages of a way. The preset would only name landmarks and widgets.
  'aria-label-misuse': ['error', { allowAnyNamable: true }],
  // A hash guards what another origin serves. Ours come from the origin of the page itself, under names that hold their hash.
  'require-sri': ['error', { target: 'crossorigin' }],
  // For search engines, which may not index these pages; a partner's name may be long.
  'long-title': 'off',
}

const validatorBy = (own: NonNullable<ConfigData['rules']>): HtmlValidate =>
  new HtmlValidate(
    new StaticConfigLoader({
      root: true,
      extends: ['html-validate:recommended', 'html-validate:standard', 'html-validate:a11y', 'html-validate:document'],
      rules: own,
    }),
  )

const validator = validatorBy(rules)
/** Mail programs leave out style sheets: a letter's look stands on its elements. */
const letterValidator = validatorBy({ ...rules, 'no-inline-style': 'off' })

/** What is wrong with a page, a line each. */
async function faultsOf(html: string, by = validator): Promise<string[]> {
  const { results } = await by.validateString(html)
  return results
    .flatMap(({ messages }) => messages)
    .map(({ ruleId, message, selector, line }) => `${ruleId}: ${message} (line ${line}, ${selector ?? 'document'})`)
}

/** The most that a customer's browser has to load for one page, compressed. */
const budgets = { scripts: 15_000, pageAndStyles: 30_000 }

let gallery: FastifyInstance
let exchange: Exchange
before(async () => {
  gallery = serveGallery()
  exchange = await startExchange()
})
after(() => Promise.all([gallery.close(), exchange.stop()]))

/** A page as it is served, and how to get the files that it refers to. */
type Served = { name: string; html: string; read(path: string): Promise<string> }

const readGallery = async (path: string): Promise<string> => (await gallery.inject(path)).body
const readExchange = async (path: string): Promise<string> => (await fetch(exchange.url + path)).text()

/** Each state of each page in English, and every fourth in one of the other languages, which take turns. */
async function galleryPages(): Promise<Served[]> {
  const [english, ...others] = languages
  const paths = ourPaths.flatMap((path, index) => {
    const other = index % 4 === 0 ? others[(index / 4) % others.length] : undefined
    return [`/${english}${path}`, ...(other === undefined ? [] : [`/${other}${path}`])]
  })
  return Promise.all(
    [...paths, ...playedPaths].map(async (name) => ({ name, html: await readGallery(name), read: readGallery })),
  )
}

const signed = (query: string): string => signedCalculator(exchange, query)

/** The pages that are no step of an order, as an exchange serves them. */
async function exchangePages(): Promise<Served[]> {
  const paths = [
    ...languages.flatMap((tag) => [
      `/${tag}/terms`,
      `/${tag}/privacy`,
      signed(`locale=${tag}&default_fiat_amount=100`),
    ]),
    signed('type=wide&theme=dark&payment_category=SEPA'),
    `${signed('locale=en')}&theme=dark`,
    `/calculator/v1?partner_api_token=${exchange.sandbox.public_key}`,
    '/calculator/v1',
    '/checkout',
    '/checkout?tid=1',
    '/xx/checkout?tid=1',
  ]
  return Promise.all(paths.map(async (name) => ({ name, html: await readExchange(name), read: readExchange })))
}

/** The pages for whoever integrates with the exchange: the start page, and what can be reached from it. */
async function partnerPages(): Promise<Served[]> {
  const seen = new Set(['/', '/sandbox/mail'])
  const pages: Served[] = []
  for (const name of seen) {
    const answer = await fetch(exchange.url + name)
    const html = await answer.text()
    if (!answer.headers.get('content-type')?.startsWith('text/html')) continue
    assert.equal(answer.status, 200, name)
    pages.push({ name, html, read: readExchange })
    for (const [, path = ''] of html.matchAll(/href="(\/[^"#]*)[^"]*"/g)) seen.add(path.replaceAll('&amp;', '&'))
  }
  return pages
}

async function assertValid(pages: Served[]): Promise<void> {
  for (const { name, html } of pages) assert.deepEqual(await faultsOf(html), [], name)
}

/** The letters to a customer of each language who had to prove an address, ordered, and is asked something. */
async function letters(): Promise<{ name: string; html: string }[]> {
  const written = languages.map(async (locale) => {
    const email = newEmail()
    const { id } = await visitor(exchange, email, { amount: 250, locale })
    await pay(exchange, id, { amount: '60' })
    await arrive(exchange, id, 'on_hold')
    const { body } = await exchange.api<{ html: string }[]>(`/v1/sandbox/mail?to=${encodeURIComponent(email)}`)
    assert.equal(body.length, 3, locale)
    return body.map(({ html }, index) => ({ name: `${locale} ${index}`, html }))
  })
  return (await Promise.all(written)).flat()
}

/** What the files that a page refers to weigh together, each compressed for itself. */
async function weigh({ html, read }: Served, pattern: RegExp): Promise<number> {
  const paths = new Set([...html.matchAll(pattern)].map(([, path = '']) => path))
  const weights = await Promise.all([...paths].map(async (path) => gzipSync(await read(path)).length))
  return weights.reduce((total, one) => total + one, 0)
}

async function assertLight(pages: Served[]): Promise<void> {
  for (const page of pages) {
    const scripts = await weigh(page, /<script[^>]* src="([^"]+)"/g)
    const styles = await weigh(page, /<link rel="stylesheet" href="([^"]+)"/g)
    const pageAndStyles = gzipSync(page.html).length + styles
    assert.ok(styles > 0 || page.html.includes('<style>'), `${page.name} has no style sheet`)
    assert.ok(scripts <= budgets.scripts, `${page.name}: ${scripts} bytes of scripts`)
    assert.ok(pageAndStyles <= budgets.pageAndStyles, `${page.name}: ${pageAndStyles} bytes of page and styles`)
  }
}

describe('the HTML of every page and letter is valid', () => {
  it('of every step and end state of the checkout, every state of the calculator, and what the sandbox plays', async () =>
    assertValid(await galleryPages()))
  it('of terms, errors and calculators, as they are served', async () => assertValid(await exchangePages()))
  it('of the start page and whatever can be reached from it', async () => assertValid(await partnerPages()))
  it('of a receipt, of an exchange and of a refund', async () => {
    const bought = await buy(exchange)
    const { body } = await exchange.api<{ transaction_id: string }>('/v1/sandbox/scenarios/held-refunded', { body: {} })
    const refunded = await read(exchange, body.transaction_id)
    for (const { receipt_url: url } of [bought, refunded]) {
      assert.ok(url)
      assert.deepEqual(await faultsOf(await (await fetch(url)).text()), [], url)
    }
  })

  it('of letters, in every language', async () => {
    for (const { name, html } of await letters()) assert.deepEqual(await faultsOf(html, letterValidator), [], name)
  })
})

describe('every page that a customer sees weighs little: 15 kB of scripts, 30 kB of page and styles, compressed', () => {
  it('every step and end state of the checkout, every state of the calculator, and what the sandbox plays', async () =>
    assertLight(await galleryPages()))
  it('terms, errors and calculators, as they are served', async () => assertLight(await exchangePages()))
})
