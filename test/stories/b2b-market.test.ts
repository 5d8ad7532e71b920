import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { CurrencyRecord } from '../../src/doors/api/currency-record.ts'
import { type Calls, callsOf, problemOf } from '../support/b2b.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { offences } from '../support/strict-types.ts'

describe('B2B’s market', () => {
  let exchange: Exchange
  let ours: Calls
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off' })
    ours = callsOf(exchange)
  })
  after(() => exchange.stop())

  const paths = [
    '/v1/b2b/currencies',
    '/v1/b2b/min-max-range/eur_btc',
    '/v1/b2b/estimate?from_amount=10000&from_currency=EUR&to_currency=BTC',
    '/v1/b2b/payout-addresses',
    '/v1/b2b/transactions',
  ]
  const posts = ['/v1/b2b/add-bank-account', '/v1/b2b/add-crypto-wallet', '/v1/b2b/transaction']

  it('needs a secret key: 401 without a key, 403 FORBIDDEN with a public one', async () => {
    for (const path of [...paths, ...posts]) {
      const asking = posts.includes(path) ? { body: {} } : {}
      const none = await ours.call(path, { ...asking, key: null })
      assert.deepEqual(problemOf(none).slice(0, 2), [401, 'INVALID_TOKEN'], path)
      const open = await ours.call(path, { ...asking, key: exchange.sandbox.public_key })
      assert.deepEqual(problemOf(open).slice(0, 2), [403, 'FORBIDDEN'], path)
    }
  })

  it('needs the feature: 403 FEATURE_NOT_ENABLED before anything of the body is looked at', async () => {
    const key = exchange.sandbox.second_partner.secret_key
    for (const path of paths) {
      assert.deepEqual(problemOf(await ours.call(path, { key })).slice(0, 2), [403, 'FEATURE_NOT_ENABLED'], path)
    }
    for (const path of posts) {
      for (const body of [{}, '{broken', 'x'.repeat(300_000)]) {
        const told = await ours.call(path, { key, body })
        assert.deepEqual(problemOf(told).slice(0, 2), [403, 'FEATURE_NOT_ENABLED'], path)
      }
      const form = await ours.call(path, { key, body: 'a=b', headers: { 'content-type': 'text/plain' } })
      assert.deepEqual(problemOf(form).slice(0, 2), [403, 'FEATURE_NOT_ENABLED'], path)
    }
  })

  describe('lists, limits and prices', () => {
    it('the currencies are those that institutions can exchange, by transfers and coins only', async () => {
      type Lists = { fiat_currencies: CurrencyRecord[]; crypto_currencies: CurrencyRecord[] }
      const { status, body } = await ours.call<Lists>('/v1/b2b/currencies')
      assert.equal(status, 200)
      const all = [...body.fiat_currencies, ...body.crypto_currencies]
      assert.ok(body.fiat_currencies.some(({ ticker }) => ticker === 'EUR'))
      assert.ok(body.crypto_currencies.some(({ ticker }) => ticker === 'BTC'))
      for (const record of all) {
        assert.deepEqual(offences('currency', record), [])
        assert.equal(record.sides.b2b, true, record.ticker)
        assert.ok(record.is_available, record.ticker)
        for (const { network, payment_methods: methods } of record.networks) assert.ok(methods.length > 0, network)
      }
      const categories = all.flatMap(({ networks }) =>
        networks.flatMap(({ payment_methods: methods }) => methods.map(({ payment_category }) => payment_category)),
      )
      const allowed = ['SEPA', 'SWIFT', 'FASTERPAYMENTS', 'PIX', 'SPEI', 'CRYPTO']
      assert.deepEqual([...new Set(categories)].toSorted(), allowed.toSorted())
      assert.equal((await ours.call('/v1/b2b/currencies?available=perhaps')).status, 400)
    })

    it('the range is not the retail one, and its ends are accepted', async () => {
      type Range = { from: string; to: string; min: number; max: number }
      const [own, retail] = await Promise.all([
        ours.call<Range>('/v1/b2b/min-max-range/EUR-EUR_btc'),
        ours.call<Range>('/v1/market-info/min-max-range/eur_btc'),
      ])
      assert.deepEqual(offences('market_info', own.body), [])
      assert.deepEqual([own.body.from, own.body.to, own.body.min, own.body.max], ['EUR', 'BTC', 1000, 1_000_000])
      assert.ok(own.body.max > retail.body.max)
      const estimate = (amount: string) =>
        ours.call(`/v1/b2b/estimate?from_amount=${amount}&from_currency=EUR&to_currency=BTC`)
      assert.equal((await estimate('1000')).status, 200)
      assert.equal((await estimate('1000000')).status, 200)
      const below = await estimate('999.99')
      assert.deepEqual(problemOf(below), [400, 'BAD_REQUEST', 'from_amount'])
      assert.equal(
        (below.body as unknown as { message: string }).message,
        'EUR amount must be higher than 1000 and lower than 1000000',
      )
      assert.deepEqual(problemOf(await ours.call('/v1/b2b/min-max-range/nothing_btc')).slice(0, 2), [404, 'NOT_FOUND'])
      const fiat = await ours.call('/v1/b2b/min-max-range/eur_usd')
      assert.deepEqual(problemOf(fiat).slice(0, 2), [400, 'PAIR_NOT_AVAILABLE'])
    })

    it('the estimate has B2B’s own fees, in the retail estimate’s shape', async () => {
      type Estimate = { value: string; service_fees: { name: string; percentage: string }[] }
      const query = 'from_amount=10000&from_currency=EUR&to_currency=BTC'
      const [own, retail] = await Promise.all([
        ours.call<Estimate>(`/v1/b2b/estimate?${query}`),
        ours.call<Estimate>(`/v1/estimate?${query}&deposit_category=SEPA`),
      ])
      assert.deepEqual(offences('estimate', own.body), [])
      assert.deepEqual(Object.keys(own.body), Object.keys(retail.body))
      assert.equal(own.body.service_fees[0]?.percentage, '0.3%')
      assert.equal(retail.body.service_fees[0]?.percentage, '1%')
      assert.ok(Number(own.body.value) > Number(retail.body.value))
    })

    it('cards never', async () => {
      const query = 'from_amount=10000&from_currency=EUR&to_currency=BTC&deposit_category=VISA_MC'
      const told = await ours.call(`/v1/b2b/estimate?${query}`)
      assert.deepEqual(problemOf(told), [400, 'PAIR_NOT_AVAILABLE', 'deposit_category'])
    })
  })
})
