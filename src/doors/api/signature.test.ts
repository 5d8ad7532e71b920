import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { type ApiAnswer, openTestApi, type TestApi } from '../../../test/support/api.ts'
import { setPartner } from '../../exchange/partners/change.ts'

let api: TestApi
const pairs = {
  ed25519: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

before(async () => {
  api = await openTestApi()
})
after(() => api.close())

async function demand(signing: 'off' | 'create' | 'all', key: KeyObject): Promise<void> {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString()
  await setPartner(api.ctx, api.all.partner.id, { signing, signing_key: pem }, 'test')
  api.accounts.forget()
}

const body = '{"from_amount": 100, "from_currency": "EUR", "to_currency": "BTC"}'
const create = { method: 'POST', url: '/v1/transaction?side=buy', body } as const
const estimate = { method: 'GET', url: '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC' } as const

type Signing = { key?: KeyObject; age?: number; over?: string; idempotencyKey?: string; signature?: string }

const signed = (text: string, key: KeyObject): string =>
  sign(key.asymmetricKeyType === 'rsa' ? 'sha256' : null, Buffer.from(text), key).toString('base64')

/** Asks with a signature; `over` replaces what is signed. */
function ask(
  request: typeof create | typeof estimate,
  { key = pairs.ed25519.privateKey, age = 0, over, idempotencyKey = randomUUID(), signature }: Signing = {},
): Promise<ApiAnswer> {
  const timestamp = String(Math.floor(api.ctx.clock.realNow().getTime() / 1_000) - age)
  const body = 'body' in request ? request.body : ''
  const text = over ?? `${timestamp}.${request.method}.${request.url}.${idempotencyKey}.${body}`
  const headers = {
    'partner-signature': signature ?? signed(text, key),
    'partner-timestamp': timestamp,
    ...(idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey }),
  }
  return api.ask({ ...request, key: api.all.secret_key, headers })
}

describe('an account that signs its requests', () => {
  it('is let in with a right signature of either kind, over query and body', async () => {
    for (const { publicKey, privateKey } of Object.values(pairs)) {
      await demand('all', publicKey)
      assert.equal((await ask(create, { key: privateKey })).status, 201)
      assert.equal((await ask(estimate, { key: privateKey })).status, 200)
    }
  })

  it('401 SIGNATURE_INVALID: none, one of another key, over another request, or with a time that is too far off', async () => {
    await demand('all', pairs.ed25519.publicKey)
    const stranger = generateKeyPairSync('ed25519').privateKey
    const wrong = [
      api.ask({ ...create, key: api.all.secret_key }),
      api.ask({
        ...estimate,
        key: api.all.secret_key,
        headers: { 'partner-signature': 'x', 'partner-timestamp': 'y' },
      }),
      ask(create, { key: stranger }),
      ask(create, { key: pairs.rsa.privateKey }),
      ask(create, { over: 'something else' }),
      ask(create, { age: 310 }),
      ask(create, { age: -310 }),
    ]
    for (const answer of await Promise.all(wrong))
      assert.deepEqual([answer.status, answer.code], [401, 'SIGNATURE_INVALID'])
    assert.equal((await ask(create, { age: 290 })).status, 201)
  })

  it('may sign creates only, or nothing', async () => {
    const unsigned = (request: typeof create | typeof estimate) => api.ask({ ...request, key: api.all.secret_key })
    await demand('create', pairs.ed25519.publicKey)
    assert.deepEqual([(await unsigned(estimate)).status, (await unsigned(create)).status], [200, 401])
    await demand('off', pairs.ed25519.publicKey)
    assert.equal((await unsigned(create)).status, 201)
  })

  it('does not concern other partners, nor those who ask without a key', async () => {
    await demand('all', pairs.ed25519.publicKey)
    assert.equal((await api.ask({ ...estimate, key: api.plain.secret_key })).status, 200)
    assert.equal((await api.ask({ url: '/v1/currencies' })).status, 200)
    assert.equal((await api.ask({ url: '/v1/currencies', key: api.all.secret_key })).status, 401)
  })
})

describe('a signature', () => {
  it('covers the Idempotency-Key', async () => {
    await demand('all', pairs.ed25519.publicKey)
    const timestamp = String(Math.floor(api.ctx.clock.realNow().getTime() / 1_000))
    const over = `${timestamp}.POST.${create.url}.one.${body}`
    const answer = await ask(create, { over, idempotencyKey: 'other' })
    assert.deepEqual([answer.status, answer.code], [401, 'SIGNATURE_INVALID'])
    assert.equal((await ask(create, { idempotencyKey: '' })).status, 201)
  })

  it('is accepted once, unless the Idempotency-Key is the same', async () => {
    await demand('create', pairs.ed25519.publicKey)
    const at = String(Math.floor(api.ctx.clock.realNow().getTime() / 1_000) - 60)
    const send = (text: string, headers: Record<string, string>) =>
      api.ask({
        ...create,
        key: api.all.secret_key,
        headers: {
          'partner-signature': signed(text, pairs.ed25519.privateKey),
          'partner-timestamp': at,
          ...headers,
        },
      })
    const plain = `${at}.POST.${create.url}..${body}`
    assert.deepEqual([(await send(plain, {})).status, (await send(plain, {})).status], [201, 401])

    const withKey = { 'idempotency-key': randomUUID() }
    const keyed = `${at}.POST.${create.url}.${withKey['idempotency-key']}.${body}`
    const [first, again] = [await send(keyed, withKey), await send(keyed, withKey)]
    assert.deepEqual([first.status, again.status, again.headers['idempotency-replayed']], [201, 201, 'true'])
    assert.equal(again.body.id, first.body.id)
    assert.equal((await send(keyed, {})).status, 401)
    // Answers are kept per API key: under the account's other key, the same request would create a second transaction.
    const other = { ...withKey, 'x-api-key': api.all.public_key }
    assert.deepEqual([(await send(keyed, other)).status, (await send(keyed, withKey)).status], [401, 201])
  })

  it('without a timestamp is over the raw body alone, by RSA, on creates of transactions only, and accepted once', async () => {
    await demand('create', pairs.rsa.publicKey)
    const olderForm = (sent: string, url: string, key = pairs.rsa.privateKey, headers: Record<string, string> = {}) =>
      api.ask({
        method: 'POST',
        url,
        body: sent,
        key: api.all.secret_key,
        headers: { 'partner-signature': signed(sent, key), ...headers },
      })
    const bodies = [1, 2, 3, 4].map((number) => body.replace('}', `, "external_partner_link_id": "older ${number}"}`))
    const [one = '', two = '', three = '', four = ''] = bodies
    assert.equal((await olderForm(one, '/v1/transaction')).status, 201)
    assert.equal((await olderForm(one, '/v1/transaction')).status, 401)
    assert.equal((await olderForm(two, '/v1/transaction/?side=buy')).status, 201)
    assert.equal((await olderForm(three, '/v1/transaction/health')).status, 401)
    assert.equal((await olderForm(four, '/v1/transaction', pairs.ed25519.privateKey)).status, 401)

    const same = { 'idempotency-key': 'older-4' }
    const [first, again] = [
      await olderForm(four, '/v1/transaction', pairs.rsa.privateKey, same),
      await olderForm(four, '/v1/transaction', pairs.rsa.privateKey, same),
    ]
    assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id])
    assert.equal((await olderForm(four, '/v1/transaction', undefined, { 'idempotency-key': 'another' })).status, 401)

    await demand('create', pairs.ed25519.publicKey)
    assert.equal((await olderForm(three, '/v1/transaction', pairs.ed25519.privateKey)).status, 401)
  })

  it('that is sent is checked while signing is off, and ignored where no key is registered', async () => {
    await demand('off', pairs.ed25519.publicKey)
    assert.equal((await ask(create, {})).status, 201)
    assert.equal((await ask(create, { signature: 'AAAA' })).status, 401)
    assert.equal((await ask(estimate, { signature: 'AAAA' })).status, 401)
    const headers = { 'partner-signature': 'AAAA', 'partner-timestamp': '1' }
    assert.equal((await api.ask({ ...create, key: api.plain.secret_key, headers })).status, 201)
  })

  it('is demanded of creates whatever their key, before the body is looked at', async () => {
    await demand('create', pairs.ed25519.publicKey)
    const large = { ...create, body: `"${'x'.repeat(300_000)}"`, key: api.all.public_key }
    assert.equal((await api.ask(large)).status, 401)
    const answer = await api.ask({ ...create, key: api.all.public_key })
    assert.deepEqual([answer.status, answer.code], [401, 'SIGNATURE_INVALID'])
  })
})
