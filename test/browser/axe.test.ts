import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { Page } from 'playwright-core'

import { languages } from '../../src/platform/language/language.ts'
import { ourPaths, playedPaths } from '../pictures/gallery.ts'
import { themedPaths } from '../pictures/themes.ts'
import { noBrowser } from '../support/browser.ts'
import { axeFindings, layoutFaults, type Rules, structureFaults } from '../support/page-faults.ts'
import { dealt, inTurn, isWhole, showGallery } from '../support/shown-gallery.ts'

/** `npm run axe` checks every page in every language and every combination against every rule, which takes many minutes. */
const isExhaustive = process.env.PAGES === 'all'

const widths = [360, 1280] as const
const schemes = ['light', 'dark'] as const
const combinations = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })))

/** What one look has to be by, where the same page was looked at by every rule in the narrow window in light. */
const rulesFor = (width: number, scheme: string): Rules =>
  isExhaustive || (width === 360 && scheme === 'light') ? 'all' : scheme === 'light' ? 'looks' : 'colors'

describe(
  'every page of the checkout, the calculator and what the sandbox plays',
  { skip: noBrowser(), concurrency: 2 },
  () => {
    const gallery = showGallery()

    const faultsBy = async (page: Page, rules: Rules): Promise<string[]> =>
      (await Promise.all([axeFindings(page, rules), structureFaults(page)])).flat()

    if (isExhaustive) for (const tag of languages) lookInEveryCombination(tag)
    else lookOnce()
    if (isWhole) {
      lookInEveryCombination('en')
      for (const [turn, tag] of languages.entries()) if (tag !== 'en') lookAtWords(tag, turn)
    }

    /** Each page by every rule, in a language and a combination that are others from page to page. */
    function lookOnce(): void {
      for (const [at, { width, colorScheme }] of combinations.entries())
        it(`is usable by everyone in ${colorScheme} colors, ${width} pixels wide, each page in one language`, async () => {
          const page = await gallery.open({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' })
          const paths = dealt([...inTurn(ourPaths), ...playedPaths], combinations.length, at)
          assert.equal(await gallery.faults(page, paths, () => faultsBy(page, 'all')), '')
          await page.close()
        })
    }

    function lookInEveryCombination(language: string): void {
      for (const width of widths)
        it(`is usable by everyone in ${language}, light and dark, ${width} pixels wide`, async () => {
          const page = await gallery.open({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
          const look = async () => {
            const found: string[] = []
            for (const colorScheme of schemes) {
              await page.emulateMedia({ colorScheme })
              const faults = await faultsBy(page, rulesFor(width, colorScheme))
              found.push(...faults.map((fault) => `${colorScheme}: ${fault}`))
            }
            return found
          }
          const paths = [...ourPaths.map((one) => `/${language}${one}`), ...playedPaths]
          assert.equal(await gallery.faults(page, paths, look, rulesFor(width, 'light') === 'all'), '')
          await page.close()
        })
    }

    /** The same pages in other words: each page once, in a combination that is another one from page to page. */
    function lookAtWords(tag: string, turn: number): void {
      it(`is usable by everyone in ${tag}`, async () => {
        const page = await gallery.open({ reducedMotion: 'reduce' })
        for (const [at, { width, colorScheme }] of combinations.entries()) {
          await page.setViewportSize({ width, height: 800 })
          await page.emulateMedia({ colorScheme })
          const paths = dealt(ourPaths, combinations.length, (at + turn) % combinations.length)
          const ours = paths.map((one) => `/${tag}${one}`)
          assert.equal(await gallery.faults(page, ours, () => faultsBy(page, 'words'), false), '')
        }
        await page.close()
      })
    }

    it('can be read in whatever accent a partner wants, light and dark', async () => {
      const page = await gallery.open({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
      const look = async () => {
        const found: string[] = []
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme })
          found.push(...(await axeFindings(page, 'colors')).map((fault) => `${colorScheme}: ${fault}`))
        }
        return found
      }
      assert.equal(await gallery.faults(page, themedPaths, look), '')
      await page.close()
    })

    it('has lists to choose a currency from that are usable by everyone', async () => {
      const page = await gallery.open({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
      for (const tag of isWhole ? languages : ['en', 'ar']) {
        await gallery.show(page, `/${tag}/calculator/buy`)
        await page.locator('.pick').last().click()
        await page.getByRole('dialog').waitFor()
        assert.deepEqual([...(await axeFindings(page)), ...(await layoutFaults(page))], [], tag)
      }
      await page.close()
    })
  },
)
