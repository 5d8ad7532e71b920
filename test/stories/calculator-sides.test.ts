import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { openPath, postForm, signedCalculator } from '../support/calculator.ts'
import { idBehind } from '../support/checkout-link.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { read } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

const signed = (query: string): string => signedCalculator(exchange, query)
const open = (path: string) => openPath(exchange, path)
const post = (path: string, fields: Record<string, string>) => postForm(exchange, path, fields)

/** What stands in a box of the page. */
const boxIn = (html: string, name: string): string =>
  new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(html)?.[0].match(/value="([^"]*)"/)?.[1] ?? ''

it('swaps coins, and never a coin for itself', async () => {
  const path = signed('default_side=swap_crypto&default_crypto_currency=BTC')
  const html = await (await open(path)).text()
  const chosen = [...html.matchAll(/<option value="([^"]+)" selected/g)].map(([, id]) => id)
  assert.equal(chosen[0], 'BTC-BTC')
  assert.ok(chosen[1] !== undefined && !['BTC-BTC', 'EUR-EUR'].includes(chosen[1]), String(chosen))
  assert.match(html, /value="swap" checked/)
  const [ticker, network] = chosen[1].split('-')
  const asked = `/v1/estimate?from_currency=BTC&to_currency=${ticker}&to_network=${network}`
  const direct = await exchange.api<{ value: string }>(`${asked}&from_amount=${boxIn(html, 'from_amount')}`)
  assert.equal(boxIn(html, 'to_amount'), direct.body.value)

  const fields = {
    do: 'continue',
    side: 'swap',
    from: 'BTC-BTC',
    to: 'LTC-LTC',
    from_amount: '0.01',
    edited: 'direct',
  }
  const answer = await post(path, fields)
  assert.equal(answer.status, 303)
  const record = await read(exchange, await idBehind(exchange, answer.headers.get('location') ?? ''))
  assert.deepEqual([record.side, record.from_currency, record.to_currency], ['swap', 'BTC', 'LTC'])
  assert.doesNotMatch(await (await open(signed('side_toggle_disabled=true'))).text(), /value="swap"/)
})

it('shows what the exchange costs in all, its spread included, as the order’s record does', async () => {
  const path = signed('default_fiat_amount=100&default_fiat_currency=EUR&default_crypto_currency=BTC')
  const html = await (await open(path)).text()
  const [, shown] = /data-total-cost="([\d.]+)" data-currency="EUR"/.exec(html) ?? []
  assert.match(html, /Spread/)
  const answer = await post(path, { do: 'continue', from_amount: '100', edited: 'direct' })
  const record = await read(exchange, await idBehind(exchange, answer.headers.get('location') ?? ''))
  assert.ok(
    Math.abs(Number(record.total_cost.amount) - Number(shown)) < 0.05,
    `${shown} and ${record.total_cost.amount}`,
  )
})

it('is light, unless its address says otherwise', async () => {
  const themeOf = async (query: string) =>
    /<html[^>]*data-theme="(\w+)"/.exec(await (await open(signed(query))).text())?.[1]
  const themes = ['locale=en', 'theme=light', 'theme=dark', 'theme=auto', 'theme=blue'].map(themeOf)
  assert.deepEqual(await Promise.all(themes), ['light', 'light', 'dark', undefined, 'light'])
})
