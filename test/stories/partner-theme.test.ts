import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { setPartner } from '../../src/partners/change.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const set = (theme: object) =>
  setPartner(exchange.service.house.ctx, BigInt(exchange.sandbox.partner_id), { theme: JSON.stringify(theme) }, 'test')

async function page(): Promise<string> {
  const { redirect_url: url } = await create(exchange)
  return (await fetch(url)).text()
}

const linked = (html: string, pattern: RegExp): string =>
  `${exchange.url}${pattern.exec(html)?.[1] ?? assert.fail(`the page has no ${pattern}`)}`

test('a partner’s pages have its name, logo, colour and corners, within two seconds of the change', async () => {
  const before = await page()
  assert.doesNotMatch(before, /assets\/theme|assets\/logo/)

  await set({ name: 'Coins & Co', accent: '#FFEE00', corner: 3, logo: `data:image/png;base64,${pixel}` })
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  const html = await page()
  assert.match(html, /Coins &amp; Co/)
  assert.doesNotMatch(html, /style=|<style.*<style/s, 'the policy of the pages allows no style but their sheet')

  const sheet = await fetch(linked(html, /href="(\/assets\/theme\/[^"]+)"/))
  assert.equal(sheet.headers.get('content-type'), 'text/css; charset=utf-8')
  assert.match(await sheet.text(), /--corner:3px.*--accent:#[0-9a-f]{6}/s)
  const logo = await fetch(linked(html, /src="(\/assets\/logo\/[^"]+)"/))
  assert.equal(logo.headers.get('content-type'), 'image/png')
  assert.equal(Buffer.from(await logo.arrayBuffer()).toString('base64'), pixel)

  await set({})
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  assert.doesNotMatch(await page(), /Coins &amp; Co|assets\/theme/)
})

test('what is no theme is not served as one', async () => {
  const tried = [
    '/assets/theme/zzzzzz/3.css',
    '/assets/theme/0a7cff/999.css',
    '/assets/theme/0a7cff;}body{display:none/3.css',
    `/assets/logo/${exchange.sandbox.partner_id}/aaaaaaaaaa`,
    '/assets/logo/9223372036854775807/aaaaaaaaaa',
  ]
  for (const path of tried) assert.equal((await fetch(exchange.url + path)).status, 404, path)
})
