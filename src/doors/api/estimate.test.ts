import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { table } from '../../../test/support/table.ts'
import { setPartner } from '../../exchange/partners/change.ts'

let api: TestApi

before(async () => {
  api = await openTestApi()
})
after(() => api.close())

const valid = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }

/** A valid request with one thing changed; undefined leaves a thing out. */
function estimate(change: Record<string, string | undefined> = {}, key = api.all.secret_key): Promise<ApiAnswer> {
  const query = Object.entries({ ...valid, ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  return api.ask({ url: `/v1/estimate?${new URLSearchParams(query).toString()}`, key })
}

type Fee = { name: string; amount: string; currency: string; percentage: string }
type Money = { amount: string; currency: string }
type Estimate = {
  value: string
  estimated_exchange_rate: string
  service_fees: Fee[]
  converted_amount: Money
  network_fee: Money
  price: { numerator: string; denominator: string }
  rate_at: string
  warnings: { code: string; path: string }[]
}
const record = ({ body }: ApiAnswer) => body as unknown as Estimate

/** Decimal text as a whole number of units with so many decimals. */
function units(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  assert.ok(fraction.length <= decimals, text)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

describe('GET /v1/estimate', () => {
  it('200: tells what the customer would receive, in a form that strict readers take', async () => {
    const answer = await estimate()
    assert.equal(answer.status, 200)
    assert.deepEqual(offences('estimate', answer.body), [])
    const { body } = answer
    assert.deepEqual(
      [body.from_currency, body.from_network, body.to_currency, body.to_network],
      ['EUR', 'EUR', 'BTC', 'BTC'],
    )
    assert.deepEqual(body.warnings, [])
    assert.match(record(answer).estimated_exchange_rate, /^\d+\.\d{8,}$/)
    assert.match(record(answer).rate_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    for (const { percentage } of record(answer).service_fees) assert.match(percentage, /^\d+(\.\d+)?%$/)
  })

  it('200: the sum is exact for any amount: fees and converted make the amount, the price makes the value', async () => {
    const cents = fc.integer({ min: 2_000, max: 1_500_000 })
    await fc.assert(
      fc.asyncProperty(cents, async (amount) => {
        const text = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`
        const {
          value,
          service_fees: fees,
          converted_amount: converted,
          network_fee: fee,
          price,
        } = record(await estimate({ from_amount: text }))
        const charged = fees.reduce((sum, one) => sum + units(one.amount, 2), 0n)
        assert.equal(charged + units(converted.amount, 2), BigInt(amount))
        const paidFor =
          (units(converted.amount, 2) * BigInt(price.numerator) * 10n ** 8n) / (BigInt(price.denominator) * 100n)
        assert.equal(units(value, 8), paidFor - units(fee.amount, 8))
      }),
      { numRuns: 200 },
    )
  })

  it('200: a reverse estimate is the least amount whose direct estimate gives as much', async (test) => {
    // At one moment: a price that moves between two questions would answer them differently.
    const { now } = api.ctx.clock
    const moment = now()
    api.ctx.clock.now = () => moment
    test.after(() => {
      api.ctx.clock.now = now
    })
    for (const wanted of ['0.001', '0.0123456', '0.1']) {
      const reverse = record(await estimate({ from_amount: undefined, to_amount: wanted, type: 'reverse' }))
      const direct = record(await estimate({ from_amount: reverse.value }))
      assert.ok(units(direct.value, 8) >= units(wanted, 8))
      const less = (units(reverse.value, 2) - 1n).toString().padStart(3, '0')
      const below = record(await estimate({ from_amount: `${less.slice(0, -2)}.${less.slice(-2)}` }))
      assert.ok(units(below.value, 8) < units(wanted, 8))
    }
    const byName = await estimate({ from_amount: undefined, to_amount: '0.001' })
    const byType = await estimate({ from_amount: undefined, to_amount: '0.001', type: 'REVERSE' })
    assert.equal(byName.text, byType.text)
  })

  it('200: with fees_included=false all of the amount is converted', async () => {
    assert.equal(record(await estimate({ fees_included: 'false' })).converted_amount.amount, '100')
    assert.equal(record(await estimate({ fees_included: 'null' })).converted_amount.amount, '96.5')
  })

  it('200: names in any letter case, empty and null values as absent, unknown names ignored', async () => {
    const plain = await estimate()
    const spelled = { from_currency: 'eur', to_currency: 'Btc', to_network: 'btc' }
    const absent = { from_network: '', deposit_type: 'null', type: '' }
    const unknown = { side: 'buy', platform: 'web', payment_method: 'card' }
    const other = await estimate({ ...spelled, ...absent, ...unknown })
    assert.equal(other.status, 200)
    assert.equal(other.text, plain.text)
  })

  it('200: a missing network is the main one, another one is its own', async () => {
    const main = await estimate({ to_currency: 'USDT' })
    const tron = await estimate({
      to_currency: 'USDT',
      to_network: 'trx',
      deposit_category: 'visa_mc',
      deposit_type: 'VISA_MC_1',
    })
    assert.deepEqual([main.body.to_network, tron.body.to_network], ['ETH', 'TRX'])
  })

  it('200: a switched-off customer_country is ignored and reported, whatever is in it', async () => {
    const answer = await estimate({ customer_country: 'nonsense' }, api.plain.secret_key)
    assert.equal(answer.status, 200)
    assert.deepEqual(
      record(answer).warnings.map(({ code, path }) => [code, path]),
      [['FEATURE_NOT_ENABLED', 'query.customer_country']],
    )
  })

  it('200: a public key may ask', async () => {
    assert.equal((await estimate({}, api.plain.public_key)).status, 200)
  })

  it('200: the same request gets the same answer, on the terms of the account that asks', async () => {
    const mine = await estimate()
    assert.equal((await estimate()).text, mine.text)
    await setPartner(api.ctx, api.plain.partner.id, { fees: '{"commission_percent": "1"}' }, 'test')
    api.accounts.forget()
    const theirs = await estimate({}, api.plain.secret_key)
    assert.ok(record(theirs).service_fees.some(({ name }) => name === 'Partner fee'))
    assert.ok(!record(await estimate()).service_fees.some(({ name }) => name === 'Partner fee'))
  })

  it('200: follows the market from one second to the next', async () => {
    const { now } = api.ctx.clock
    const before = record(await estimate())
    api.ctx.clock.now = () => new Date(now().getTime() + 3_600_000)
    const later = record(await estimate())
    api.ctx.clock.now = now
    assert.notEqual(later.rate_at, before.rate_at)
    assert.notDeepEqual(later.price, before.price)
  })

  it('400 BAD_REQUEST: amounts that are malformed, below a cent or out of range, with the path', async () => {
    const rows = table(`
      amount              code
      -1                  INVALID_VALUE
      +100                INVALID_VALUE
      1e31                INVALID_VALUE
      0.009               INVALID_VALUE
      .5                  INVALID_VALUE
      100.                INVALID_VALUE
      １００               INVALID_VALUE
      100,00              INVALID_VALUE
      0                   INVALID_VALUE
      ''                  REQUIRED
      null                REQUIRED
      19.99               AMOUNT_OUT_OF_RANGE
      15000.01            AMOUNT_OUT_OF_RANGE
      1234567890123456789012345678901    INVALID_VALUE
    `)
    for (const { amount = '', code } of rows) {
      const answer = await estimate({ from_amount: amount })
      assert.deepEqual([answer.status, answer.code, answer.path], [400, 'BAD_REQUEST', 'from_amount'], amount)
      const [problem] = answer.body.errors as { code: string }[]
      assert.equal(problem?.code, code, amount)
    }
  })

  it('400 BAD_REQUEST: the sentence and the ends of a range; both ends are accepted', async () => {
    const answer = await estimate({ from_amount: '1' })
    assert.equal(answer.body.message, 'EUR amount must be higher than 20 and lower than 15000')
    const [problem] = answer.body.errors as { min: string; max: string }[]
    assert.deepEqual([problem?.min, problem?.max], ['20', '15000'])
    assert.equal((await estimate({ from_amount: '20' })).status, 200)
    assert.equal((await estimate({ from_amount: '15000.00' })).status, 200)
  })

  it('400 BAD_REQUEST: what is missing or cannot be read', async () => {
    const rows = table(`
      name              value     path
      from_currency     ''        from_currency
      to_currency       null      to_currency
      type              sideways  type
      fees_included     perhaps   fees_included
      customer_country  DEU       query.customer_country
      customer_country  QQ        query.customer_country
    `)
    for (const { name = '', value = '', path } of rows) {
      const answer = await estimate({ [name]: value })
      assert.deepEqual([answer.status, answer.code, answer.path], [400, 'BAD_REQUEST', path], `${name}=${value}`)
    }
    const twice = await api.ask({
      url: '/v1/estimate?from_amount=100&from_amount=1&from_currency=EUR&to_currency=BTC',
      key: api.all.secret_key,
    })
    assert.deepEqual([twice.status, twice.path], [400, 'from_amount'])
  })

  it('400 PAIR_NOT_AVAILABLE: currencies, networks and methods that cannot be exchanged together', async () => {
    const rows = table(`
      name           value      path
      from_currency  XXX        from_currency
      to_currency    XXX        to_currency
      to_currency    EUR        to_currency
      to_currency    USD        to_currency
      to_network     TRX        to_network
      to_network     ../..      to_network
      from_currency  BTC        to_currency
      deposit_type   CASH_1     deposit_type
      payout_type    SEPA_1     payout_type
    `)
    for (const { name = '', value = '', path } of rows) {
      const answer = await estimate({ [name]: value })
      assert.deepEqual([answer.status, answer.code, answer.path], [400, 'PAIR_NOT_AVAILABLE', path], `${name}=${value}`)
    }
  })

  it('401 INVALID_TOKEN: without a key', async () => {
    const answer = await api.ask({ url: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC' })
    assert.deepEqual([answer.status, answer.code], [401, 'INVALID_TOKEN'])
  })

  it('403 COUNTRY_NOT_SUPPORTED: a country that is not served', async () => {
    const answer = await estimate({ customer_country: 'KP' })
    assert.deepEqual(
      [answer.status, answer.code, answer.path],
      [403, 'COUNTRY_NOT_SUPPORTED', 'query.customer_country'],
    )
  })

  it('200 or a refusal, never a fault and never an echo: any query at all', async () => {
    const names = ['from_amount', 'to_amount', 'from_currency', 'to_currency', 'from_network', 'to_network', 'type']
    const more = ['fees_included', 'deposit_type', 'payout_type', 'deposit_category', 'customer_country', '__proto__']
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((any) => `mark${any}`),
      fc.constantFrom('EUR', 'BTC', '100', '1e5', 'reverse', '%00', '😀'),
    )
    const query = fc.array(fc.tuple(fc.constantFrom(...names, ...more), text), { maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(query, async (pairs) => {
        const encoded = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        const answer = await api.ask({ url: `/v1/estimate?${encoded.join('&')}`, key: api.all.secret_key })
        assert.ok([200, 400, 403].includes(answer.status), answer.text)
        if (answer.status !== 200) assert.deepEqual(offences('error', answer.body), [])
        assert.ok(!answer.text.includes('mark'))
      }),
      { numRuns: 400 },
    )
  })
})
