import assert from 'node:assert/strict'
import { test } from 'node:test'

import { launchBrowser, noBrowser } from '../support/browser.ts'

test('a browser starts here and draws a page', { skip: noBrowser() }, async (t) => {
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  await page.setContent('<h1>Buy coins</h1>')
  assert.equal(await page.getByRole('heading').textContent(), 'Buy coins')
})
