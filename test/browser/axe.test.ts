import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { FastifyInstance } from 'fastify'
import type { Browser, Page } from 'playwright-core'

import { languages } from '../../src/language/language.ts'
import { ourPaths, playedPaths, serveGallery } from '../pictures/gallery.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { axeFindings, layoutFaults, type Rules, show, structureFaults, told } from '../support/page-faults.ts'

/** `npm run axe` looks at every page in one language after the other, in every combination, by every rule: minutes, not seconds. */
const wholeLanguage = process.env.AXE_LANGUAGE

const widths = [360, 1280] as const
const schemes = ['light', 'dark'] as const
const combinations = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })))

/** What one look has to be by, where the same page was looked at by every rule in the narrow window in light. */
const rulesFor = (width: number, scheme: string): Rules =>
  wholeLanguage !== undefined || (width === 360 && scheme === 'light')
    ? 'all'
    : scheme === 'light'
      ? 'looks'
      : 'colours'

describe(
  'every page of the checkout, the calculator and what the sandbox plays',
  { skip: noBrowser(), concurrency: 2 },
  () => {
    let app: FastifyInstance
    let url: string
    let browser: Browser
    before(async () => {
      app = serveGallery()
      ;[url, browser] = await Promise.all([app.listen({ port: 0, host: '127.0.0.1' }), launchBrowser()])
    })
    after(async () => {
      await Promise.all([browser.close(), app.close()])
    })

    const faultsBy = async (page: Page, rules: Rules): Promise<string[]> =>
      (await Promise.all([axeFindings(page, rules), structureFaults(page)])).flat()

    for (const width of widths) {
      const language = wholeLanguage ?? 'en'
      it(`is usable by everyone in ${language}, light and dark, ${width} pixels wide`, async () => {
        const page = await browser.newPage({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
        const found = new Map<string, string[]>()
        for (const path of [...ourPaths.map((one) => `/${language}${one}`), ...playedPaths]) {
          for (const colorScheme of schemes) {
            await page.emulateMedia({ colorScheme })
            const rules = rulesFor(width, colorScheme)
            if (colorScheme === 'light') await show(page, url + path, rules === 'all')
            found.set(`${path} ${colorScheme}`, await faultsBy(page, rules))
          }
        }
        await page.close()
        assert.equal(told(found), '')
      })
    }

    // The same pages in other words: each language once a page, in a combination that is another one from page to page.
    for (const [turn, tag] of (wholeLanguage === undefined ? languages : []).entries()) {
      if (tag === 'en') continue
      it(`is usable by everyone in ${tag}`, async () => {
        const page = await browser.newPage({ reducedMotion: 'reduce' })
        const found = new Map<string, string[]>()
        for (const [at, { width, colorScheme }] of combinations.entries()) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          for (const path of ourPaths.filter((_one, index) => (index + turn) % combinations.length === at)) {
            await show(page, `${url}/${tag}${path}`, false)
            found.set(path, await faultsBy(page, 'words'))
          }
        }
        await page.close()
        assert.equal(told(found), '')
      })
    }

    it('has lists to choose a currency from that are usable by everyone', async () => {
      const page = await browser.newPage({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
      for (const tag of languages) {
        await show(page, `${url}/${tag}/calculator/buy`)
        await page.locator('.pick').last().click()
        await page.getByRole('dialog').waitFor()
        assert.deepEqual([...(await axeFindings(page)), ...(await layoutFaults(page))], [], tag)
      }
      await page.close()
    })
  },
)
