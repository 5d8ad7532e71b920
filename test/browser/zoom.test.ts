import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { languages } from '../../src/language/language.ts'
import { ourPaths, serveGallery } from '../pictures/gallery.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { layoutFaults, movements, show, told } from '../support/page-faults.ts'

/**
 * How somebody who sees little reads. Zoom makes a window of fewer, larger pixels (WCAG 1.4.4, 1.4.10); others have the text alone
 * larger, or set wider (1.4.12).
 */
const readers: Record<string, { window: BrowserContextOptions; style: string }> = {
  'at 200 percent': { window: { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2 }, style: '' },
  'at 400 percent, 320 pixels wide': {
    window: { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 },
    style: '',
  },
  'with text twice as large': {
    window: { viewport: { width: 1280, height: 1024 } },
    style: ':root { font-size: 200% !important }',
  },
  'with text set wider': {
    window: { viewport: { width: 360, height: 780 } },
    style: `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
      p { margin-block-end: 2em !important }`,
  },
}

/** Sets the text as a reader does, in a style sheet of the reader's own, once for each page that is loaded. */
const setText = (page: Page, style: string): Promise<void> =>
  page.evaluate((css) => {
    const own = document.querySelector('#own') ?? document.head.appendChild(document.createElement('style'))
    Object.assign(own, { id: 'own', textContent: css })
  }, style)

describe('every page of the checkout and the calculator', { skip: noBrowser(), concurrency: 2 }, () => {
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

  /** Each page in a language, another one from page to page and from reader to reader. */
  const pathsFrom = (reader: number): string[] =>
    ourPaths.map((path, page) => `/${languages[(page + reader) % languages.length]}${path}`)

  const faultsOn = async (page: Page, paths: readonly string[], look: (page: Page) => Promise<string[]>) => {
    const found = new Map<string, string[]>()
    for (const path of paths) {
      await show(page, url + path)
      found.set(path, await look(page))
    }
    return told(found)
  }

  for (const [at, [reader, { window, style }]] of Object.entries(readers).entries()) {
    it(`is read whole ${reader}: nothing is cut, nothing scrolls sideways`, async () => {
      const page = await browser.newPage(window)
      const look = async () => {
        await setText(page, style)
        return layoutFaults(page)
      }
      assert.equal(await faultsOn(page, pathsFrom(at), look), '')
      await page.close()
    })
  }

  it('stands still for somebody who has asked for that, and moves for others', async () => {
    const page = await browser.newPage({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
    assert.equal(await faultsOn(page, pathsFrom(0), movements), '')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await show(page, `${url}/en/checkout/sending`)
    assert.notDeepEqual(await movements(page), [])
    await page.close()
  })
})
