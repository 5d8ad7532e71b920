import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { listings } from '../../src/reference/catalog/asset.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  buy,
  checkOut,
  create,
  lookup,
  pay,
  read,
  statusesOf,
} from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { offences } from '../support/strict-types.ts'
import { type Received, type Receiver, startReceiver } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

const straightRoad = ['new', 'waiting_for_deposit', 'exchanging', 'sending', 'finished']

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
})
after(() => exchange.stop())

const question = '/v1/estimate?from_amount=250&from_currency=EUR&to_currency=BTC'

/** What an estimate says of 250 EUR in bitcoin. */
type Estimate = { value: string; estimated_exchange_rate: string }

/** The transfers that the chain itself has taken to an address. */
const transfersTo = (address: string) =>
  lookup<{ hash: string; amount: string; asset: string }>(
    exchange,
    'select hash, amount::text, asset from sandbox.transfers where recipient = $1',
    [address],
  )

test('a card buy ends in coins on the chain within ten seconds, and everyone is told the same', async (t) => {
  const receiver = await startReceiver(t)
  const { ctx } = exchange.service.composition
  const endpoint = { partnerId: BigInt(exchange.sandbox.partner_id), url: receiver.url }
  const { secret } = await addEndpoint(ctx, endpoint, 'test')
  assert.equal(secret, exchange.sandbox.webhook_secret)

  const estimate = (await exchange.api<Estimate>(question)).body
  const started = performance.now()
  const created = await create(exchange, { from_amount: 250, external_partner_link_id: 'order 17' })
  const ready = await checkOut(exchange, created.id, { email: 'ann@example.com', country: 'NL' })
  const { hash } = await pay(exchange, created.id)
  const finished = await arrive(exchange, created.id, 'finished')
  assert.ok(performance.now() - started < promised(10_000), 'it took more than ten seconds')

  await t.test('the record shows where it is, in the form that strict readers take', () => {
    for (const record of [created, ready, finished]) assert.deepEqual(offences('transaction', record), [])
    assert.deepEqual(
      [created.status, created.from_amount, created.to_amount, created.output_hash],
      ['new', '0', null, null],
    )
    assert.deepEqual([ready.status, ready.email, ready.location], ['waiting_for_deposit', 'ann@example.com', 'NL'])
    assert.deepEqual(statusesOf(finished), straightRoad)
    assert.equal(finished.from_amount, '250')
    assert.equal(finished.external_partner_link_id, 'order 17')
    assert.match(hash, /^[0-9a-f]{64}$/)
  })

  await t.test('what was shown is what was agreed, booked, sent and told', async () => {
    const amounts = [
      created.expected_to_amount,
      finished.expected_to_amount,
      finished.to_amount,
      finished.estimate_breakdown.toAmount,
    ]
    assert.deepEqual(new Set(amounts), new Set([estimate.value]))
    assert.equal(finished.estimate_breakdown.estimatedExchangeRate, estimate.estimated_exchange_rate)

    const units = parseAmount(estimate.value, { ticker: 'BTC', decimals: 8 })
    const transfers = await transfersTo(String(finished.payout?.address))
    assert.deepEqual(transfers, [{ hash: finished.output_hash, amount: String(units), asset: 'BTC-BTC' }])
    const booked = await lookup(
      exchange,
      `select kind, amount::text from audit_postings where transaction_id = $1 and account = $2 and asset = 'BTC-BTC'`,
      [created.id, `customer:${created.id}`],
    )
    assert.deepEqual(booked, [
      { kind: 'exchange', amount: String(-units) },
      { kind: 'payout_sent', amount: String(units) },
    ])
  })

  await t.test('webhooks tell it in order, signed, each with the record as of its moment', async () => {
    const last = await assertToldInOrder(receiver, secret)
    assert.deepEqual(last, await read(exchange, created.id))
  })

  await t.test('a webhook that was changed on its way is not accepted', () => {
    const [{ body, headers }] = receiver.all as [Received]
    const forged = body.replace('ann@', 'bob@').replace('"new"', '"finished"')
    assert.notEqual(forged, body)
    assert.throws(() => new Webhook(secret).verify(forged, headers as Record<string, string>))
  })

  await t.test('the books hold, and its customer is owed nothing', async () => {
    for (const asset of ['EUR-EUR', 'BTC-BTC'])
      assert.equal(await bookBalance(exchange, `customer:${created.id}`, asset), 0n)
    await assertBooksHold(exchange)
  })
})

/** Five webhooks have come, signed and in order, each with the record as of its moment. Gives the last record. */
async function assertToldInOrder(receiver: Receiver, secret: string): Promise<TransactionRecord | undefined> {
  await receiver.got(straightRoad.length)
  const webhook = new Webhook(secret)
  for (const { body, headers } of receiver.all) webhook.verify(body, headers as Record<string, string>)
  const told = receiver.all.map(({ body }) => JSON.parse(body) as Told)
  assert.deepEqual(
    told.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  )
  assert.deepEqual(
    told.map(({ payload }) => payload.status),
    straightRoad,
  )
  assert.deepEqual(
    told.map(({ type }) => type),
    ['transaction.created', ...Array<string>(4).fill('transaction.status_changed')],
  )
  for (const [index, { payload, requesterType, version, id }] of told.entries()) {
    assert.deepEqual(offences('transaction', payload), [])
    assert.deepEqual(statusesOf(payload), straightRoad.slice(0, index + 1))
    assert.deepEqual([requesterType, version], ['EXCHANGE', '1.0'])
    assert.match(id, /^evt_\d+$/)
    assert.equal(id, receiver.all[index]?.headers['webhook-id'])
  }
  return told.at(-1)?.payload
}

type Told = {
  id: string
  type: string
  sequence: number
  requesterType: string
  version: string
  payload: TransactionRecord
}

const fiat = ['EUR', 'USD', 'GBP']
const coins = [
  { to_currency: 'BTC' },
  { to_currency: 'ETH' },
  { to_currency: 'USDT', to_network: 'ETH' },
  { to_currency: 'USDT', to_network: 'TRX' },
]

test('every pair can be bought at both ends of its range, and wallets hold what the books say', async () => {
  const pairs = fiat.flatMap((from_currency) => coins.map((coin) => ({ from_currency, ...coin })))
  const finished = await Promise.all(
    pairs.flatMap((pair) =>
      ['min', 'max'].map(async (end) => buy(exchange, { ...pair, from_amount: await endOf(pair, end) })),
    ),
  )

  for (const record of finished) {
    assert.deepEqual(statusesOf(record), straightRoad)
    assert.equal(record.to_amount, record.expected_to_amount)
    assert.deepEqual(offences('transaction', record), [])
    const transfers = await transfersTo(String(record.payout?.address))
    assert.deepEqual(
      transfers.map(({ hash }) => hash),
      [record.output_hash],
      'exactly one transfer',
    )
  }
  assert.equal(finished.length, 24)
  await assertWalletsAgree()
  await assertBooksHold(exchange)
})

/** An end of a pair's range, as the range answers it. */
async function endOf(
  pair: { from_currency: string; to_currency: string; to_network?: string },
  end: string,
): Promise<number> {
  const target = pair.to_network ? `${pair.to_currency}-${pair.to_network}` : pair.to_currency
  const { body } = await exchange.api<Record<string, number>>(
    `/v1/market-info/min-max-range/${pair.from_currency}_${target}`,
  )
  const amount = body[end]
  assert.ok(amount)
  return amount
}

/** What the chains say of our wallets is what the books say, gas included. */
async function assertWalletsAgree(): Promise<void> {
  const wallets = await lookup<{ place: string; asset: string; balance: string }>(
    exchange,
    `select 'held:wallet-' || lower(chain) as place, asset, balance::text from sandbox.wallets
     where address in (select sender from sandbox.transfers)`,
  )
  const chains = new Set(['BTC', 'ETH', 'TRX'])
  const onChains = listings.filter(({ network }) => chains.has(network.code)).map(({ asset }) => asset.id)
  assert.deepEqual(
    wallets.map(({ asset }) => asset).toSorted(),
    onChains.toSorted(),
    'every coin of the chains that were paid on, what they take for transfers included',
  )
  for (const { place, asset, balance } of wallets) {
    assert.equal(await bookBalance(exchange, place, asset), BigInt(balance), `${place} in ${asset}`)
  }
}

test('a customer who pays when everything was known beforehand needs no checkout in between', async () => {
  const { id } = await create(exchange, {
    to_currency: 'ETH',
    payout_info: { payout_address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', skip_choose_payout_address: true },
    customer: { contact_info: { email: 'beth@example.com' } },
  })
  const ready = await checkOut(exchange, id)
  assert.deepEqual(
    [ready.payout?.address, ready.email],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'beth@example.com'],
  )
  await pay(exchange, id)
  await arrive(exchange, id, 'finished')
  assert.equal((await transfersTo('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).length, 1)
})
