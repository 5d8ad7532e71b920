import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { listings } from '../../reference/catalog/asset.ts'

let api: TestApi
before(async () => {
  api = await openTestApi({ TRUSTED_PROXIES: '10.0.0.0/8' })
  // One moment for all: a price of the next second would be another estimate.
  const now = api.ctx.clock.now()
  api.ctx.clock.now = () => now
})
after(() => api.close())

const valid = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const addressOf = (id: string) => listings.find(({ asset }) => asset.id === id)?.network.chain?.addressExample ?? ''

type Change = { key?: string; query?: string; headers?: Record<string, string>; from?: string }
const post = (url: string, change: object, { key = api.all.secret_key, query = '', ...more }: Change = {}) =>
  api.ask({ method: 'POST', url: `${url}${query}`, key, body: { ...valid, ...change }, ...more })
const check = (change: object = {}, more?: Change): Promise<ApiAnswer> => post('/v1/transaction/health', change, more)
const create = (change: object = {}, more?: Change): Promise<ApiAnswer> => post('/v1/transaction', change, more)

type Problem = { code: string; path: string; message: string; min?: string; max?: string }
const errorsOf = ({ body }: ApiAnswer) => body.errors as Problem[]
const inShort = (answer: ApiAnswer) => errorsOf(answer).map(({ code, path }) => `${code} ${path}`)

const counts = () =>
  asOwner(api.database.ownerUrl, async (client) => {
    const tables = ['transactions', 'quotes', 'status_history', 'events', 'jobs', 'data_keys', 'partner_customers']
    const found = await client.query(`select ${tables.map((name) => `(select count(*) from ${name})`).join()}`)
    return found.rows[0] as unknown
  })

describe('POST /v1/transaction/health', () => {
  it('200: a healthy create, with its estimate, which is that of GET /v1/estimate', async () => {
    for (const key of [api.all.secret_key, api.all.public_key]) {
      const answer = await check({ customer: { contact_info: { email: 'a@example.com' } } }, { key })
      assert.equal(answer.status, 200, answer.text)
      const { estimate, ...rest } = answer.body
      assert.deepEqual(rest, { healthy: true, errors: [], warnings: [] })
      assert.deepEqual(offences('estimate', estimate), [])
      const { body } = await api.ask({ url: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC', key })
      assert.deepEqual(estimate, body)
    }
  })

  it('200: creates nothing', async () => {
    const before = await counts()
    await check({ customer: { contact_info: { email: 'b@example.com' } } })
    await check({ from_amount: 'x' })
    await check({}, { headers: { 'idempotency-key': 'health' } })
    assert.deepEqual(await counts(), before)
  })

  it('200: every rule that is broken, in the order in which they are refused', async () => {
    const answer = await check(
      {
        from_amount: 1,
        to_currency: 'XRP',
        customer: { ip: 'here', contact_info: { email: 'nobody' } },
        payout_info: { payout_address: 'nowhere', extra_id: 'no tag' },
        locale: '?',
      },
      { query: '?customer_country=KP' },
    )
    assert.deepEqual(inShort(answer), [
      'INVALID_VALUE customer.ip',
      'INVALID_VALUE customer.contact_info.email',
      'INVALID_VALUE locale',
      'AMOUNT_OUT_OF_RANGE from_amount',
      'INVALID_ADDRESS payout_info.payout_address',
      'INVALID_VALUE payout_info.extra_id',
      'COUNTRY_NOT_SUPPORTED query.customer_country',
    ])
    assert.deepEqual([answer.status, answer.body.healthy, answer.body.estimate], [200, false, null])
    const range = errorsOf(answer)[3]
    assert.deepEqual([range?.min, range?.max], ['20', '15000'])
    assert.equal(range?.message, 'EUR amount must be higher than 20 and lower than 15000')
  })

  it('200: faults that do not follow from one another are all reported', async () => {
    const rows: [change: object, errors: string[]][] = [
      [
        { from_currency: 'XXX', to_currency: 'YYY' },
        ['PAIR_NOT_AVAILABLE from_currency', 'PAIR_NOT_AVAILABLE to_currency'],
      ],
      [
        { from_currency: 'XXX', payout_info: { payout_address: 'nowhere' } },
        ['PAIR_NOT_AVAILABLE from_currency', 'INVALID_ADDRESS payout_info.payout_address'],
      ],
      [
        { from_currency: 'XXX', payout_info: { payout_address: addressOf('BTC-BTC') } },
        ['PAIR_NOT_AVAILABLE from_currency'],
      ],
      [
        {
          from_currency: 'BTC',
          to_currency: 'EUR',
          from_amount: 1000,
          payout_info: { payout_address: 'DE00', extra_id: '!', full_name: '7' },
        },
        [
          'AMOUNT_OUT_OF_RANGE from_amount',
          'INVALID_ACCOUNT payout_info.payout_address',
          'INVALID_ACCOUNT payout_info.extra_id',
          'INVALID_VALUE payout_info.full_name',
        ],
      ],
      [
        { deposit: { payment_category: 'PIX' }, from_amount: '0.001' },
        ['PAIR_NOT_AVAILABLE deposit.payment_category', 'INVALID_VALUE from_amount'],
      ],
    ]
    for (const [change, errors] of rows) assert.deepEqual(inShort(await check(change)), errors, JSON.stringify(change))
  })

  it('200: a field that cannot be read is reported once, and nothing is concluded from its absence', async () => {
    const rows: [change: object, errors: string[]][] = [
      [{ from_amount: null }, ['REQUIRED from_amount']],
      [{ from_currency: 7, to_currency: '' }, ['INVALID_VALUE from_currency', 'REQUIRED to_currency']],
      [
        { to_currency: 'USDT', to_network: {}, payout_info: { payout_address: addressOf('USDT-TRX') } },
        ['INVALID_VALUE to_network'],
      ],
      [{ from_currency: 'USDT', to_currency: 'EUR', from_network: [], from_amount: 1 }, ['INVALID_VALUE from_network']],
      [{ deposit: [], from_amount: 20_000 }, ['INVALID_VALUE deposit']],
    ]
    for (const [change, errors] of rows) {
      const answer = await check(change)
      assert.deepEqual(inShort(answer), errors, JSON.stringify(change))
      assert.equal(answer.body.estimate, null)
    }
  })

  it('200: the estimate is there when only what it does not depend on is wrong', async () => {
    const answer = await check({ customer: { contact_info: { email: 'nobody' } } })
    assert.equal(answer.body.healthy, false)
    assert.deepEqual(offences('estimate', answer.body.estimate), [])
  })

  it('200: fields of features that are off are reported as a create reports them', async () => {
    const change = {
      customer: { billing_info: { first_name: 7 } },
      payout_info: { payout_address: addressOf('BTC-BTC') },
      kyc_shared_token: 'token',
    }
    const more = { key: api.plain.secret_key, query: '?customer_country=KP' }
    const answer = await check(change, more)
    assert.deepEqual([answer.body.healthy, answer.body.warnings], [true, (await create(change, more)).body.warnings])
    assert.equal((answer.body.warnings as object[]).length, 3)
  })

  it('a create refuses with the first of the same list', async () => {
    const rows: [change: object, query?: string][] = [
      [{ from_amount: 19.99 }],
      [{ from_amount: '0.001' }],
      [{ from_amount: 'x', locale: '?' }],
      [{ to_currency: 'XXX' }],
      [{ to_currency: 'GBP' }],
      [{ to_network: 'TRX' }],
      [{ deposit: { payment_category: 'PIX' }, from_amount: 1 }],
      [{ payout_info: { payout_address: 'nowhere' } }],
      [{ payout_info: { payout_address: 'nowhere' } }, '?customer_country=KP'],
      [{}, '?customer_country=KP'],
      [{}, '?customer_country=XX'],
      [{ deposit: { payment_category: 'APPLE_PAY' } }, '?customer_country=ZW'],
    ]
    for (const [change, query = ''] of rows) {
      const [answer, refused] = [await check(change, { query }), await create(change, { query })]
      assert.ok(refused.status >= 400, refused.text)
      assert.deepEqual(errorsOf(answer)[0], errorsOf(refused)[0], JSON.stringify(change))
      assert.equal(refused.body.message, errorsOf(answer)[0]?.message)
    }
  })

  it('answers deprecated inputs with Deprecation and Link, a repeated answer too', async () => {
    const deprecated: Change[] = [
      { query: '?ip=192.0.2.1' },
      { headers: { 'x-forwarded-for': '192.0.2.1' } },
      { from: '10.0.0.1', headers: { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' } },
    ]
    for (const [number, change] of deprecated.entries()) {
      const headers = { ...change.headers, 'idempotency-key': `deprecated ${number}` }
      for (const answer of [
        await check({}, change),
        await check({ locale: '?' }, { ...change, headers }),
        await check({ locale: '?' }, { ...change, headers }),
      ]) {
        assert.equal(answer.status, 200)
        assert.equal(answer.headers.deprecation, '@1790294400', JSON.stringify(change))
        assert.match(String(answer.headers.link), /rel="deprecation"/)
      }
    }
    assert.equal((await check()).headers.deprecation, undefined)
  })

  it('200: the same answer again for the same Idempotency-Key', async () => {
    const more = { headers: { 'idempotency-key': 'again' } }
    const [first, again] = [await check({ from_amount: 1 }, more), await check({ from_amount: 1 }, more)]
    assert.deepEqual([first.status, first.headers['idempotency-replayed']], [200, undefined])
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], again.body], [200, 'true', first.body])
    assert.equal((await check({ from_amount: 2 }, more)).code, 'IDEMPOTENCY_MISMATCH')
  })

  it('400, 413, 415 and 401 as of any POST: what cannot be read at all, and no key', async () => {
    const ask = (body: string, type = 'application/json', key: string | undefined = api.all.public_key) =>
      api.ask({ method: 'POST', url: '/v1/transaction/health', key, body, headers: { 'content-type': type } })
    assert.deepEqual((await ask('{')).code, 'BAD_REQUEST')
    assert.deepEqual((await ask('[]')).code, 'BAD_REQUEST')
    assert.deepEqual((await ask('{}', 'text/plain')).code, 'UNSUPPORTED_MEDIA_TYPE')
    assert.deepEqual((await ask(`"${'x'.repeat(262_144)}"`)).code, 'PAYLOAD_TOO_LARGE')
    assert.deepEqual((await ask('{}', undefined, 'pk_test_nonsense')).code, 'INVALID_TOKEN')
    const empty = await ask('{}')
    assert.deepEqual(inShort(empty), ['REQUIRED from_amount', 'REQUIRED from_currency', 'REQUIRED to_currency'])
  })
})

describe('health checks', () => {
  it('do not count as creates', async () => {
    const limited = await openTestApi({
      RATE_LIMITS: 'on',
      RATE_LIMIT_CREATES_PER_SECOND: '1',
      RATE_LIMIT_CREATES_BURST: '1',
    })
    try {
      const ask = (url: string) =>
        limited.ask({
          method: 'POST',
          url,
          key: limited.all.secret_key,
          body: { ...valid, customer: { ip: '192.0.2.1' } },
        })
      for (let n = 0; n < 5; n += 1) assert.equal((await ask('/v1/transaction/health')).status, 200)
      // Together: one after the other may be a second apart, and then there is room for the other.
      const creates = await Promise.all([ask('/v1/transaction'), ask('/v1/transaction')])
      assert.deepEqual(
        creates.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 429],
      )
    } finally {
      await limited.close()
    }
  })
})
