import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { setPartner } from '../../exchange/partners/change.ts'

let api: TestApi

before(async () => {
  api = await openTestApi()
})
after(() => api.close())

const range = (pair: string, key?: string) => api.ask({ url: `/v1/market-info/min-max-range/${pair}`, key })

describe('GET /v1/market-info/min-max-range/{from_to}', () => {
  it('200: the ends as JSON numbers, in every way to write the pair', async () => {
    const answer = await range('eur_btc')
    assert.deepEqual(answer.body, { from: 'EUR', to: 'BTC', min: 20, max: 15_000 })
    assert.deepEqual(offences('market_info', answer.body), [])
    for (const pair of ['EUR_BTC', 'eur-eur_btc-btc', 'EUR-EUR_BTC-BTC', 'Eur_Btc-btc']) {
      assert.deepEqual((await range(pair)).body, answer.body, pair)
    }
    assert.equal((await range('eur_usdt-trx')).body.to, 'USDT')
  })

  it('200: both ends can be estimated, and one step beyond them cannot', async () => {
    const { min, max } = (await range('eur_usdt-trx')).body
    const estimate = async (amount: unknown) => {
      const url = `/v1/estimate?from_amount=${String(amount)}&from_currency=EUR&to_currency=USDT&to_network=TRX`
      return (await api.ask({ url, key: api.all.secret_key })).status
    }
    assert.deepEqual([await estimate(min), await estimate(max)], [200, 200])
    assert.deepEqual([await estimate('19.99'), await estimate('15000.01')], [400, 400])
  })

  it('200: on the terms of the account that asks', async () => {
    await setPartner(api.ctx, api.plain.partner.id, { limits: '{"min": "50", "max": "500"}' }, 'test')
    const own = await range('eur_btc', api.plain.public_key)
    assert.deepEqual([own.body.min, own.body.max], [50, 500])
    assert.equal((await range('eur_btc')).body.max, 15_000)
  })

  it('404 NOT_FOUND: an unknown currency, or what is no pair', async () => {
    for (const pair of [
      'xxx_btc',
      'eur_xxx',
      'eur',
      'eur_',
      '_btc',
      'eur_btc_eth',
      'eur-_btc',
      'eur-a-b_btc',
      '%00_btc',
      'eur%5fbtc%5f',
    ]) {
      const answer = await range(pair)
      assert.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], pair)
    }
  })

  it('400 PAIR_NOT_AVAILABLE: known, and not exchangeable', async () => {
    for (const pair of ['eur_eur', 'eur_usd', 'btc_btc', 'eur_btc-trx', 'eur-sepa_btc']) {
      const answer = await range(pair)
      assert.deepEqual([answer.status, answer.code], [400, 'PAIR_NOT_AVAILABLE'], pair)
    }
  })

  it('401 INVALID_TOKEN: an unknown key', async () => {
    assert.equal((await range('eur_btc', 'nonsense')).status, 401)
  })
})
