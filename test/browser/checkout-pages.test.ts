import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ourPaths, playedPaths, serveGallery } from '../pictures/gallery.ts'

/** Where links may lead: partners, block explorers, and back to the merchant. Nothing is loaded from there. */
const elsewhere =
  /(?:src|href|action)="(?:https?:)?\/\/(?!tulip\.example|mempool\.space|tronscan\.org|exchange\.example)/

/** What the policy of the pages would not let run or be drawn, so that nobody would see it. The one style sheet it has by its hash. */
const inline = /<style.*<style|\sstyle=|<script(?! type="module" src)|\son\w+=/s

test('every page holds everything that it is made of itself, and nothing that its policy refuses', async (t) => {
  const app = serveGallery()
  t.after(() => app.close())
  for (const path of [...ourPaths.map((one) => `/en${one}`), ...playedPaths]) {
    const { body: html } = await app.inject(path)
    assert.doesNotMatch(html, elsewhere, path)
    assert.doesNotMatch(html, inline, path)
  }
})

test('whoever hears the page is told which parts of the way are done: all of them once it is out', async (t) => {
  const app = serveGallery()
  t.after(() => app.close())
  for (const [name, done] of [
    ['email', 0],
    ['pay', 1],
    ['sending', 2],
    ['done', 3],
  ] as const) {
    const { body: html } = await app.inject(`/en/checkout/${name}`)
    assert.equal(html.split('(done)').length - 1, done, name)
  }
})

test('programs read what is paid and received, whole and without a format, next to the text', async (t) => {
  const app = serveGallery()
  t.after(() => app.close())
  for (const tag of ['en', 'de', 'ar']) {
    const { body: html } = await app.inject(`/${tag}/checkout/transfer-ether`)
    const amounts = [...html.matchAll(/data-amount="([^"]*)"/g)].map(([, amount]) => amount)
    assert.deepEqual(amounts, ['100', '1234.076302580652225687', '100', '1234.076302580652225687'], tag)
  }
})
