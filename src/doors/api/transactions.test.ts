import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { anyCodePoint } from '../../../test/support/any-code-point.ts'
import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { asOwner } from '../../../test/support/server.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { listings } from '../../reference/catalog/asset.ts'

let api: TestApi

before(async () => {
  api = await openTestApi({ TRUSTED_PROXIES: '10.0.0.0/8' })
})
after(() => api.close())

const valid = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const address = listings.find(({ asset }) => asset.id === 'BTC-BTC')?.network.chain?.addressExample ?? ''

type Change = { key?: string; query?: string; headers?: Record<string, string>; from?: string }
const create = (
  change: object = {},
  { key = api.all.secret_key, query = '', ...more }: Change = {},
): Promise<ApiAnswer> =>
  api.ask({ method: 'POST', url: `/v1/transaction${query}`, key, body: { ...valid, ...change }, ...more })
const read = (id: unknown, key = api.all.secret_key): Promise<ApiAnswer> =>
  api.ask({ url: `/v1/transaction/${String(id)}`, key })

const pathsOf = ({ body }: ApiAnswer) => (body.errors as { path: string }[]).map(({ path }) => path)
const warningsOf = ({ body }: ApiAnswer) => (body.warnings as { path: string }[]).map(({ path }) => path)

const count = (rows: string) =>
  asOwner(api.database.ownerUrl, async (client) => {
    const found = await client.query<{ n: string }>(`select count(*) as n from ${rows}`)
    return Number(found.rows[0]?.n)
  })

describe('POST /v1/transaction', () => {
  it('201: the record, in a form that strict readers take, with where to send the customer', async () => {
    const answer = await create({
      external_partner_link_id: 'order 7',
      customer: { contact_info: { email: 'a@example.com' } },
    })
    assert.equal(answer.status, 201)
    assert.deepEqual(offences('transaction', answer.body), [])
    const { body } = answer
    assert.match(String(body.id), /^[1-9]\d{14}$/)
    assert.deepEqual(
      [body.status, body.from_amount, body.expected_from_amount, body.to_amount, body.email],
      ['new', '0', '100', null, 'a@example.com'],
    )
    assert.deepEqual([body.partner_id, body.external_partner_link_id], [String(api.all.partner.id), 'order 7'])
    assert.match(String(body.redirect_url), new RegExp(`^${api.ctx.publicUrl}/checkout\\?tid=[\\w-]{24}$`))
    assert.deepEqual(body.warnings, [])
    assert.equal(answer.headers.deprecation, undefined)
  })

  it('201: the amount is what the text says, in any spelling of a number', async () => {
    for (const spelled of ['1e2', '100.00', '"100.0"', '10000e-2']) {
      const body = `{"from_amount": ${spelled}, "from_currency": "EUR", "to_currency": "BTC"}`
      const answer = await api.ask({ method: 'POST', url: '/v1/transaction', key: api.all.secret_key, body })
      assert.equal(answer.body.expected_from_amount, '100', spelled)
    }
  })

  it('201: unknown fields and names are ignored', async () => {
    const answer = await create(
      { side: 'buy', customer_country: 'KP', platform: { a: [1] } },
      { query: '?x=1&payment_method=card' },
    )
    assert.equal(answer.status, 201)
    assert.equal(answer.body.location, 'ZZ')
  })

  it('201: a public key may create, and reads its answer without the person', async () => {
    const change = { customer: { contact_info: { email: 'b@example.com' } }, payout_info: { payout_address: address } }
    const answer = await create(change, { key: api.all.public_key })
    assert.equal(answer.status, 201)
    assert.deepEqual(offences('transaction', answer.body), [])
    assert.equal(answer.body.email, null)
    assert.ok(!answer.text.includes('b@example.com') && !answer.text.includes(address))
    const secret = await read(answer.body.id)
    assert.deepEqual(secret.body.payout, { address, extra_id: '' })
    assert.equal(secret.body.email, 'b@example.com')
  })

  it('201: fields of features that are off are ignored, not stored and reported', async () => {
    const change = {
      customer: { billing_info: { first_name: 'Zaphod' } },
      payout_info: { payout_address: address },
      kyc_shared_token: 'token',
    }
    const answer = await create(change, { key: api.plain.secret_key, query: '?customer_country=DE' })
    assert.equal(answer.status, 201)
    assert.deepEqual(warningsOf(answer), ['customer.billing_info', 'kyc_shared_token', 'query.customer_country'])
    assert.equal(answer.body.location, 'ZZ')
    assert.deepEqual(answer.body.payout, { address, extra_id: '' })
    assert.deepEqual(warningsOf(await read(answer.body.id, api.plain.secret_key)), warningsOf(answer))
  })

  it('201: customer_country counts from the query, over any address', async () => {
    const answer = await create({ customer: { ip: '192.0.2.1' } }, { query: '?customer_country=de' })
    assert.equal(answer.body.location, 'DE')
  })

  it('answers deprecated inputs with Deprecation and Link, on errors too, but not what our proxies appended', async () => {
    const deprecated: Change[] = [
      { query: '?ip=192.0.2.1' },
      { query: '?ip=rubbish' },
      { headers: { 'x-forwarded-for': '192.0.2.1' } },
      { from: '10.0.0.1', headers: { 'x-forwarded-for': '192.0.2.1, 203.0.113.9' } },
    ]
    for (const change of deprecated) {
      for (const answer of [await create({}, change), await create({ from_amount: 1 }, change)]) {
        assert.equal(answer.headers.deprecation, '@1790294400', JSON.stringify(change))
        assert.match(String(answer.headers.link), /rel="deprecation"/)
      }
    }
    const proxied = await create({}, { from: '10.0.0.1', headers: { 'x-forwarded-for': '203.0.113.9' } })
    assert.deepEqual([proxied.status, proxied.headers.deprecation], [201, undefined])
    assert.equal((await create({}, { query: '?ip=' })).headers.deprecation, undefined)
  })

  it('400 BAD_REQUEST: all that is wrong with the form at once, and no trace in the books', async () => {
    const before = await count('transactions')
    const answer = await create({
      from_amount: 'x',
      customer: 'me',
      locale: 'x'.repeat(40),
      redirects: { failed: 'file:///etc' },
    })
    assert.deepEqual([answer.status, answer.code], [400, 'BAD_REQUEST'])
    assert.deepEqual(pathsOf(answer).toSorted(), ['customer', 'from_amount', 'locale', 'redirects.failed'])
    assert.equal(await count('transactions'), before)
  })

  it('400 BAD_REQUEST: an amount out of range, with its ends; a bad payout address', async () => {
    const low = await create({ from_amount: 19.99 })
    assert.equal(low.body.message, 'EUR amount must be higher than 20 and lower than 15000')
    const [problem] = low.body.errors as { min: string; max: string }[]
    assert.deepEqual([problem?.min, problem?.max], ['20', '15000'])
    const wrong = await create({ payout_info: { payout_address: `${address.slice(0, -1)}x` } })
    assert.deepEqual([wrong.status, wrong.code, wrong.path], [400, 'BAD_REQUEST', 'payout_info.payout_address'])
  })

  it('400 PAIR_NOT_AVAILABLE: a pair that cannot be exchanged', async () => {
    const answer = await create({ to_currency: 'XXX' })
    assert.deepEqual([answer.status, answer.code, answer.path], [400, 'PAIR_NOT_AVAILABLE', 'to_currency'])
    const method = await create({ deposit: { payment_category: 'PIX' } })
    assert.deepEqual([method.code, method.path], ['PAIR_NOT_AVAILABLE', 'deposit.payment_category'])
  })

  it('403 COUNTRY_NOT_SUPPORTED: a country that is not served', async () => {
    const answer = await create({}, { query: '?customer_country=KP' })
    assert.deepEqual([answer.status, answer.code], [403, 'COUNTRY_NOT_SUPPORTED'])
  })

  it('a refused card number is in no table and no answer', async () => {
    const card = '4242424242424242'
    for (const change of [
      { external_partner_link_id: card },
      { locale: card },
      { customer: { contact_info: { phone_number: card } } },
    ]) {
      const answer = await create(change)
      assert.equal(answer.status, 400)
      assert.ok(!answer.text.includes(card))
    }
    const ignored = await create({ comment: card, customer: { note: card } })
    assert.equal(ignored.status, 201)
    assert.equal(await count(`transactions t where t::text like '%${card}%'`), 0)
  })

  it('201 or a refusal, never a fault: any body at all', async () => {
    const names = [
      'from_amount',
      'from_currency',
      'to_currency',
      'customer',
      'contact_info',
      'email',
      'payout_info',
      'locale',
    ]
    const more = [
      'external_partner_link_id',
      'redirects',
      'deposit',
      'payment_category',
      'to_network',
      '__proto__',
      'toString',
    ]
    const leaf = fc.oneof(
      fc.string({ unit: anyCodePoint }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('EUR', 'BTC', 100, '100', 'VISA_MC', '\u0000', '😀'.repeat(200), 1e300, -0),
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names, ...more), tie('any'), { maxKeys: 6 }),
      ),
    })).any
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...names, ...more), value, { maxKeys: 8 }),
        fc.boolean(),
        async (body, isValid) => {
          const answer = await api.ask({
            method: 'POST',
            url: '/v1/transaction',
            key: api.all.secret_key,
            body: isValid ? { ...body, ...valid } : body,
          })
          assert.ok([201, 400, 403].includes(answer.status), answer.text)
          assert.deepEqual(offences(answer.status === 201 ? 'transaction' : 'error', answer.body), [])
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('GET /v1/transaction/{id}', () => {
  it('200: what create answered, to its partner', async () => {
    const made = await create({ customer: { contact_info: { email: 'c@example.com' } } })
    const answer = await read(made.body.id)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, made.body)
    assert.equal((await read(made.body.id, api.all.public_key)).body.email, null)
  })

  it('404 NOT_FOUND: an unknown id, an ill-formed one, another partner’s, all alike', async () => {
    const made = await create()
    const foreign = await read(made.body.id, api.plain.secret_key)
    const wrong = [
      '1',
      '0',
      '-1',
      '01',
      '9223372036854775807',
      '9223372036854775808',
      'abc',
      '1e3',
      '1%20',
      '9'.repeat(90),
      '%00',
    ]
    for (const answer of [foreign, ...(await Promise.all(wrong.map((id) => read(id))))]) {
      assert.deepEqual(
        [answer.status, answer.code, answer.body.message],
        [404, 'NOT_FOUND', 'There is no such transaction.'],
      )
    }
  })

  it('401 INVALID_TOKEN: without a key', async () => {
    assert.equal((await api.ask({ url: '/v1/transaction/1' })).status, 401)
  })
})
