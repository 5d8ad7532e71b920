import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { signedCalculator } from '../support/calculator.ts'
import { idBehind } from '../support/checkout-link.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { read, type Refused } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const presets = {
  customer: { contact_info: { email: 'fixed@example.com' } },
  payout_info: { payout_address: someAddress, skip_choose_payout_address: true },
  redirects: { successful: 'https://shop.example/done?id=$$' },
}
const buy = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }

type Made = Pick<TransactionRecord, 'id' | 'warnings' | 'skip_choose_payout_address'>

const create = async (key: string, more: object = presets, path = '/v1/transaction') =>
  exchange.api<Made & Refused>(path, { body: { ...buy, ...more }, key })

const set = (texts: Record<string, string>) =>
  setPartner(exchange.service.composition.ctx, BigInt(exchange.sandbox.partner_id), texts, 'test')

const pathsOf = ({ warnings }: Pick<Made, 'warnings'>) =>
  warnings.filter(({ code }) => code === 'UNSIGNED_FIELD').map(({ path }) => path)

async function redirectsOf(id: string): Promise<object> {
  const { composition } = exchange.service
  return (await readTransactionWhole(composition.ctx, composition.ctx.db, BigInt(id)))?.personal.redirects ?? {}
}

const calculatorV1 = () =>
  `/calculator/v1?${new URLSearchParams({
    partner_api_token: exchange.sandbox.public_key,
    payout_address: someAddress,
    skip_choose_payout_address: 'true',
    email: 'fixed@example.com',
    redirects_successful: 'https://shop.example/done',
  }).toString()}`

async function throughCalculator(path: string): Promise<TransactionRecord> {
  const answer = await fetch(exchange.url + path, {
    method: 'POST',
    body: new URLSearchParams({ do: 'continue', from_amount: '100', edited: 'direct' }),
    headers: { origin: exchange.url },
    redirect: 'manual',
  })
  assert.equal(answer.status, 303)
  return read(exchange, await idBehind(exchange, answer.headers.get('location') ?? ''))
}

const preset = (record: TransactionRecord) => [
  record.email,
  record.payout?.address ?? null,
  record.skip_choose_payout_address,
]

describe('what a public key passes without a signature', () => {
  it('counts as long as the account takes it, as it does unless told otherwise', async () => {
    const { body } = await create(exchange.sandbox.public_key)
    assert.deepEqual(pathsOf(body), [])
    assert.deepEqual(preset(await read(exchange, body.id)), ['fixed@example.com', someAddress, true])
  })

  it('is carried into no order by the calculator of version 1, whatever the account takes', async () => {
    const made = await throughCalculator(calculatorV1())
    assert.deepEqual(preset(made), [null, null, false])
    assert.deepEqual(await redirectsOf(made.id), {})
    assert.deepEqual(pathsOf(made), [
      'query.payout_address',
      'query.skip_choose_payout_address',
      'query.email',
      'query.redirects_successful',
    ])
  })

  it('is ignored and reported once the account does not take it', async () => {
    await set({ unsigned_presets: 'off' })
    await until(async () => pathsOf((await create(exchange.sandbox.public_key)).body).length > 0, 'the change')
    const { status, body } = await create(exchange.sandbox.public_key)
    assert.equal(status, 201)
    assert.deepEqual(pathsOf(body), [
      'payout_info.payout_address',
      'payout_info.skip_choose_payout_address',
      'customer.contact_info.email',
      'redirects',
    ])
    assert.deepEqual(preset(await read(exchange, body.id)), [null, null, false])
    assert.deepEqual(await redirectsOf(body.id), {})

    const older = await create(exchange.sandbox.public_key, { payout_address: 'not even an address' })
    assert.deepEqual([older.status, pathsOf(older.body)], [201, ['payout_address']])
    const health = await create(exchange.sandbox.public_key, presets, '/v1/transaction/health')
    assert.equal(pathsOf(health.body).length, 4)
  })

  it('does not concern a secret key, nor a signed calculator', async () => {
    const { body } = await create(exchange.sandbox.secret_key)
    assert.deepEqual(pathsOf(body), [])
    assert.deepEqual(preset(await read(exchange, body.id)), ['fixed@example.com', someAddress, true])

    const query = new URLSearchParams({ payout_address: someAddress, email: 'fixed@example.com' }).toString()
    const made = await throughCalculator(signedCalculator(exchange, query))
    assert.deepEqual([made.email, made.payout?.address, made.warnings], ['fixed@example.com', someAddress, []])
  })
})

it('the calculator of version 1 is shown unless it is off, and never while requests are signed', async () => {
  const status = async () => (await fetch(exchange.url + calculatorV1())).status
  assert.equal(await status(), 200)
  await set({ calculator_v1: 'off' })
  await until(async () => (await status()) === 401, 'the change')
  assert.match(await (await fetch(exchange.url + calculatorV1())).text(), /We can’t show this calculator/)
  await set({ calculator_v1: 'on', unsigned_presets: 'on' })
  await until(async () => (await status()) === 200, 'the change')

  const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await set({ signing: 'create', signing_key: pem })
  await until(async () => (await status()) === 401, 'the change')
  for (const name of ['calculator_v1', 'unsigned_presets']) {
    await assert.rejects(set({ [name]: 'on' }), new RegExp(`${name} cannot be on while signing is on`))
  }
  const health = await create(exchange.sandbox.public_key, presets, '/v1/transaction/health')
  assert.equal(pathsOf(health.body).length, 4, 'presets do not count while requests are signed')
  assert.equal((await create(exchange.sandbox.public_key)).status, 401)
  assert.equal((await create(exchange.sandbox.secret_key)).status, 401)
})

it('deprecated inputs are ignored while requests are signed, and still answered as deprecated', async () => {
  const asked = {
    body: { ...buy },
    headers: { 'x-forwarded-for': '175.45.176.1' },
    key: exchange.sandbox.secret_key,
  }
  const health = () => exchange.api<{ healthy: boolean }>('/v1/transaction/health?ip=175.45.176.1', asked)
  const signedOn = await health()
  assert.deepEqual([signedOn.body.healthy, signedOn.headers.has('deprecation')], [true, true])
  await set({ signing: 'off' })
  await until(async () => !(await health()).body.healthy, 'the country of the address to count again')
})

it('redirects are https, without user info, of the account’s origins once it lists some', async () => {
  const { secret_key: key } = exchange.sandbox
  const tried = async (url: string) => (await create(key, { redirects: { successful: url } })).status
  for (const url of [
    'https://shop.example/a?id=$$',
    'http://localhost:3000/x',
    'http://127.0.0.1/$$',
    'http://[::1]:8/',
  ]) {
    assert.equal(await tried(url), 201, url)
  }
  for (const url of [
    'http://shop.example/a',
    'https://user:secret@shop.example/',
    'https://user@shop.example/',
    'javascript:alert(1)',
    'ftp://shop.example/',
    '//shop.example/',
    'shop.example',
    'http://localhost.shop.example/',
  ]) {
    const { status, body } = await create(key, { redirects: { failed: url } })
    assert.deepEqual([status, body.code, body.errors[0]?.path], [400, 'BAD_REQUEST', 'redirects.failed'], url)
  }
  await set({ redirect_origins: 'https://shop.example, https://www.shop.example:8443' })
  await until(async () => (await tried('https://other.example/')) === 400, 'the change')
  assert.equal(await tried('https://shop.example/a?id=$$'), 201)
  assert.equal(await tried('https://www.shop.example:8443/'), 201)
  for (const url of ['https://www.shop.example/', 'https://shop.example.evil.example/', 'http://localhost/']) {
    assert.equal(await tried(url), 400, url)
  }
  const given = { redirects_successful: 'https://shop.example/done', redirects_failed: 'https://evil.example/' }
  const { id } = await throughCalculator(signedCalculator(exchange, new URLSearchParams(given).toString()))
  assert.deepEqual(await redirectsOf(id), { successful: 'https://shop.example/done' })
})
