import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { EstimateRecord } from '../../src/doors/api/estimate-record.ts'
import type { Warning } from '../../src/exchange/transactions/create-input.ts'
import { type Answer, type Exchange, startExchange } from '../support/exchange.ts'
import { create, read, type Refused } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const buy = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }
const pair = 'from_currency=EUR&to_currency=BTC'
const estimate = (query: string): Promise<Answer<EstimateRecord>> => exchange.api(`/v1/estimate?${query}`)
const refused = (path: string, body?: unknown): Promise<Answer<Refused>> => exchange.api(path, { body })
const post = <Body = EstimateRecord>(path: string, body: unknown): Promise<Answer<Body>> => exchange.api(path, { body })

const sourceOf = ({ service_fees: fees, converted_amount: converted }: EstimateRecord): number =>
  fees.reduce((sum, { amount }) => sum + Number(amount), Number(converted.amount))

const codesOf = (warnings: readonly Warning[]) => warnings.map(({ code, path }) => [code, path])

describe('an amount', () => {
  it('of a query may have white space around it, and an exponent as JSON writes it', async () => {
    for (const text of [
      '100',
      '%20100',
      '+100',
      '100%20%09',
      '%0A100.00',
      '1e2',
      '1E2',
      '1.0e%2B2',
      '10000e-2',
      ' 1e2 ',
    ]) {
      const { status, body } = await estimate(`${pair}&from_amount=${text}`)
      assert.deepEqual([status, status === 200 && Math.round(sourceOf(body))], [200, 100], text)
    }
    for (const text of ['1e31', '1e-31', '1%200', '1e', 'e2', '.5', '1.', '-100', '%2B100', '1e2e2', '0x10', '١٠٠']) {
      const { status, body } = await refused(`/v1/estimate?${pair}&from_amount=${text}`)
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], text)
    }
  })

  it('of a body is a JSON number in any spelling, or a numeric string without exponent or white space', async () => {
    const sell = { from_currency: 'BTC', to_currency: 'EUR' }
    for (const text of ['0.01', '1e-2', '1E-2', '100e-4', '"0.01"', '"0.010"']) {
      const body = `{"from_currency":"BTC","to_currency":"EUR","from_amount":${text}}`
      const answer = await post('/v1/transaction', body)
      assert.equal(answer.status, 201, `${text} ${JSON.stringify(answer.body)}`)
    }
    for (const amount of ['1e-2', ' 0.01', '0.01 ', '+0.01', '.01', '1.', '', null, true, [], {}]) {
      const { status, body } = await refused('/v1/transaction', { ...sell, from_amount: amount })
      assert.deepEqual(
        [status, body.code, body.errors[0]?.path],
        [400, 'BAD_REQUEST', 'from_amount'],
        JSON.stringify(amount),
      )
    }
  })

  it('is cut toward zero at its asset’s decimals, and the cut is reported', async () => {
    const wanted = [['AMOUNT_ROUNDED', 'from_amount']]
    const estimated = await estimate('from_currency=GBP&to_currency=BTC&from_amount=75.5555')
    assert.equal(estimated.status, 200)
    assert.equal(sourceOf(estimated.body).toFixed(4), '75.5500')
    assert.deepEqual(codesOf(estimated.body.warnings), wanted)

    const reverse = await estimate(`${pair}&to_amount=0.0010000019`)
    assert.deepEqual(codesOf(reverse.body.warnings), [['AMOUNT_ROUNDED', 'to_amount']])

    const record = await create(exchange, { ...buy, from_amount: 75.5555 })
    assert.deepEqual([record.expected_from_amount, codesOf(record.warnings)], ['75.55', wanted])
    assert.deepEqual((await read(exchange, record.id)).warnings, record.warnings)

    type Health = { healthy: boolean; warnings: Warning[]; estimate: EstimateRecord }
    const { body: health } = await post<Health>('/v1/transaction/health', { ...buy, from_amount: '100.005000' })
    assert.deepEqual([health.healthy, codesOf(health.warnings)], [true, wanted])
    assert.deepEqual(codesOf(health.estimate.warnings), wanted)

    assert.deepEqual((await create(exchange, { ...buy, from_amount: '100.5000' })).warnings, [])
  })

  it('that is nothing after the cut is refused, and so are over 30 digits', async () => {
    for (const amount of ['0.009', '0', '1234567890123456789012345678901', '100.00000000000000000000000000001']) {
      const { status, body } = await refused('/v1/transaction', { ...buy, from_amount: amount })
      assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'BAD_REQUEST', 'from_amount'], amount)
    }
  })

  it('of B2B is refused where its asset has fewer decimals', async () => {
    const query = `/v1/b2b/estimate?${pair}&from_amount=5000.005`
    const { status, body } = await refused(query)
    assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'BAD_REQUEST', 'from_amount'])
    const order = { ...buy, from_amount: '5000.005', payout_account_address: 'nowhere' }
    const made = await refused('/v1/b2b/transaction', order)
    assert.deepEqual([made.status, made.body.errors[0]?.path], [400, 'from_amount'])
  })
})

describe('a yes or no', () => {
  it('is true, false, 1 or 0 in any letter case, in a query and in a body', async () => {
    const onTop = (await estimate(`${pair}&from_amount=100&fees_included=false`)).body.converted_amount.amount
    for (const text of ['False', 'FALSE', '0', 'fAlSe']) {
      const { body } = await estimate(`${pair}&from_amount=100&fees_included=${text}`)
      assert.equal(body.converted_amount.amount, onTop, text)
    }
    assert.equal((await exchange.api('/v1/currencies?available=True')).status, 200)
    assert.equal((await refused(`/v1/estimate?${pair}&from_amount=100&fees_included=yes`)).status, 400)

    for (const [value, wanted] of [
      [true, true],
      ['True', true],
      ['1', true],
      [1, true],
      ['FALSE', false],
      [0, false],
      ['0', false],
    ] as const) {
      const record = await create(exchange, { ...buy, deposit: { skip_choose_payment_category: value } })
      assert.equal(record.skip_choose_payment_category, wanted, String(value))
    }
    for (const value of ['yes', 2, [true], {}]) {
      const { status } = await refused('/v1/transaction', { ...buy, deposit: { skip_choose_payment_category: value } })
      assert.equal(status, 400, JSON.stringify(value))
    }
  })
})

describe('POST /v1/estimate', () => {
  it('takes the names of the GET in a body, and answers 200 with the same', async () => {
    const [{ body: got }, posted] = await Promise.all([
      estimate(`${pair}&from_amount=100`),
      post('/v1/estimate', { ...buy, from_amount: 100, side: 'buy', platform: null }),
    ])
    assert.equal(posted.status, 200)
    assert.deepEqual({ ...posted.body, rate_at: '', value: '' }, { ...got, rate_at: '', value: '' })

    const reverse = await post('/v1/estimate', { from_currency: 'eur', to_currency: 'btc', to_amount: '0.001' })
    assert.ok(Number(reverse.body.value) > 10, reverse.body.value)
    const onTop = await post('/v1/estimate', { ...buy, fees_included: 'False', type: 'DIRECT' })
    assert.equal(onTop.body.converted_amount.amount, '100')
  })

  it('refuses what the GET refuses', async () => {
    for (const [body, path] of [
      [{ ...buy, from_amount: 'x' }, 'from_amount'],
      [{ ...buy, from_currency: null }, 'from_currency'],
      [{ ...buy, from_currency: 5 }, 'from_currency'],
      [{ ...buy, type: 'sideways' }, 'type'],
      [{ ...buy, fees_included: 'x' }, 'fees_included'],
    ] as const) {
      const answer = await refused('/v1/estimate', body)
      assert.deepEqual([answer.status, answer.body.errors[0]?.path], [400, path])
    }
    assert.equal((await refused('/v1/estimate', '[1]')).status, 400)
    assert.equal((await exchange.api('/v1/estimate', { body: buy, key: null })).status, 401)
  })

  it('reads customer_country from the query only', async () => {
    assert.equal((await post('/v1/estimate', { ...buy, customer_country: 'XX' })).status, 200)
    assert.equal((await post('/v1/estimate?customer_country=DE', { ...buy, customer_country: 'XX' })).status, 200)
    assert.equal((await post('/v1/estimate?customer_country=XX', buy)).status, 400)
  })
})

describe('a network', () => {
  it('has other names that are read and never written', async () => {
    for (const [alias, coin, code] of [
      ['ERC20', 'USDT', 'ETH'],
      ['bep20', 'USDT', 'BSC'],
      ['TRC20', 'USDT', 'TRX'],
      ['POLYGON', 'USDC', 'MATIC'],
      ['pol', 'USDC', 'MATIC'],
      ['ARB', 'USDC', 'ARBITRUM'],
      ['OP', 'ETH', 'OPTIMISM'],
      ['BNB', 'BNB', 'BSC'],
      ['BNB', 'USDT', 'BSC'],
    ] as const) {
      const { status, body } = await estimate(
        `from_currency=EUR&to_currency=${coin}&to_network=${alias}&from_amount=100`,
      )
      assert.deepEqual([status, body.to_network], [200, code], `${coin} ${alias}`)
      assert.equal((await exchange.api(`/v1/market-info/min-max-range/eur_${coin}-${alias}`)).status, 200)
    }
    const { status, body } = await refused(`/v1/estimate?${pair}&to_network=BNB&from_amount=100`)
    assert.deepEqual([status, body.code], [400, 'PAIR_NOT_AVAILABLE'])
  })

  it('is the main one of its currency where none is named', async () => {
    for (const ticker of ['USDT', 'ETH', 'BNB', 'XRP']) {
      const { status, body } = await estimate(`from_currency=EUR&to_currency=${ticker}&from_amount=100`)
      assert.equal(status, 200)
      const { body: currency } = await exchange.api<{ networks: { network: string }[] }>(`/v1/currencies/${ticker}`)
      assert.equal(body.to_network, currency.networks[0]?.network)
      const asked = { ...buy, to_currency: ticker, to_network: '' }
      const { body: health } = await post<{ estimate: EstimateRecord }>('/v1/transaction/health', asked)
      assert.equal(health.estimate.to_network, body.to_network)
    }
  })
})

it('a message names the field that it is about', async () => {
  for (const [body, message] of [
    [{ ...buy, customer: 'Jane' }, 'customer must be an object.'],
    [{ ...buy, customer: { contact_info: [] } }, 'customer.contact_info must be an object.'],
    [{ ...buy, customer: { contact_info: { email: 'x' } } }, 'customer.contact_info.email is not an e-mail address.'],
    [{ ...buy, from_amount: undefined }, 'from_amount is required.'],
    [{ ...buy, from_amount: 'x' }, 'from_amount is not an amount.'],
    [{ ...buy, from_amount: 0 }, 'from_amount must be more than zero.'],
    [{ ...buy, from_currency: undefined }, 'from_currency is required.'],
    [{ ...buy, to_currency: 'NOPE' }, 'to_currency is not a currency that we know.'],
    [{ ...buy, customer: { ip: 'unknown' } }, 'customer.ip is not an IP address. Leave it out if you do not know it.'],
    [{ ...buy, redirects: { failed: 'x' } }, /^redirects\.failed must /],
    [{ ...buy, payout_info: { payout_address: 'x' } }, /^payout_info\.payout_address\b/],
    [{ ...buy, to_network: 'NOPE' }, /^to_network\b/],
  ] as const) {
    const answer = await refused('/v1/transaction', body)
    assert.equal(answer.status, 400)
    if (typeof message === 'string') assert.equal(answer.body.message, message)
    else assert.match(answer.body.message, message)
    assert.equal(answer.body.errors[0]?.message, answer.body.message)
  }
  const range = await refused('/v1/transaction', { ...buy, from_amount: '1' })
  assert.match(range.body.message, /^EUR amount must be higher than \d+ and lower than \d+$/)
  const list = await refused('/v1/transactions?limit=x')
  assert.equal(list.body.message, 'limit must be a whole number from 1 to 100.')
})

it('a trailing slash changes nothing, and nothing is answered with 3xx', async () => {
  const { id, redirect_url: url } = await create(exchange)
  const key = { 'x-api-key': exchange.sandbox.secret_key, 'content-type': 'application/json' }
  const paths = [
    '/v1/status',
    '/v1/currencies',
    '/v1/currencies/EUR',
    '/v1/market-info/min-max-range/eur_btc',
    '/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=100',
    `/v1/transaction/${id}`,
    '/v1/transactions',
    '/v1/payment-categories',
    '/v1/countries',
    '/v1/b2b/payout-addresses',
    '/v1/webhook-endpoints',
    '/v1/sandbox/clock',
    url.slice(exchange.url.length),
    url.slice(exchange.url.length).replace('/checkout', '/de/checkout'),
    url.slice(exchange.url.length).replace('/checkout', '/checkout/status'),
    `/calculator/v1?partner_api_token=${exchange.sandbox.public_key}`,
  ]
  for (const path of paths) {
    const slashed = path.includes('?') ? path.replace('?', '/?') : `${path}/`
    const [plain, other] = await Promise.all(
      [path, slashed].map((one) => fetch(exchange.url + one, { headers: key, redirect: 'manual' })),
    )
    assert.deepEqual([plain?.status, other?.status], [200, 200], path)
  }
  const posting = { method: 'POST', headers: key, redirect: 'manual' } as const
  const answers = await Promise.all([
    fetch(`${exchange.url}/v1/transaction/`, { ...posting, body: JSON.stringify(buy) }),
    fetch(`${exchange.url}/v1/transaction/health/`, { ...posting, body: JSON.stringify(buy) }),
    fetch(`${exchange.url}/v1/transaction/health/`, { headers: key, redirect: 'manual' }),
    fetch(`${exchange.url}/v1/status/`, { ...posting, body: '{}' }),
    fetch(`${exchange.url}/v1/nowhere/`, { headers: key, redirect: 'manual' }),
    fetch(`${exchange.url}/v1/transaction//`, { headers: key, redirect: 'manual' }),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 405, 405, 404, 404],
  )
})
