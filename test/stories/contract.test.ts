import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { bankAccount, callsOf, halfBitcoin, ibanOf, made, wallet, walletOf } from '../support/b2b.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { type Body, create, read, type Refused } from '../support/journey.ts'
import { read as readPaper } from '../support/papers.ts'
import { table } from '../support/table.ts'

/** What of the contract no other test says; `docs/partner/contract.md` has each of its sentences beside a test. */
let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const inIran = '5.160.0.1'
const order = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }

const estimate = (change: Record<string, string> = {}, headers: Record<string, string> = {}) => {
  const query = new URLSearchParams({ ...order, from_amount: '100', ...change })
  return exchange.api<Refused & { from_network: string; to_network: string }>(`/v1/estimate?${query}`, { headers })
}

const refusalOf = ({ status, body }: { status: number; body: Refused }) => [status, body.code, body.message]

describe('the endpoints', () => {
  const endpoints = table(`
    method  path
    GET     /status
    GET     /currencies
    GET     /currencies/{ticker}
    GET     /currencies/fiat
    GET     /currencies/crypto
    GET     /market-info/min-max-range/{pair}
    GET     /estimate
    POST    /transaction
    POST    /transaction/health
    GET     /transaction/{id}
    GET     /transactions
    GET     /payment-categories
    GET     /payment-categories/{category}/countries
    GET     /countries/{country}/payment-categories
    GET     /customer/{id}/status
    POST    /customer/by-shared-token
    GET     /b2b/currencies
    GET     /b2b/min-max-range/{pair}
    POST    /b2b/add-bank-account
    POST    /b2b/add-crypto-wallet
    GET     /b2b/payout-addresses
    GET     /b2b/estimate
    POST    /b2b/transaction
    GET     /b2b/transactions
  `)
  type Declared = { requestBody?: { content: object }; responses: Record<string, { content?: object }> }
  type Document = { paths: Record<string, Record<string, Declared>> }

  it('of the contract are all served, under /v1 and nowhere else', async () => {
    const { paths } = (await (await fetch(`${exchange.url}/openapi.json`)).json()) as Document
    for (const { method = '', path = '' } of endpoints) {
      assert.ok(paths[`/v1${path}`]?.[method.toLowerCase()], `${method} /v1${path}`)
      const url = path.replace('{pair}', 'EUR_BTC').replace(/\{\w+\}/, '1')
      for (const prefix of ['', '/v2']) {
        const answer = await exchange.api<Refused>(prefix + url, { method, ...(method === 'POST' ? { body: {} } : {}) })
        assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND'], prefix + url)
      }
      // Whatever its answer is, it is not that there is no such address.
      const served = await exchange.api<Refused>(`/v1${url}`, { method: 'PUT', body: {} })
      assert.equal(served.status, 405, url)
    }
  })

  it('take and give JSON and nothing else', async () => {
    const { paths } = (await (await fetch(`${exchange.url}/openapi.json`)).json()) as Document
    for (const { method = '', path = '' } of endpoints) {
      const declared = paths[`/v1${path}`]?.[method.toLowerCase()]
      const bodies = [declared?.requestBody, ...Object.values(declared?.responses ?? {})]
      for (const body of bodies) if (body?.content) assert.deepEqual(Object.keys(body.content), ['application/json'])
      if (method !== 'POST') continue
      const { status, headers } = await exchange.api(`/v1${path}`, {
        body: 'a=1',
        headers: { 'content-type': 'text/plain' },
      })
      assert.deepEqual([status, headers.get('content-type')], [415, 'application/json; charset=utf-8'])
    }
  })
})

describe('a transaction', () => {
  const sides: [side: string, body: Body, address: string][] = [
    ['buy', { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }, walletOf('bitcoin', 'contract')],
    ['sell', { from_amount: 0.01, from_currency: 'BTC', to_currency: 'EUR' }, ibanOf('contract')],
    ['swap', { from_amount: 0.01, from_currency: 'BTC', to_currency: 'ETH' }, walletOf('evm', 'contract')],
  ]

  it('is a buy, a sell or a swap, with or without what is known of its customer, read by its id and opened by its redirect_url', async () => {
    for (const [side, body, address] of sides) {
      const email = `${side}@example.com`
      const told = { customer: { contact_info: { email } }, payout_info: { payout_address: address } }
      for (const [more, known] of [
        [{}, [null, undefined]],
        [told, [email, address]],
      ] as const) {
        const record = await create(exchange, { ...body, ...more })
        assert.deepEqual([record.side, record.email, record.payout?.address], [side, ...known])
        assert.match(record.redirect_url, new RegExp(`^${exchange.url}/checkout\\?tid=[\\w-]{24}$`))
        assert.deepEqual(await read(exchange, record.id), record)
        assert.equal((await fetch(record.redirect_url)).status, 200)
      }
    }
  })

  it('has networks on both sides, and that of a fiat currency is its ticker', async () => {
    for (const network of [undefined, 'EUR', 'eur']) {
      const { from_network, to_network } = await create(exchange, {
        ...order,
        from_network: network,
        to_network: 'BTC',
      })
      assert.deepEqual([from_network, to_network], ['EUR', 'BTC'])
    }
    const { body } = await estimate({ from_network: 'EUR', to_network: 'BTC' })
    assert.deepEqual([body.from_network, body.to_network], ['EUR', 'BTC'])
    for (const network of ['USD', 'SEPA', 'BTC']) {
      const refused = await exchange.api<Refused>('/v1/transaction', { body: { ...order, from_network: network } })
      assert.deepEqual([refused.status, refused.body.code], [400, 'PAIR_NOT_AVAILABLE'], network)
    }
  })
})

describe('currencies, networks and payment methods', () => {
  const apart: Record<string, string>[] = [
    { to_currency: 'NOPE' },
    { to_currency: 'EUR' },
    { from_network: 'BTC' },
    { to_network: 'TRX' },
    { deposit_type: 'CASH_1' },
  ]
  it('that cannot be exchanged together are 400 PAIR_NOT_AVAILABLE on an estimate and on a create, in the same words', async () => {
    for (const change of apart) {
      const { deposit_type: type, ...rest } = change
      const deposit = type === undefined ? {} : { deposit: { payment_category: type } }
      const created = await exchange.api<Refused>('/v1/transaction', { body: { ...order, ...rest, ...deposit } })
      const estimated = await estimate(change)
      const [status, code, message] = refusalOf(created)
      assert.deepEqual([status, code], [400, 'PAIR_NOT_AVAILABLE'], JSON.stringify(change))
      assert.deepEqual(refusalOf(estimated), [status, code, message])
    }
  })

  it('any other fault of which is 400 BAD_REQUEST', async () => {
    for (const change of [{ from_amount: '' }, { from_amount: '-1' }, { from_amount: '1' }, { from_currency: '' }]) {
      const created = await exchange.api<Refused>('/v1/transaction', { body: { ...order, ...change } })
      assert.deepEqual(refusalOf(created).slice(0, 2), [400, 'BAD_REQUEST'], JSON.stringify(change))
      assert.deepEqual(refusalOf(await estimate(change)).slice(0, 2), [400, 'BAD_REQUEST'], JSON.stringify(change))
    }
  })
})

describe('a payment category', () => {
  type Method = { type: string; payment_category: string }
  type Currency = { networks: { payment_methods: Method[] }[] }

  it('groups methods: each method is of one, whatever it moves, and each has a method', async () => {
    const { body } = await exchange.api<{ fiat_currencies: Currency[]; crypto_currencies: Currency[] }>(
      '/v1/currencies',
    )
    const categoryOf = new Map<string, string>()
    const all = [...body.fiat_currencies, ...body.crypto_currencies].flatMap(({ networks }) => networks)
    for (const { type, payment_category: category } of all.flatMap(({ payment_methods: methods }) => methods)) {
      assert.equal(categoryOf.get(type) ?? category, category, type)
      categoryOf.set(type, category)
    }
    const { body: categories } = await exchange.api<{ category: string }[]>('/v1/payment-categories')
    assert.deepEqual(new Set(categories.map(({ category }) => category)), new Set(categoryOf.values()))
  })
})

describe('a US region', () => {
  const create = (region: string, country = 'US') =>
    exchange.api<Refused>('/v1/transaction', {
      body: { ...order, customer: { billing_info: { country_alpha_2: country, us_region_alpha_2: region } } },
    })

  it('is named by its two letters, without the prefix of its country', async () => {
    for (const good of ['CA', 'ny']) assert.equal((await create(good)).status, 201, good)
    for (const bad of ['US-CA', 'us-ca', 'California', 'ZZ', '6']) {
      const { status, body } = await create(bad)
      const wanted = [400, 'BAD_REQUEST', 'customer.billing_info.us_region_alpha_2']
      assert.deepEqual([status, body.code, body.errors[0]?.path], wanted, bad)
    }
  })
})

describe('a partner profile', () => {
  it('holds every bank account and wallet that was registered, and nothing else', async () => {
    const calls = callsOf(exchange)
    const banks = ['first', 'second'].map((name) => calls.addBank(bankAccount(name)))
    const wallets = ['first', 'second'].map((name) => calls.addWallet(wallet(name)))
    const [one, two, three, four] = await Promise.all([...banks, ...wallets].map(made))
    const { bank_accounts: accounts, crypto_wallets: others } = await calls.addresses()
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)
    assert.deepEqual(accounts.toSorted(byId), [one, two].filter((record) => record !== undefined).toSorted(byId))
    assert.deepEqual(others.toSorted(byId), [three, four].filter((record) => record !== undefined).toSorted(byId))
  })

  it('has its B2B transactions in a list, page by page, each once', async () => {
    const calls = callsOf(exchange)
    const { id } = await made(calls.addBank(bankAccount('paged')))
    const ordered: string[] = []
    for (let number = 0; number < 3; number += 1) {
      ordered.unshift((await made(calls.order({ ...halfBitcoin, payout_address_id: id }))).id)
    }
    type Page = { data: { id: string }[]; pagination: { has_more: boolean; next_cursor: string | null } }
    const seen: [id: string | undefined, isMore: boolean][] = []
    let next = ''
    while (seen.length < ordered.length) {
      const { body } = await calls.call<Page>(`/v1/b2b/transactions?limit=1${next}`)
      const { has_more: isMore, next_cursor: cursor } = body.pagination
      seen.push([body.data[0]?.id, isMore])
      next = `&cursor=${cursor}`
    }
    assert.deepEqual(
      seen,
      ordered.map((id, at) => [id, at < ordered.length - 1]),
    )
  })
})

describe('customer_country of an estimate', () => {
  it('is read from the query string only, and wins over X-Forwarded-For', async () => {
    const there = { customer_country: 'IR', 'customer-country': 'IR' }
    assert.equal((await estimate({}, there)).status, 200)
    assert.equal((await estimate({ customer_country: 'NL' }, { 'x-forwarded-for': inIran })).status, 200)
    const refused = await estimate({ customer_country: 'ir' })
    assert.deepEqual([refused.status, refused.body.code], [403, 'COUNTRY_NOT_SUPPORTED'])
    for (const bad of ['NLD', 'QQ', 'N']) {
      assert.deepEqual(refusalOf(await estimate({ customer_country: bad })).slice(0, 2), [400, 'BAD_REQUEST'], bad)
    }
  })
})

describe('the changelog', () => {
  const contract = ['2026-09-25', '2026-09-24', '2026-09-22', '2026-09-21', '2026-08-17']

  it('has the dated changes of the contract, the newest first', () => {
    const dates = [...readPaper('docs/partner/changelog.md').matchAll(/\b20\d\d-\d\d-\d\d\b/g)].map(([date]) => date)
    const heads = dates.filter((date, at) => contract.includes(date) && dates.indexOf(date) === at)
    assert.deepEqual(heads, contract)
  })

  it('is where a deprecated call leads', async () => {
    const { headers } = await exchange.api<TransactionRecord>('/v1/transaction?ip=46.4.0.1', { body: order })
    const [, url = ''] = /^<([^>]+)>/.exec(headers.get('link') ?? '') ?? []
    const page = await fetch(url)
    assert.equal(page.status, 200)
    const text = await page.text()
    for (const date of contract) assert.ok(text.includes(date), `${date} is on ${url}`)
  })
})
