import { writeFile } from 'node:fs/promises'

import type { Page } from 'playwright-core'

/**
 * A picture of a page as WebP, which Playwright does not write itself: the whole of it, or what fits into the window; of a
 * calculator, what a partner's page frames. The page's clock stands still and nothing has the focus, so that the same page gives
 * the same picture.
 */
export async function capture(page: Page, file: string, extent?: 'whole'): Promise<void> {
  await page.evaluate(async () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    const load = (image: HTMLImageElement): Promise<unknown> | undefined => {
      image.loading = 'eager'
      return image.complete ? undefined : new Promise((done) => image.addEventListener('load', done))
    }
    await Promise.all([document.fonts.ready, ...[...document.images].map(load)])
  })
  const clip = await page.evaluate((isWhole) => {
    const framed = document.querySelector('main.calculator')?.getBoundingClientRect()
    if (framed) return { x: framed.x, y: framed.y, width: framed.width, height: framed.height }
    const { scrollWidth, scrollHeight } = document.documentElement
    return { x: 0, y: 0, width: scrollWidth, height: isWhole ? scrollHeight : innerHeight }
  }, extent === 'whole')
  const scale = await page.evaluate(() => devicePixelRatio)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    captureBeyondViewport: true,
    clip: { ...clip, scale },
  })
  await session.detach()
  await writeFile(file, Buffer.from(data, 'base64'))
}
