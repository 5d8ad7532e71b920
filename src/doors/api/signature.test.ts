import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { openTestApi, type TestApi, type Told } from '../../../test/support/api.ts'
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

type Signed = { key?: KeyObject; age?: number; over?: string }

/** Asks with a signature; `over` replaces what is signed. */
function ask(
  request: typeof create | typeof estimate,
  { key = pairs.ed25519.privateKey, age = 0, over }: Signed = {},
): Promise<Told> {
  const timestamp = String(Math.floor(api.ctx.clock.realNow().getTime() / 1_000) - age)
  const text = over ?? `${timestamp}.${request.method}.${request.url}.${'body' in request ? request.body : ''}`
  const signature = sign(key.asymmetricKeyType === 'rsa' ? 'sha256' : null, Buffer.from(text), key).toString('base64')
  const headers = { 'partner-signature': signature, 'partner-timestamp': timestamp }
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
    for (const told of await Promise.all(wrong)) assert.deepEqual([told.status, told.code], [401, 'SIGNATURE_INVALID'])
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
