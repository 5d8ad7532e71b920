import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { servingRail } from '../../../test/support/every-rail.ts'
import { openRegistry } from '../../rails/registry.ts'

let api: TestApi

before(async () => {
  api = await openTestApi()
  api.ctx.rails = openRegistry([
    servingRail([{ directions: ['deposit', 'payout'], categories: ['SEPA'], networks: ['EUR'] }], 'bank'),
    servingRail([{ directions: ['deposit', 'payout'], categories: ['CRYPTO'], networks: ['BTC'] }], 'bitcoin'),
  ])
})
after(() => api.close())

const get = (url: string) => api.ask({ url, key: api.all.secret_key })
const post = (url: string, body: object) => api.ask({ method: 'POST', url, key: api.all.secret_key, body })
const codeOf = (answer: { status: number; body: Record<string, unknown> }) =>
  `${answer.status} ${(answer.body.errors as { code: string }[] | undefined)?.[0]?.code ?? ''}`.trim()

type Listed = {
  ticker: string
  is_available: boolean
  payment_methods: { payment_category: string; deposit_enabled: boolean }[]
}

test('what has no rail is offered by no endpoint', async () => {
  const listed = (await get('/v1/currencies')).body as unknown as {
    fiat_currencies: Listed[]
    crypto_currencies: Listed[]
  }
  const open = [...listed.fiat_currencies, ...listed.crypto_currencies].filter((one) => one.is_available)
  assert.deepEqual(
    open.map(({ ticker }) => ticker),
    ['EUR', 'BTC'],
  )
  assert.deepEqual(
    open[0]?.payment_methods.filter((one) => one.deposit_enabled).map((one) => one.payment_category),
    ['SEPA'],
  )

  const pair = 'from_currency=EUR&to_currency='
  assert.equal((await get(`/v1/estimate?${pair}BTC&from_amount=100`)).status, 200)
  assert.equal(codeOf(await get(`/v1/estimate?${pair}ETH&from_amount=100`)), '400 PAIR_NOT_AVAILABLE')
  assert.equal(
    codeOf(await get(`/v1/estimate?${pair}BTC&from_amount=100&deposit_type=VISA_MC_1`)),
    '400 PAIR_NOT_AVAILABLE',
  )
  assert.equal((await get(`/v1/market-info/min-max-range/eur_btc`)).status, 200)
  assert.equal(codeOf(await get(`/v1/market-info/min-max-range/eur_eth`)), '400 PAIR_NOT_AVAILABLE')

  const order = { from_currency: 'EUR', to_currency: 'ETH', from_amount: '100', customer: { email: 'a@example.com' } }
  assert.equal(codeOf(await post('/v1/transaction', order)), '400 PAIR_NOT_AVAILABLE')
  const health = (await post('/v1/transaction/health', order)).body as { errors?: { code: string }[] }
  assert.equal(health.errors?.[0]?.code, 'PAIR_NOT_AVAILABLE')
})

test('a payment category without a rail is open in no country', async () => {
  const rows = (await get('/v1/countries/DE/payment-categories')).body as unknown as { category: string }[]
  assert.deepEqual(
    rows.map(({ category }) => category),
    ['CRYPTO', 'SEPA'],
  )
  assert.deepEqual((await get('/v1/payment-categories/VISA_MC/countries')).body, [])
})
