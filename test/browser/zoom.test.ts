import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { BrowserContextOptions, Page } from 'playwright-core'

import { ourPaths } from '../pictures/gallery.ts'
import { noBrowser } from '../support/browser.ts'
import { layoutFaults, movements } from '../support/page-faults.ts'
import { dealt, inTurn, isWhole, showGallery } from '../support/shown-gallery.ts'

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
  const gallery = showGallery()
  const ways = Object.keys(readers).length + 1
  const pathsFor = (at: number): string[] => (isWhole ? inTurn(ourPaths, at) : dealt(inTurn(ourPaths), ways, at))

  for (const [at, [reader, { window, style }]] of Object.entries(readers).entries()) {
    it(`is read whole ${reader}: nothing is cut, nothing scrolls sideways`, async () => {
      const page = await gallery.open(window)
      const look = async () => {
        await setText(page, style)
        return layoutFaults(page)
      }
      assert.equal(await gallery.faults(page, pathsFor(at), look), '')
      await page.close()
    })
  }

  it('stands still for somebody who has asked for that, and moves for others', async () => {
    const page = await gallery.open({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
    assert.equal(await gallery.faults(page, pathsFor(ways - 1), () => movements(page)), '')
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await gallery.show(page, '/en/checkout/sending')
    assert.notDeepEqual(await movements(page), [])
    await page.close()
  })
})
