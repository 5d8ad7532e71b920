import { readFileSync } from 'node:fs'

import fastify, { type FastifyInstance } from 'fastify'

import { logos } from '../../src/doors/api/logos.ts'
import { type Assets, serveAssets } from '../../src/doors/checkout/assets.ts'
import { renderLayout } from '../../src/doors/checkout/layout.tsx'
import { serveLegalPages } from '../../src/doors/checkout/legal-page.tsx'
import { sandboxNotices } from '../../src/sandbox/notices.ts'
import { renderOrder } from '../../src/doors/checkout/order-page.tsx'
import type { PageProps } from '../../src/doors/checkout/page.ts'
import { messagePage, type Reason } from '../../src/doors/checkout/message-page.tsx'
import { spellProblem } from '../../src/doors/ui/spell-problem.ts'
import { readConfig } from '../../src/app/config/config.ts'
import { closedCheckPage, documentPage, reviewPage, selfiePage } from '../../src/sandbox/identity/check-page.tsx'
import { catalogs } from '../../src/platform/language/catalog.ts'
import { type Language, languageOf, languages } from '../../src/platform/language/language.ts'
import {
  bankPage,
  cardPage,
  challengePage,
  closedPage,
  stylePath,
  unknownPage,
} from '../../src/sandbox/processor/processor-page.tsx'
import { samplePages, sampleProps } from '../support/checkout-pages.ts'
import { projectFolder } from '../support/source.ts'
import { calculatorPaths, serveCalculators } from './calculators.ts'
import { serveThemedPages } from './themes.ts'

const bill = {
  merchant: 'exchange.example',
  amount: '100 EUR',
  reference: 'r-1',
  returnUrl: 'https://exchange.example/',
}
const asker = { name: bill.merchant, returnUrl: bill.returnUrl }

/** The pages of the sandbox's processor, bank and identity provider: somebody else's, in English. */
const playedPages: Record<string, string> = {
  card: cardPage(bill, {}, false),
  'card-wrong': cardPage(bill, { number: 'Wrong.', expiry: 'Wrong.', cvc: 'Wrong.' }, false),
  'card-declined': cardPage(bill, {}, true),
  bank: bankPage(bill, { isDeclined: false, isUnchosen: false }),
  challenge: challengePage(bill),
  paid: closedPage(bill, true),
  closed: closedPage(bill, false),
  unknown: unknownPage(),
  document: documentPage(asker, false),
  'document-again': documentPage(asker, true),
  selfie: selfiePage(asker),
  'check-review': reviewPage(asker),
  'check-over': closedCheckPage(asker),
}

const reasons: readonly Reason[] = ['missing', 'fault', 'foreign', 'form', 'country']

/** Every page that is ours, from `/{language}` on: each step and end state of the checkout, and of the calculator. */
export const ourPaths: readonly string[] = [
  ...Object.keys(samplePages).map((name) => `/checkout/${name}`),
  ...reasons.map((reason) => `/message/${reason}`),
  '/terms',
  '/privacy',
  ...calculatorPaths,
]

/** The pages that are played by the sandbox, whole paths. */
export const playedPaths: readonly string[] = Object.keys(playedPages).map((name) => `/played/${name}`)

/**
 * Serves every page in every state and language, without an exchange behind it: the same names, prices and times whenever it is
 * looked at.
 */
export function serveGallery(): FastifyInstance {
  const app = fastify()
  const assets = serveAssets(app)
  for (const tag of languages) {
    const language = languageOf(tag)
    serveCheckout(app, assets, language)
    for (const reason of reasons)
      app.get(`/${tag}/message/${reason}`, (_request, reply) =>
        reply.type('text/html').send(renderMessage(reason, language, assets)),
      )
  }
  serveLegalPages(app, { config: readConfig({}) }, { options: { notices: sandboxNotices }, assets, headers: {} })
  app.register(logos)
  serveCalculators(app)
  serveThemedPages(app, assets)
  for (const [name, html] of Object.entries(playedPages))
    app.get(`/played/${name}`, (_request, reply) => reply.type('text/html').send(html))
  const style = readFileSync(`${projectFolder}src/sandbox/processor/processor.css`, 'utf8')
  app.get(stylePath, (_request, reply) => reply.type('text/css').send(style))
  return app
}

function serveCheckout(app: FastifyInstance, assets: Assets, language: Language): void {
  for (const [name, sample] of Object.entries(samplePages))
    app.get(`/${language.tag}/checkout/${name}`, async (_request, reply) =>
      reply.type('text/html').send(renderOrder(inLanguage(await sampleProps(sample), language), assets)),
    )
}

/** A sample page as another reader sees it: its problems, too, are said in the reader's language. */
function inLanguage(props: PageProps, language: Language): PageProps {
  const problems = props.problems.map(({ field, text }) => ({ field, text: translated(text, language) }))
  return { ...props, language, problems }
}

const keys = new Map(Object.entries(catalogs.get('en') ?? {}).map(([key, text]) => [text, key]))

/** Samples are in English: what of it stands in the catalog is said by its key, a rule's own sentence as the checkout does. */
const translated = (text: string, language: Language): string =>
  language.find(keys.get(text) ?? '') ?? spellProblem({ code: 'INVALID_VALUE', message: text }, language)

const renderMessage = (reason: Reason, language: Language, assets: Assets): string => {
  const { title, body } = messagePage(reason, language)
  const legal = { termsUrl: '/terms', privacyUrl: '/privacy' }
  return renderLayout({ title, language, assets, notices: sandboxNotices, legal, children: body })
}
