import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { changedMarket } from '../../../test/support/moved-market.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { currencies as catalog } from '../../reference/catalog/currency.ts'
import type { CurrencyRecord } from './currency-record.ts'

let api: TestApi

before(async () => {
  api = await openTestApi({ CONFIRMATIONS: 'ETH=64' })
})
after(() => api.close())

async function get(path: string): Promise<unknown> {
  const answer = await api.ask({ url: path })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const lists = async (query = '') =>
  (await get(`/v1/currencies${query}`)) as { fiat_currencies: CurrencyRecord[]; crypto_currencies: CurrencyRecord[] }

describe('GET /v1/currencies', () => {
  it('200: every currency of the catalog, in a form that strict readers take', async () => {
    const { fiat_currencies: fiat, crypto_currencies: crypto } = await lists()
    assert.deepEqual(
      [...fiat, ...crypto].map(({ ticker }) => ticker),
      catalog.map(({ ticker }) => ticker),
    )
    for (const record of [...fiat, ...crypto]) {
      assert.deepEqual(offences('currency', record), [])
      assert.ok(record.networks.length > 0)
      for (const network of record.networks) {
        assert.ok(network.payment_methods.length > 0, 'readers skip a network without any')
        assert.equal(network.address_regex === null, record.currency_type === 'FIAT')
      }
    }
  })

  it('200: what is available is what can be estimated', async () => {
    const { fiat_currencies: fiat, crypto_currencies: crypto } = await lists()
    for (const { ticker, is_available: isAvailable } of crypto) {
      const url = `/v1/estimate?from_amount=100&from_currency=EUR&to_currency=${ticker}`
      const { status } = await api.ask({ url, key: api.all.secret_key })
      assert.equal(status === 200, isAvailable, ticker)
    }
    assert.ok(fiat.every((record) => record.is_available))
  })

  it('200: ?available=true and false divide the list', async () => {
    const { market } = api.ctx
    api.ctx.market = changedMarket(market, (book) =>
      book.market.base === 'BTC' || book.market.quote === 'BTC' ? undefined : book,
    )
    const later = new Date(api.ctx.clock.now().getTime() + 2_000)
    const { now } = api.ctx.clock
    api.ctx.clock.now = () => later
    const [open, shut] = [await lists('?available=true'), await lists('?available=false')]
    assert.ok(!open.crypto_currencies.some(({ ticker }) => ticker === 'BTC'))
    assert.deepEqual(
      shut.crypto_currencies.map(({ ticker }) => ticker),
      ['BTC'],
    )
    assert.deepEqual(shut.crypto_currencies[0]?.sides, { buy: false, sell: false, swap: false, b2b: false })
    api.ctx.market = market
    api.ctx.clock.now = now
    assert.equal((await lists('?available=')).crypto_currencies.length, (await lists()).crypto_currencies.length)
  })

  it('400 BAD_REQUEST: an available that is neither', async () => {
    const answer = await api.ask({ url: '/v1/currencies?available=maybe' })
    assert.deepEqual([answer.status, answer.code, answer.path], [400, 'BAD_REQUEST', 'available'])
  })
})

describe('GET /v1/currencies/fiat and /crypto', () => {
  it('200: bare lists of one kind', async () => {
    const both = await lists()
    assert.deepEqual(await get('/v1/currencies/fiat'), both.fiat_currencies)
    assert.deepEqual(await get('/v1/currencies/crypto?available=true'), both.crypto_currencies)
  })
})

describe('GET /v1/currencies/{ticker}', () => {
  it('200: one record, in any letter case', async () => {
    const usdt = (await get('/v1/currencies/usdt')) as CurrencyRecord
    assert.equal(usdt.ticker, 'USDT')
    assert.deepEqual(
      usdt.networks.slice(0, 3).map(({ network, decimals }) => [network, decimals]),
      [
        ['ETH', 6],
        ['TRX', 6],
        ['BSC', 18],
      ],
    )
    assert.equal(usdt.is_stable, true)
  })

  it('200: confirmations as the operator has set them', async () => {
    const eth = (await get('/v1/currencies/ETH')) as CurrencyRecord
    assert.equal(eth.networks[0]?.min_confirmations, 64)
  })

  it('200: logo_url leads to a drawing', async () => {
    for (const { ticker } of catalog) {
      const record = (await get(`/v1/currencies/${ticker}`)) as CurrencyRecord
      for (const url of [record.logo_url, ...record.networks.map(({ logo_url: logo }) => logo)]) {
        const { status, headers } = await api.ask({ url: new URL(url).pathname })
        assert.deepEqual([status, headers['content-type']], [200, 'image/svg+xml; charset=utf-8'], url)
      }
    }
  })

  it('404 NOT_FOUND: an unknown ticker', async () => {
    for (const ticker of ['XXX', 'btc1', '%00', 'a'.repeat(90), 'a'.repeat(500), '..%2f..', '__proto__']) {
      const answer = await api.ask({ url: `/v1/currencies/${ticker}` })
      assert.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], ticker)
    }
  })
})
