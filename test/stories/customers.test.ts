import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createPartner } from '../../src/exchange/partners/create.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, create, lookup, type Refused } from '../support/journey.ts'
import {
  contact,
  importNew,
  letSecondShare,
  newEmail,
  newName,
  share,
  statusOf,
  tokenFor,
} from '../support/shared-identity.ts'

let exchange: Exchange
let second: string
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  second = await letSecondShare(exchange)
})
after(() => exchange.stop())

describe('GET /v1/customer/{id}/status', () => {
  it('200: of a customer who is known by e-mail address only, that nothing is known', async () => {
    const { customer_id: id, created_at: at } = await create(exchange, contact(newEmail()))
    const { status, body } = await statusOf(exchange, id)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      id,
      status: 'not_started',
      risk_level: 'unknown',
      kyc: {
        level: 'none',
        provider: null,
        verified_at: null,
        expires_at: null,
        missing_fields: ['first_name', 'last_name', 'date_of_birthday', 'country_alpha_2'],
      },
      limits: [
        { period: 'day', currency: 'EUR', max: '20000', used: '0' },
        { period: 'month', currency: 'EUR', max: '50000', used: '0' },
      ],
      updated_at: body.updated_at,
    })
    assert.ok(Math.abs(Date.parse(body.updated_at) - Date.parse(at)) < 10_000)
  })

  it('200: used is what came in, as long as it counts', async () => {
    const done = await buy(exchange, contact(newEmail()))
    const used = async () => (await statusOf(exchange, done.customer_id)).body.limits.map((limit) => limit.used)
    assert.deepEqual(await used(), ['100', '100'])
  })

  it('404: of an unknown id, of another partner’s customer and of what is no id, in the same words', async () => {
    const { customer_id: id } = await create(exchange, contact(newEmail()))
    const refused = [
      await statusOf(exchange, id, { key: second }),
      await statusOf(exchange, '4815162342108642359'),
      await statusOf(exchange, 'no-id'),
      await statusOf(exchange, '0'),
      await statusOf(exchange, '99999999999999999999'),
    ]
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.code, body.message, body.errors], [404, 'NOT_FOUND', refused[0]?.body.message, []])
    }
  })

  it('401 without a key, 403 FORBIDDEN with a public one', async () => {
    assert.equal((await statusOf(exchange, '1', { key: null })).status, 401)
    const { status, body } = await statusOf(exchange, '1', { key: exchange.sandbox.public_key })
    assert.deepEqual([status, body.code], [403, 'FORBIDDEN'])
  })

  it('never says why', async () => {
    for (const kind of ['rejected', 'high-risk']) {
      const { id } = await importNew(exchange, kind)
      const text = JSON.stringify((await statusOf(exchange, id)).body)
      for (const reason of ['FORGERY', 'pep', 'screening', 'verification-rejected', 'Ada', 'sandbox-approved'])
        assert.ok(!text.includes(reason), reason)
    }
  })
})

describe('POST /v1/customer/by-shared-token', () => {
  it('201: a new customer with the provider’s data; 200: the same token again, with the same answer', async () => {
    const body = { kyc_shared_token: tokenFor('approved'), kyc_shared_token_provider: 'sumsub', email: newEmail() }
    const first = await share(exchange, body)
    assert.equal(first.status, 201)
    const { id, limits, updated_at } = first.body
    assert.deepEqual(first.body, {
      id,
      status: 'approved',
      risk_level: 'low',
      kyc: {
        level: 'basic',
        provider: 'sandbox',
        verified_at: '2026-01-05T09:00:00.000Z',
        expires_at: '2046-01-05T23:59:59.999Z',
        missing_fields: [],
      },
      limits,
      updated_at,
      email: body.email,
    })
    assert.equal(limits[0]?.max, '100000')
    const again = await share(exchange, body)
    assert.deepEqual([again.status, again.body], [200, first.body])
    const { email: _, ...status } = first.body
    assert.deepEqual((await statusOf(exchange, id)).body, status)
  })

  it('200: a customer of a transaction, whatever the letter case of the address', async () => {
    const email = newEmail()
    const { customer_id: id } = await create(exchange, contact(email))
    const { status, body } = await share(exchange, {
      kyc_shared_token: tokenFor('approved'),
      email: email.toUpperCase(),
    })
    assert.deepEqual([status, body.id, body.status], [200, id, 'approved'])
    assert.equal((await create(exchange, contact(email))).customer_id, id)
  })

  it('tells how each review stands', async () => {
    const rows = [
      ['approved', 'approved', 'low', 'basic'],
      ['review', 'in_review', 'unknown', 'none'],
      ['rejected', 'rejected', 'high', 'none'],
      ['high-risk', 'approved', 'high', 'basic'],
    ]
    for (const [kind = '', ...expected] of rows) {
      const { status, risk_level: level, kyc } = await importNew(exchange, kind)
      assert.deepEqual([status, level, kyc.level], expected, kind)
    }
  })

  it('reads shared_token and provider too', async () => {
    const { status } = await share(exchange, { shared_token: tokenFor('approved'), provider: 'sumsub' })
    assert.equal(status, 201)
  })

  it('takes the address that the provider knows where none is passed', async () => {
    const { status, body } = await share(exchange, { kyc_shared_token: tokenFor('approved') })
    assert.equal(status, 201)
    assert.match(body.email, /^kyc-[0-9a-f]{16}@sandbox\.invalid$/)
  })

  it('400: a token that is unknown, used or expired, also by another partner', async () => {
    const taken = tokenFor('approved')
    assert.equal((await share(exchange, { kyc_shared_token: taken }, { key: second })).status, 201)
    for (const token of ['garbage', tokenFor('used'), tokenFor('expired'), taken]) {
      const { status, body } = await share(exchange, { kyc_shared_token: token, kyc_shared_token_provider: 'sumsub' })
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], token)
      assert.deepEqual([body.errors[0]?.path, body.errors[0]?.code], ['kyc_shared_token', 'TOKEN_NOT_USABLE'])
    }
    assert.equal(
      (await share(exchange, { kyc_shared_token: taken }, { key: second })).status,
      200,
      'still the other one’s',
    )
  })

  it('400: what is missing or ill-formed, and where', async () => {
    const good = { kyc_shared_token: tokenFor('approved') }
    const rows: [body: object, path: string][] = [
      [{}, 'kyc_shared_token'],
      [{ kyc_shared_token: '' }, 'kyc_shared_token'],
      [{ kyc_shared_token: 7 }, 'kyc_shared_token'],
      [{ kyc_shared_token: 'two words' }, 'kyc_shared_token'],
      [{ kyc_shared_token: 'x'.repeat(1_025) }, 'kyc_shared_token'],
      [{ shared_token: [] }, 'shared_token'],
      [{ ...good, kyc_shared_token_provider: 'nobody' }, 'kyc_shared_token_provider'],
      [{ ...good, email: 'no address' }, 'email'],
    ]
    for (const [body, path] of rows) {
      const { status, body: refused } = await share(exchange, body)
      assert.deepEqual(
        [status, refused.code, refused.errors[0]?.path],
        [400, 'BAD_REQUEST', path],
        JSON.stringify(body),
      )
    }
  })

  it('503: the provider is down, and the same request may be sent again', async () => {
    const body = { kyc_shared_token: tokenFor('down') }
    const headers = { 'idempotency-key': newName() }
    for (let asked = 0; asked < 2; asked += 1) {
      const answer = await share(exchange, body, { headers })
      assert.deepEqual([answer.status, answer.body.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.ok(answer.headers.get('retry-after'))
    }
  })

  it('403: a public key; FEATURE_NOT_ENABLED before the body is looked at', async () => {
    const { body: forbidden } = await share(exchange, {}, { key: exchange.sandbox.public_key })
    assert.equal(forbidden.code, 'FORBIDDEN')
    const { secret_key: key } = await createPartner(exchange.service.composition.ctx, { name: 'Plain' }, 'test')
    const { status, body } = await exchange.api<Refused>('/v1/customer/by-shared-token', { key, body: '{' })
    assert.deepEqual([status, body.code], [403, 'FEATURE_NOT_ENABLED'])
  })

  it('makes one customer of one token, asked twenty times at once', async () => {
    const body = { kyc_shared_token: tokenFor('approved'), email: newEmail() }
    const all = await Promise.all(Array.from({ length: 20 }, () => share(exchange, body)))
    assert.equal(new Set(all.map(({ body: { id } }) => id)).size, 1)
    assert.ok(all.every(({ status }) => status === 200 || status === 201))
    const rows = await lookup(exchange, 'select 1 from identity_imports where partner_customer_id = $1', [
      all[0]?.body.id,
    ])
    assert.equal(rows.length, 1)
  })
})

it('a shared token and a person lie nowhere in plain text', async () => {
  const [token, later] = [tokenFor('approved'), tokenFor('down')]
  const { body } = await share(
    exchange,
    { kyc_shared_token: token, email: newEmail() },
    { headers: { 'idempotency-key': newName() } },
  )
  await create(exchange, { kyc_shared_token: later })
  const applicant = `sandbox-approved-`
  const tables = await lookup<{ name: string }>(
    exchange,
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'sandbox')",
  )
  for (const { name } of tables) {
    for (const secret of [token, later, body.email, applicant]) {
      const forms = [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64').slice(0, -4)]
      for (const form of forms) {
        const found = await lookup(
          exchange,
          `select 1 from ${name} as row where position($1 in row::text) > 0 limit 1`,
          [form],
        )
        assert.deepEqual(found, [], `${name}: ${form}`)
      }
    }
  }
})
