import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const set = (theme: object) =>
  setPartner(
    exchange.service.composition.ctx,
    BigInt(exchange.sandbox.partner_id),
    { theme: JSON.stringify(theme) },
    'test',
  )

async function page(): Promise<{ html: string; sheet: string; policy: string }> {
  const { redirect_url: url } = await create(exchange)
  const answer = await fetch(url)
  const html = await answer.text()
  const sheet = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? assert.fail('the page brings no style sheet')
  return { html, sheet, policy: answer.headers.get('content-security-policy') ?? '' }
}

const linked = (html: string, pattern: RegExp): string =>
  `${exchange.url}${pattern.exec(html)?.[1] ?? assert.fail(`the page has no ${pattern}`)}`

test('a partner’s pages have its name, logo, color and corners soon after the change', async () => {
  const before = await page()
  assert.doesNotMatch(before.html, /assets\/logo/)
  assert.doesNotMatch(before.sheet, /--corner:3px/)

  await set({ name: 'Coins & Co', accent: '#FFEE00', corner: 3, logo: `data:image/png;base64,${pixel}` })
  await until(async () => (await page()).html.includes('Coins &amp; Co'), 'the new name')
  const { html, sheet, policy } = await page()
  assert.doesNotMatch(html, /style=|<style.*<style|rel="stylesheet"/s, 'a page has one style sheet, and waits for none')
  assert.match(sheet, /--corner:3px.*--accent:#[0-9a-f]{6}/s)
  const hash = createHash('sha256').update(sheet).digest('base64')
  assert.match(policy, /style-src 'sha256-[^ ]+';/)
  assert.ok(policy.includes(`style-src 'sha256-${hash}';`), 'which its policy allows, and no other')
  const logo = await fetch(linked(html, /src="(\/assets\/logo\/[^"]+)"/))
  assert.equal(logo.headers.get('content-type'), 'image/png')
  assert.equal(Buffer.from(await logo.arrayBuffer()).toString('base64'), pixel)

  await set({})
  await until(async () => !(await page()).html.includes('Coins &amp; Co'), 'the old name')
  const after = await page()
  assert.equal(after.sheet, before.sheet)
})

test('what is no logo is not served as one', async () => {
  const tried = [
    `/assets/logo/${exchange.sandbox.partner_id}/aaaaaaaaaa`,
    '/assets/logo/9223372036854775807/aaaaaaaaaa',
  ]
  for (const path of tried) assert.equal((await fetch(exchange.url + path)).status, 404, path)
})
