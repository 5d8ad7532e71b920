import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Page } from 'playwright-core'

import { languageOf, languages } from '../../src/platform/language/language.ts'
import { foreignWords } from '../pictures/foreign-words.ts'
import { ourPaths, playedPaths } from '../pictures/gallery.ts'
import { markFaults } from '../pictures/mark-faults.ts'
import { readingFaults } from '../pictures/reading-faults.ts'
import { noBrowser } from '../support/browser.ts'
import { layoutFaults } from '../support/page-faults.ts'
import { dealt, isWhole, showGallery } from '../support/shown-gallery.ts'

describe('every page, as a reader sees it', { skip: noBrowser(), concurrency: 2 }, () => {
  const gallery = showGallery()

  for (const [at, tag] of languages.entries()) {
    const ours = isWhole ? ourPaths : dealt(ourPaths, languages.length, at)
    it(`has nothing cut, nothing overlapping and nothing untranslated, and runs the right way, in ${tag}`, async () => {
      const page = await gallery.open({ viewport: phone, reducedMotion: 'reduce' })
      const look = async () => [...(await faultsOn(page, tag)), ...untranslated(await readable(page), tag)]
      const paths = [...ours.map((one) => `/${tag}${one}`), ...(tag === 'en' ? playedPaths : [])]
      assert.equal(await gallery.faults(page, paths, look), '')
      await page.close()
    })
  }

  it('breaks no e-mail in two on a button', async () => {
    const page = await gallery.open({ viewport: { ...phone, width: 320 } })
    for (const tag of ['de', 'fr']) {
      await gallery.show(page, `/${tag}/checkout/hold-underpaid`)
      const lines = await page
        .getByText(/^e-mail$/i)
        .evaluateAll((all) => all.map((one) => one.getClientRects().length))
      assert.deepEqual(lines, [1], tag)
      const said = await page.locator('main .button').innerText()
      assert.equal(said, languageOf(tag).say('hold.askSubmit'), 'it flows as one text')
    }
    await page.close()
  })

  it('promises to move on by itself only where scripts run', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await gallery.open({ viewport: phone, javaScriptEnabled })
      for (const name of ['transfer-sepa', 'transfer-pix', 'coin-btc']) {
        await gallery.show(page, `/en/checkout/${name}`)
        const said = await page.locator('main').innerText()
        assert.equal(/this page updates when/.test(said), javaScriptEnabled, name)
        assert.equal(/refresh it after you’ve paid/.test(said), !javaScriptEnabled, name)
      }
      await page.close()
    }
  })
})

/** What is wrong with the layout of the page that is shown, on a phone and on a desktop. */
async function faultsOn(page: Page, tag: string): Promise<string[]> {
  const faults: string[] = []
  for (const [device, size] of Object.entries({ phone, desktop })) {
    await page.setViewportSize(size)
    const found = [
      await layoutFaults(page),
      await page.evaluate(readingFaults, languageOf(tag).direction),
      await page.evaluate(markFaults),
    ]
    faults.push(...found.flat().map((fault) => `${device}: ${fault}`))
  }
  return faults
}

const untranslated = (text: string, tag: string): string[] =>
  tag === 'en' ? [] : foreignWords(text, tag).map((word) => `says in English: ${word}`)

const phone = { width: 360, height: 780 }
const desktop = { width: 1280, height: 800 }

/** What is read or read aloud on a page, without what is nobody's language: codes, names of people, languages' own names. */
const readable = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const words: string[] = [document.title]
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if (
        !node.parentElement?.closest('code, script, [lang]:not(html), option, .partner, .account, .company, noscript')
      )
        words.push(node.textContent ?? '')
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      words.push(...['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''))
    return words.join('\n')
  })
