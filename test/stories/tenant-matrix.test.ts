import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, it } from 'node:test'

import type { FastifyInstance } from 'fastify'

import { switchFeature } from '../../src/exchange/partners/change.ts'
import { featureNames } from '../../src/exchange/partners/settings.ts'
import { bankAccount, type Body, callsOf, halfBitcoin, ibanOf, made, wallet, walletOf } from '../support/b2b.ts'
import { type Answer, type Exchange, startExchange } from '../support/exchange.ts'
import { create, readyToPay, type Refused } from '../support/journey.ts'
import { share, tokenFor } from '../support/shared-identity.ts'
import { until } from '../support/telling.ts'
import { type Asked, hook, newEndpoint, type Row, webhookRows } from '../support/tenant-webhooks.ts'

let exchange: Exchange
let first: FirstPartner
const served = new Set<string>()

/** Every operation that the service serves under /v1, whoever registered it. */
const listen = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (url.startsWith('/v1/') && one !== 'HEAD') served.add(`${one} ${url}`)
  })
}
before(async () => {
  subscribe('fastify.initialization', listen)
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  unsubscribe('fastify.initialization', listen)
  await giveSecondAllFeatures()
  first = await makeFirst()
})
after(() => exchange.stop())

/** What the first partner has, and the words in it that nobody else may ever be told. */
type FirstPartner = {
  retail: string
  b2b: string
  customer: string
  address: string
  cursor: string
  token: string
  endpoint: string
  event: string
}
const email = 'customer.of.the.first@example.com'
const link = 'order-of-the-first-partner'
const label = 'treasury-of-the-first-partner'
const coins = () => walletOf('bitcoin', 'tenant matrix')
const iban = () => ibanOf('tenant matrix')
const customer = { contact_info: { email, phone_number: '+31 20 7654321' } }
const retail = { customer, external_partner_link_id: link, payout_info: { payout_address: coins() } }
let used = 0
const fresh = (): string => `tenant-${(used += 1)}`

async function makeFirst(): Promise<FirstPartner> {
  const calls = callsOf(exchange)
  const { id: address } = await made(calls.addBank(bankAccount('tenant matrix', { label })))
  const b2b = await made(calls.order({ ...halfBitcoin, payout_address_id: address, external_partner_link_id: link }))
  const { id, customer_id: customerId } = await create(exchange, retail)
  await create(exchange, retail)
  const token = tokenFor('approved')
  assert.equal(
    (await share(exchange, { kyc_shared_token: token, email: 'imported.of.the.first@example.com' })).status,
    201,
  )
  const page = await exchange.api<{ pagination: { next_cursor: string } }>('/v1/transactions?limit=1')
  const cursor = page.body.pagination.next_cursor
  const endpoint = await newEndpoint(exchange)
  const told = await exchange.api<{ event_id: string }>(`/v1/webhook-endpoints/${endpoint}/test`, { body: {} })
  const event = told.body.event_id
  await until(async () => (await exchange.api(`/v1/events?after=${event}`)).status === 200, 'the event in the feed')
  return { retail: id, b2b: b2b.id, customer: String(customerId), address, cursor, token, endpoint, event }
}

/** Nothing is kept from the second partner because a feature is off. */
async function giveSecondAllFeatures(): Promise<void> {
  const { partner_id: id, secret_key: key } = exchange.sandbox.second_partner
  for (const feature of featureNames) {
    await switchFeature(exchange.service.composition.ctx, BigInt(id), { feature, on: true }, 'test')
  }
  await until(async () => (await exchange.api('/v1/b2b/currencies', { key })).status === 200, 'the features')
}

const nobody = '4815162342108642359'
const order: Body = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const estimate = 'from_currency=EUR&to_currency=BTC&from_amount=10000'
const listed = (query = '') => `?limit=100${query}`

/** A read that is the same for everybody who may ask. */
const shared = (who: Row['who'], route: string, path = route): Row => ({
  operation: `GET /v1/${route}`,
  who,
  ask: () => ({ path: `/v1/${path}` }),
})

/** Something that is made, anew every time. */
const posted = (who: Row['who'], route: string, body: () => Body, more: Partial<Row> = {}): Row => ({
  operation: `POST /v1/${route}`,
  who,
  ask: () => ({ path: `/v1/${route}`, body: body() }),
  ...more,
})

/** A control of the sandbox over one transaction. */
const control = (name: string, own: () => Promise<{ id: string }>, body: Body): Row => {
  const at = (id: string): Asked => ({ path: `/v1/sandbox/transaction/${id}/${name}`, body })
  const ask = async () => at((await own()).id)
  return {
    operation: `POST /v1/sandbox/transaction/:id/${name}`,
    who: 'secret-key',
    ask,
    foreign: 404,
    unknown: at(nobody),
  }
}

/** A list that knows its own partner's rows only, whatever another one asks it for. */
const list = (route: string, query = ''): Row => ({
  ...shared('secret-key', route),
  askForeign: () => ({ path: `/v1/${route}${listed(query)}` }),
})

/** Every operation by everybody. A new one is named here, or the first test fails. */
const rows: Row[] = [
  shared('anyone', 'status'),
  shared('anyone', 'currencies'),
  shared('anyone', 'currencies/fiat'),
  shared('anyone', 'currencies/crypto'),
  shared('anyone', 'currencies/:ticker', 'currencies/BTC'),
  shared('anyone', 'market-info/min-max-range/:pair', 'market-info/min-max-range/EUR_BTC'),
  shared('any-key', 'estimate', `estimate?${estimate}`),
  shared('anyone', 'countries'),
  shared('anyone', 'payment-categories'),
  shared('anyone', 'payment-categories/:category/countries', 'payment-categories/SEPA/countries'),
  shared('anyone', 'countries/:country/payment-categories', 'countries/DE/payment-categories'),
  posted('any-key', 'transaction', () => ({ ...order, external_partner_link_id: fresh() })),
  posted('any-key', 'transaction/health', () => order, { done: 200 }),
  posted('any-key', 'estimate', () => ({ from_currency: 'EUR', to_currency: 'BTC', from_amount: '10000' }), {
    done: 200,
  }),
  {
    operation: 'GET /v1/transaction/:id',
    who: 'any-key',
    ask: () => ({ path: `/v1/transaction/${first.retail}` }),
    foreign: 404,
    unknown: { path: `/v1/transaction/${nobody}` },
  },
  {
    operation: 'GET /v1/transaction/:id',
    who: 'any-key',
    ask: () => ({ path: `/v1/transaction/${first.b2b}` }),
    toPublic: 404,
    foreign: 404,
    unknown: { path: `/v1/transaction/${nobody}` },
  },
  list('transactions', `&external_partner_link_id=${link}`),
  {
    ...shared('secret-key', 'transactions'),
    ask: () => ({ path: `/v1/transactions?limit=1&cursor=${first.cursor}` }),
    foreign: 400,
    unknown: { path: '/v1/transactions?limit=1&cursor=bm9uZQ' },
  },
  {
    operation: 'GET /v1/customer/:id/status',
    who: 'secret-key',
    ask: () => ({ path: `/v1/customer/${first.customer}/status` }),
    foreign: 404,
    unknown: { path: `/v1/customer/${nobody}/status` },
  },
  posted('secret-key', 'customer/by-shared-token', () => ({ kyc_shared_token: tokenFor('approved') }), {
    askForeign: () => ({ path: '/v1/customer/by-shared-token', body: { kyc_shared_token: first.token } }),
    foreign: 400,
    unknown: { path: '/v1/customer/by-shared-token', body: { kyc_shared_token: tokenFor('used') } },
  }),
  shared('secret-key', 'b2b/currencies'),
  shared('secret-key', 'b2b/min-max-range/:pair', 'b2b/min-max-range/EUR_BTC'),
  shared('secret-key', 'b2b/estimate', `b2b/estimate?${estimate}`),
  // Before the other partner registers the same account, which makes it its own too.
  posted('secret-key', 'b2b/transaction', () => ({ ...halfBitcoin, payout_account_address: iban() }), {
    foreign: 400,
    unknown: { path: '/v1/b2b/transaction', body: { ...halfBitcoin, payout_account_address: ibanOf('nobody') } },
  }),
  posted('secret-key', 'b2b/add-bank-account', () => bankAccount(fresh()), {
    askForeign: () => ({ path: '/v1/b2b/add-bank-account', body: bankAccount('tenant matrix') }),
  }),
  posted('secret-key', 'b2b/add-crypto-wallet', () => wallet(fresh())),
  list('b2b/payout-addresses'),
  posted('secret-key', 'b2b/transaction', () => ({ ...halfBitcoin, payout_address_id: first.address }), {
    foreign: 400,
    unknown: { path: '/v1/b2b/transaction', body: { ...halfBitcoin, payout_address_id: nobody } },
  }),
  list('b2b/transactions', `&external_partner_link_id=${link}`),
  ...webhookRows({ exchange: () => exchange, endpoint: () => first.endpoint, event: () => first.event, nobody }),
  shared('secret-key', 'sandbox/clock'),
  posted('secret-key', 'sandbox/clock', () => ({ advance: 'PT1S' })),
  control('checkout', () => create(exchange, retail), {}),
  control('deposit', () => readyToPay(exchange, retail), {}),
  control('rail-event', () => readyToPay(exchange, retail), { type: 'decline' }),
  { ...list('sandbox/mail'), askForeign: () => ({ path: `/v1/sandbox/mail?to=${email}` }) },
  shared('secret-key', 'sandbox/scenarios'),
  {
    ...posted('secret-key', 'sandbox/scenarios/:name', () => ({})),
    ask: () => ({ path: '/v1/sandbox/scenarios/never-opened', body: {} }),
  },
]

const asked = ({ path, body, method }: Asked, key: string | null): Promise<Answer<Refused>> =>
  exchange.api<Refused>(path, { key, ...(body ? { body } : {}), ...(method ? { method } : {}) })

/** No word of what the first partner has is in an answer to somebody else, its headers included. */
function assertNothingTold({ body, headers }: Answer<Refused>, what: string): void {
  const text = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`
  const account = iban()
  const { retail: id, b2b, customer: customerId, address, endpoint, event } = first
  const words = [id, b2b, customerId, address, endpoint, event, email, link, label, hook, coins(), account]
  for (const word of [...words, account.slice(0, 12), customer.contact_info.phone_number]) {
    assert.ok(!text.includes(word), `${what} tells ${word}`)
  }
}

const doneOf = ({ operation, done }: Row): number => done ?? (operation.startsWith('GET') ? 200 : 201)
const outcome = ({ status, body }: Answer<Refused>) => [status, status < 300 ? undefined : body.code]
const without = ({ body }: Answer<Refused>) => ({ ...body, request_id: '' })

describe('every operation', () => {
  it('has its row here', () => {
    assert.deepEqual([...served].toSorted(), [...new Set(rows.map(({ operation }) => operation))].toSorted())
  })

  it('of the OpenAPI document is served', async () => {
    const { paths } = (await (await fetch(`${exchange.url}/openapi.json`)).json()) as { paths: Record<string, object> }
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      ['get', 'post', 'put', 'patch', 'delete']
        .filter((method) => method in operations)
        .map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
    assert.ok(documented.length > 20)
    assert.deepEqual(
      documented.filter((one) => !served.has(one)),
      [],
    )
  })

  it('answers no key, a bad, a revoked, a public and a secret one as it should', async () => {
    const { sandbox } = exchange
    const bad = `${sandbox.secret_key.slice(0, -6)}000000`
    const refused = [401, 'INVALID_TOKEN']
    for (const row of rows) {
      const done = [doneOf(row), undefined]
      const publicOne = row.who === 'secret-key' ? [403, 'FORBIDDEN'] : done
      const wanted: [name: string, key: string | null, unknown[]][] = [
        ['no key', null, row.who === 'anyone' ? done : refused],
        ['a bad key', bad, refused],
        ['a revoked key', sandbox.revoked_key, refused],
        ['a public key', sandbox.public_key, row.toPublic === undefined ? publicOne : [row.toPublic, 'NOT_FOUND']],
        ['a secret key', sandbox.secret_key, done],
      ]
      for (const [name, key, expected] of wanted) {
        const what = `${row.operation} with ${name}`
        const answer = await asked(await row.ask(), key)
        assert.deepEqual(outcome(answer), expected, `${what}: ${JSON.stringify(answer.body)}`)
        if (key === null || expected === refused) assertNothingTold(answer, what)
      }
    }
  })

  it('tells another partner not one field, and of its object no more than of none', async () => {
    const { secret_key: key, public_key: publicKey } = exchange.sandbox.second_partner
    for (const row of rows) {
      const what = `${row.operation} of another partner`
      const answer = await asked(await (row.askForeign ?? row.ask)(), key)
      assert.equal(answer.status, row.foreign ?? doneOf(row), `${what}: ${JSON.stringify(answer.body)}`)
      assertNothingTold(answer, what)
      if (!row.unknown) continue
      const none = await asked(row.unknown, key)
      assert.deepEqual([none.status, without(none)], [answer.status, without(answer)], what)
      if (row.who !== 'any-key') continue
      const seen = await asked(await row.ask(), publicKey)
      assert.deepEqual([seen.status, without(seen)], [none.status, without(none)], `${what}, with a public key`)
    }
  })
})
