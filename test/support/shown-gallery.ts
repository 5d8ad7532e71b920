import { after, before } from 'node:test'

import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { languages } from '../../src/platform/language/language.ts'
import { serveGallery } from '../pictures/gallery.ts'
import { launchBrowser } from './browser.ts'
import { show, told } from './page-faults.ts'

/**
 * Whether each page is checked in every language and every way, which takes minutes: `npm run pages`, a step of bin/check. The suite
 * checks each page in one language and one way, which differ from page to page.
 */
export const isWhole = process.env.PAGES === 'whole'

/** The pages of the gallery in a browser. */
export type ShownGallery = {
  /** A window of one's own. Close its page, or the next one is slower. */
  open(window: BrowserContextOptions): Promise<Page>
  /** Shows a page in a window, as `show` does. */
  show(page: Page, path: string, isScripted?: boolean): Promise<void>
  /** Shows pages one after the other, and gives what `look` finds on them as one text; empty where there is nothing. */
  faults(page: Page, paths: readonly string[], look: () => Promise<string[]>, isScripted?: boolean): Promise<string>
}

/** Opens the gallery for the tests of the suite that is being declared, and closes it after them. */
export function showGallery(): ShownGallery {
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
  return {
    open: (window) => browser.newPage(window),
    show: (page, path, isScripted) => show(page, url + path, isScripted),
    faults: async (page, paths, look, isScripted) => {
      const found = new Map<string, string[]>()
      for (const path of paths) {
        await show(page, url + path, isScripted)
        found.set(path, await look())
      }
      return told(found)
    },
  }
}

/** Deals pages out to ways of looking at them: one way a page, the next page the next way. Gives the pages of way `at` of so many. */
export const dealt = (pages: readonly string[], ways: number, at: number): string[] =>
  pages.filter((_page, index) => index % ways === at)

/** Pages from their language on, each in another one than the page before, and in another one than that of its number when dealt out. */
export const inTurn = (pages: readonly string[], turn = 0): string[] =>
  pages.map((page, index) => {
    const round = Math.floor(index / languages.length)
    return `/${languages[(index + round + turn) % languages.length]}${page}`
  })
