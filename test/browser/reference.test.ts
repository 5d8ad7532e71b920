import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { openTestApi, type TestApi } from '../support/api.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8')

describe('the reference at /docs', { skip: noBrowser() }, () => {
  let api: TestApi
  let browser: Browser
  let url: string
  before(async () => {
    api = await openTestApi()
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await api.close()
  })

  it('is read without scripts and without the network, on a narrow screen, by day and by night', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        colorScheme,
        viewport: { width: 360, height: 740 },
      })
      const asked: string[] = []
      const page = await context.newPage()
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      await page.goto(`${url}/docs`)
      assert.deepEqual(asked, ['/docs'])
      assert.deepEqual(complaints, [])
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Cambio partner interface')
      await page.getByRole('link', { name: /^POST ?\/v1\/transaction$/ }).click()
      assert.equal(new URL(page.url()).hash, '#createTransaction')
      const section = page.locator('#createTransaction')
      assert.match((await section.textContent()) ?? '', /Idempotency-Key/)
      await section.getByText('A real answer').click()
      assert.match((await section.locator('pre').last().textContent()) ?? '', /"redirect_url"/)
      await context.close()
    }
  })

  it('says to assistive programs what it says to the eye', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ bypassCSP: true, colorScheme, viewport: { width: 360, height: 740 } })
      const page = await context.newPage()
      await page.goto(`${url}/docs`)
      await page.addScriptTag({ content: axe })
      const violations = await page.evaluate<string[]>(
        'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`))',
      )
      assert.deepEqual(violations, [])
      const isScrolling = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
      assert.equal(isScrolling, false)
      await context.close()
    }
  })
})
