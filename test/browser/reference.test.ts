import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { Browser } from 'playwright-core'

import { openTestApi, type TestApi } from '../support/api.ts'
import { launchBrowser, noBrowser } from '../support/browser.ts'
import { axeFindings, show } from '../support/page-faults.ts'

describe('the documentation at /docs', { skip: noBrowser() }, () => {
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

  const pages = ['/docs', '/docs/quickstart', '/docs/errors', '/docs/scenarios', '/docs/api/createTransaction']

  it('is read without scripts and with nothing from elsewhere, on a narrow screen, by day and by night', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        colorScheme,
        viewport: { width: 360, height: 740 },
      })
      const asked: string[] = []
      const page = await context.newPage()
      page.on('request', (request) => asked.push(request.url()))
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      await page.goto(`${url}/docs`)
      await page.getByRole('link', { name: /^POST \/v1\/transaction$/ }).click()
      assert.equal(new URL(page.url()).pathname, '/docs/api/createTransaction')
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Create a transaction')
      await page.getByText('Fields of the answer').click()
      await page.getByRole('radio', { name: 'PHP' }).check()
      assert.match(await page.locator('[data-language]:visible').innerText(), /^<\?php/)
      assert.match((await page.locator('.samples pre').last().textContent()) ?? '', /"redirect_url"/)
      assert.deepEqual(complaints, [])
      assert.deepEqual(
        asked.filter((one) => !/^\/(docs|assets)\b/.test(one.slice(url.length))),
        [],
      )
      await context.close()
    }
  })

  it('remembers the language of samples, and copies what is shown', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${url}/docs/api/createTransaction`)
    await page.getByRole('radio', { name: 'Python' }).check()
    await page.goto(`${url}/docs/api/getStatus`)
    assert.equal(await page.getByRole('radio', { name: 'Python' }).isChecked(), true)
    await page.locator('[data-language=python]').getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied').first().waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(copied, /^import json\nimport urllib\.request\n/)
    await context.close()
  })

  it('says to assistive programs what it says to the eye, and nothing stands out of the window', async () => {
    const page = await browser.newPage({ bypassCSP: true, viewport: { width: 360, height: 740 } })
    for (const path of pages) {
      await show(page, url + path)
      for (const [colorScheme, width, rules] of [
        ['light', 360, 'all'],
        ['dark', 360, 'colors'],
        ['light', 1280, 'looks'],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 740 })
        assert.deepEqual(await axeFindings(page, rules), [], `${path} ${colorScheme} ${width}`)
        const isScrolling = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        assert.equal(isScrolling, false, `${path} ${width}`)
      }
    }
    await page.close()
  })
})
