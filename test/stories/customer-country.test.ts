import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Answer, type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { type Body, lookup, read, type Refused } from '../support/journey.ts'
import { table } from '../support/table.ts'

/** Addresses by the country that they are assigned to; the last is of a block that is for documentation only. */
const inGermany = '46.4.0.1'
const inGermanyV6 = '2a01:4f8::1'
const inBrazil = '200.160.2.3'
const inIran = '5.160.0.1'
const inRussiaV6 = '2a02:6b8::1'
const nowhere = '203.0.113.9'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

const buy = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
type Answered = Omit<TransactionRecord, 'errors'> & Refused

/** Everything arrives over our own proxy, which appends the partner's server: that is nobody's customer. */
const partnersServer = '77.88.8.8'
const headersOf = (forwarded?: string) => ({
  'x-forwarded-for': forwarded === undefined ? partnersServer : `${forwarded}, ${partnersServer}`,
})

const create = (customer: Body | undefined, query = '', forwarded?: string, asking: Asking = {}) =>
  exchange.api<Answered>(`/v1/transaction${query}`, {
    body: { ...buy, ...(customer ? { customer } : {}) },
    headers: headersOf(forwarded),
    ...asking,
  })

type Health = { healthy: boolean; errors: Refused['errors']; warnings: { path: string }[] }

const health = async (
  customer: Body | undefined,
  query = '',
  forwarded?: string,
  asking: Asking = {},
): Promise<Answer<Health>> =>
  exchange.api<Health>(`/v1/transaction/health${query}`, {
    body: { ...buy, ...(customer ? { customer } : {}) },
    headers: headersOf(forwarded),
    ...asking,
  })

const plainKey = () => ({ key: exchange.sandbox.second_partner.secret_key })

describe('the customer’s country', () => {
  it('is derived from customer.ip, or customer.ipV4 and customer.ipV6, without an override', async () => {
    const cases: [Body | undefined, string][] = [
      [{ ip: inGermany }, 'DE'],
      [{ ip: inGermanyV6 }, 'DE'],
      [{ ip: `::ffff:${inGermany}` }, 'DE'],
      [{ ipV4: inBrazil }, 'BR'],
      [{ ipV6: inGermanyV6 }, 'DE'],
      [{ ip: inBrazil, ipV4: inGermany, ipV6: inGermanyV6 }, 'BR'],
      [{ ipV4: inBrazil, ipV6: inGermanyV6 }, 'BR'],
      [{ ip: '', ipV4: null, ipV6: inGermanyV6 }, 'DE'],
      [{ ip: nowhere }, 'ZZ'],
      [{ ip: nowhere, ipV4: inGermany }, 'ZZ'],
      [{ ip: '127.0.0.1' }, 'ZZ'],
      [{}, 'ZZ'],
      [undefined, 'ZZ'],
    ]
    for (const [customer, location] of cases) {
      const { status, body } = await create(customer)
      assert.deepEqual([status, body.location], [201, location], JSON.stringify(customer))
      assert.equal((await read(exchange, body.id)).location, location)
      const [row] = await lookup<{ country: string | null }>(
        exchange,
        'select country from transactions where public_id = $1',
        [body.id],
      )
      assert.equal(row?.country, location === 'ZZ' ? null : location)
    }
  })

  it('comes from X-Forwarded-For and the ip query parameter only when the request body carries no customer IP', async () => {
    const rows = table(`
      customer                query              forwarded                location
      none                    ''                 46.4.0.1                 DE
      none                    ?ip=200.160.2.3    46.4.0.1                 DE
      none                    ?ip=200.160.2.3    ''                       BR
      200.160.2.3             ?ip=46.4.0.1       46.4.0.1                 BR
      203.0.113.9             ?ip=46.4.0.1       46.4.0.1                 ZZ
      none                    ''                 46.4.0.1,200.160.2.3     DE
      none                    ?ip=rubbish        ''                       ZZ
      none                    ?ip=200.160.2.3    rubbish                  BR
      none                    ''                 ''                       ZZ
    `)
    for (const { customer = '', query = '', forwarded = '', location = '' } of rows) {
      const passed = customer === 'none' ? undefined : { ip: customer }
      const { status, body, headers } = await create(passed, query, forwarded || undefined)
      assert.deepEqual([status, body.location], [201, location], JSON.stringify([customer, query, forwarded]))
      assert.equal(headers.get('deprecation'), query || forwarded ? '@1790294400' : null)
    }
  })

  it('is never that of the connection, nor of what our own proxies appended', async () => {
    const { body, headers } = await create(undefined)
    assert.deepEqual([body.location, headers.get('deprecation')], ['ZZ', null])
  })

  it('customer_country takes precedence over the IP-derived location, including when customer.ip is also present', async () => {
    for (const [customer, forwarded] of [
      [{ ip: inBrazil }, undefined],
      [{ ip: inIran }, undefined],
      [undefined, inIran],
      [undefined, inBrazil],
      [{ ipV6: inRussiaV6 }, inIran],
    ] as const) {
      const { status, body } = await create(customer, '?customer_country=nl', forwarded)
      assert.deepEqual([status, body.location], [201, 'NL'], JSON.stringify([customer, forwarded]))
      assert.equal((await health(customer, '?customer_country=nl', forwarded)).body.healthy, true)
    }
  })

  it('customer_country is read only from the query string, not from the body or headers', async () => {
    const body = { ...buy, customer_country: 'BR', customer: { ip: inGermany, customer_country: 'BR' } }
    const headers = { ...headersOf(), customer_country: 'BR', 'customer-country': 'BR' }
    const answer = await exchange.api<Answered>('/v1/transaction', { body, headers })
    assert.deepEqual([answer.status, answer.body.location, answer.body.warnings], [201, 'DE', []])
  })

  it('customer_country that is no two letters of ISO 3166-1 is refused, and the IP does not take its place', async () => {
    for (const bad of ['D', 'DEU', '12', 'QQ', 'ZZ', 'XK', 'de&customer_country=nl']) {
      const query = `?customer_country=${bad}`
      for (const customer of [undefined, { ip: inIran }]) {
        const { status, body } = await create(customer, query)
        assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'BAD_REQUEST', 'query.customer_country'], bad)
        const { errors } = (await health(customer, query)).body
        assert.deepEqual(
          errors.map(({ path }) => path),
          ['query.customer_country'],
          bad,
        )
      }
    }
    for (const absent of ['', 'null']) {
      assert.equal((await create({ ip: inGermany }, `?customer_country=${absent}`)).body.location, 'DE')
    }
  })

  it('the feature works only when enabled for the partner account: else it is ignored, and warned about', async () => {
    for (const country of ['NL', 'IR', 'rubbish']) {
      const { status, body } = await create({ ip: inGermany }, `?customer_country=${country}`, undefined, plainKey())
      assert.deepEqual([status, body.location], [201, 'DE'], country)
      assert.deepEqual(
        body.warnings.map(({ code, path }) => [code, path]),
        [['FEATURE_NOT_ENABLED', 'query.customer_country']],
      )
    }
    const refused = await create({ ip: inIran }, '?customer_country=NL', undefined, plainKey())
    assert.deepEqual([refused.status, refused.body.code], [403, 'COUNTRY_NOT_SUPPORTED'])
  })

  it('that is not served is refused on create, whatever tells it, and is an error in health', async () => {
    const cases: [customer: Body | undefined, query: string, forwarded: string | undefined, path: string][] = [
      [{ ip: inIran }, '', undefined, 'customer.ip'],
      [{ ipV4: inIran }, '', undefined, 'customer.ipV4'],
      [{ ipV6: inRussiaV6 }, '', undefined, 'customer.ipV6'],
      [undefined, '', inIran, 'headers.x-forwarded-for'],
      [undefined, `?ip=${inIran}`, undefined, 'query.ip'],
      [undefined, '?customer_country=ir', undefined, 'query.customer_country'],
      [{ ip: inGermany }, '?customer_country=KP', undefined, 'query.customer_country'],
    ]
    for (const [customer, query, forwarded, path] of cases) {
      const { status, body } = await create(customer, query, forwarded)
      const told = [status, body.code, body.errors.map((error) => [error.path, error.code])]
      assert.deepEqual(told, [403, 'COUNTRY_NOT_SUPPORTED', [[path, 'COUNTRY_NOT_SUPPORTED']]], path)
      const checked = (await health(customer, query, forwarded)).body
      assert.equal(checked.healthy, false)
      assert.deepEqual(
        checked.errors.map((error) => [error.path, error.code]),
        [[path, 'COUNTRY_NOT_SUPPORTED']],
      )
    }
  })

  it('that could not be read from customer.ip is not taken from what comes after it', async () => {
    const { status, body } = await create({ ip: 'here', ipV4: inIran }, `?ip=${inIran}`, inIran)
    assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'])
    assert.deepEqual(
      body.errors.map(({ path }) => path),
      ['customer.ip'],
    )
    assert.deepEqual(
      (await health({ ip: 'here', ipV4: inIran }, '', inIran)).body.errors.map(({ path }) => path),
      ['customer.ip'],
    )
  })

  it('decides how it can be paid: a way to pay that does not reach it is not available there', async () => {
    const pix = { from_currency: 'BRL', from_amount: 600, deposit: { payment_category: 'PIX' } }
    for (const [ip, status, code] of [
      [inBrazil, 201, undefined],
      [nowhere, 201, undefined],
      [inGermany, 400, 'PAIR_NOT_AVAILABLE'],
    ] as const) {
      const answer = await exchange.api<Answered>('/v1/transaction', { body: { ...buy, ...pix, customer: { ip } } })
      assert.deepEqual([answer.status, answer.body.code], [status, code], ip)
    }
  })

  it('of an estimate without an override has no rule', async () => {
    const query = 'from_amount=100&from_currency=EUR&to_currency=BTC'
    const plain = await exchange.api(`/v1/estimate?${query}&ip=${inIran}`, { headers: headersOf(inIran) })
    assert.equal(plain.status, 200)
    const named = await exchange.api<Refused>(`/v1/estimate?${query}&customer_country=IR`)
    assert.deepEqual([named.status, named.body.code], [403, 'COUNTRY_NOT_SUPPORTED'])
  })

  it('deprecated inputs, whenever present on create and health, are told of, and nothing else is', async () => {
    for (const path of ['/v1/transaction', '/v1/transaction/health']) {
      const broken = await exchange.api(path, { body: '{', headers: headersOf(inBrazil) })
      assert.deepEqual([broken.status, broken.headers.get('deprecation')], [400, '@1790294400'])
    }
    for (const call of [create, health] as const) {
      for (const [customer, query, forwarded] of [
        [{ ip: inGermany }, `?ip=${inGermany}`, undefined],
        [{ ip: inGermany }, '', inBrazil],
        [undefined, '?customer_country=NL', inBrazil],
        [{ ip: 'broken' }, '?ip=rubbish', undefined],
      ] as const) {
        const { headers } = await call(customer, query, forwarded)
        assert.equal(headers.get('deprecation'), '@1790294400')
        assert.match(headers.get('link') ?? '', /^<http.*>; rel="deprecation"/)
      }
      const { headers } = await call({ ip: inGermany }, '?customer_country=NL')
      assert.deepEqual([headers.get('deprecation'), headers.get('link')], [null, null])
    }
  })
})

describe('whatever is sent', () => {
  const countryAt: Record<string, string> = { [inGermany]: 'DE', [inBrazil]: 'BR', [inIran]: 'IR', [nowhere]: 'ZZ' }
  const absent = fc.constant<string | undefined>(undefined)
  const four = fc.constantFrom(...Object.keys(countryAt))
  const body = fc.oneof(absent, four, fc.constant('broken'))
  const drawn = fc.record({
    ip: body,
    ipV4: body,
    ipV6: fc.oneof(absent, fc.constant(inGermanyV6)),
    forwarded: fc.oneof(absent, four, fc.constant('rubbish')),
    asked: fc.oneof(absent, four, fc.constant('rubbish')),
    named: fc.oneof(absent, fc.constantFrom('NL', 'nl', 'IR', 'QQ', 'Germany')),
    isOn: fc.boolean(),
  })
  type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never

  /** The contract's rules, said once more: the country, or what is refused. */
  function expected({ ip, ipV4, ipV6, forwarded, asked, named, isOn }: Drawn): string {
    const isFormBroken = ip === 'broken' || ipV4 === 'broken'
    const isNamed = named !== undefined && isOn
    const isNameBroken = isNamed && !['NL', 'nl', 'IR'].includes(named)
    if (isFormBroken || isNameBroken) return 'BAD_REQUEST'
    const deprecated = [forwarded, asked].find((one) => one !== undefined && one !== 'rubbish')
    const country = isNamed ? named.toUpperCase() : (countryAt[ip ?? ipV4 ?? ipV6 ?? deprecated ?? nowhere] ?? 'DE')
    return country === 'IR' ? 'COUNTRY_NOT_SUPPORTED' : country
  }

  it('create and health say the same, and what the contract says', async () => {
    const check = async (sent: Drawn) => {
      const { ip, ipV4, ipV6, forwarded, asked, named, isOn } = sent
      const query = new URLSearchParams({
        ...(asked ? { ip: asked } : {}),
        ...(named ? { customer_country: named } : {}),
      })
      const asking: Asking = isOn ? {} : plainKey()
      const { body: created } = await create({ ip, ipV4, ipV6 }, `?${query}`, forwarded, asking)
      const { body: healthy } = await health({ ip, ipV4, ipV6 }, `?${query}`, forwarded, asking)
      assert.equal(created.code ?? created.location, expected(sent))
      const told = created.code === undefined ? [] : created.errors
      assert.equal(healthy.healthy, told.length === 0)
      assert.deepEqual(healthy.errors.slice(0, told.length), told, 'a create tells the first of what health tells')
      assert.deepEqual(
        healthy.warnings.map(({ path }) => path),
        isOn || !named ? [] : ['query.customer_country'],
      )
    }
    await fc.assert(fc.asyncProperty(drawn, check), { numRuns: 150 })
  })
})
