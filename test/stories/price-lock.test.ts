import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { explainPrices } from '../../src/exchange/checks/explain-price.ts'
import { acceptNow, customerChoices } from '../../src/exchange/orders/choose.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { parseAmount } from '../../src/platform/money/amount.ts'
import { bankAccount, callsOf, halfBitcoin, ibanOf, made } from '../support/b2b.ts'
import { callBack, captured, referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, assertBooksHold, lookup, owed, pay, railEvent, readyToPay, seen } from '../support/journey.ts'
import { moveOwnCoins, inPurse, type Purse } from '../support/owner-money.ts'
import { feesDocument, putInForce } from '../support/policies.ts'
import { until } from '../support/telling.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'

const euro = { ticker: 'EUR', decimals: 2 }
const bitcoin = { ticker: 'BTC', decimals: 8 }
const purse: Purse = { network: 'BTC', place: 'wallet-btc', asset: 'BTC-BTC' }
const sale = { from_amount: '0.02', from_currency: 'BTC', to_currency: 'EUR' }

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const ctxOf = () => exchange.service.composition.ctx
const btc = (text: string | null) => parseAmount(text ?? '0', bitcoin)
const cents = (text: string | null) => parseAmount(text ?? '0', euro)

const capture = async (id: string, event: string, amount: string) =>
  callBack(exchange, captured(await referenceOf(exchange, id), { event: `${event}_${id}`, amount, asset: 'EUR-EUR' }))

/** What an amount of euros paid by card comes to now. By POST: answers to GETs are kept for a second. */
async function cardEstimate(amount: string): Promise<string> {
  const body = { from_currency: 'EUR', to_currency: 'BTC', from_amount: amount, deposit_category: 'VISA_MC' }
  const answer = await exchange.api<{ value: string }>('/v1/estimate', { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.value
}

/** Every quote that an order has had explains itself, and its sum adds up in the record and in the books. */
async function assertHonest(record: TransactionRecord): Promise<string[][]> {
  const quotes = await explainPrices(ctxOf(), BigInt(record.id))
  for (const { differences } of quotes) assert.deepEqual(differences, [])
  const { fromAmount, serviceFees, convertedAmount, toAmount } = record.estimate_breakdown
  const parts = [...serviceFees, convertedAmount].map(({ amount }) => parseAmount(amount, { ticker: '', decimals: 8 }))
  assert.equal(
    parts.reduce((sum, part) => sum + part, 0n),
    parseAmount(String(fromAmount), { ticker: '', decimals: 8 }),
  )
  assert.equal(toAmount, record.expected_to_amount)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, record.id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return quotes.map(({ lines }) => lines)
}

describe('more than was agreed, while the price holds', () => {
  it('has the locked price up to the tolerance, and the price of its arrival beyond', async () => {
    const agreed = await readyToPay(exchange)
    const atOldPrice = btc(await cardEstimate('500'))
    market.setPrice('BTC', 1_015n)
    const atNewPrice = btc(await cardEstimate('500'))
    await capture(agreed.id, 'more', '50000')
    const record = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)

    const [got, gain] = [btc(record.to_amount), atOldPrice - atNewPrice]
    assert.ok(got > atNewPrice, 'what was agreed keeps its price')
    assert.ok((got - atNewPrice) * 500n <= gain * 101n, 'and no more than that and the tolerance does')
    assert.deepEqual([record.from_amount, record.expected_from_amount], ['500', '500'])
    assert.equal(record.initial_expected_from_amount, '100')
    assert.equal(record.from_amount_in_eur, '500')
    assert.equal(record.refunds.length, 0)
    const [first, second] = await assertHonest(record)
    assert.ok(first?.every((line) => !line.startsWith('excess')))
    assert.match(second?.find((line) => line.startsWith('locked: ')) ?? '', /this price is for 100\.5 of 500 EUR/)
    assert.ok(second?.some((line) => line.startsWith('excess: leg 1: ')))
  })

  it('within the tolerance has the locked price whole', async () => {
    const agreed = await readyToPay(exchange)
    const before = await cardEstimate('100.5')
    market.setPrice('BTC', 1_015n)
    await capture(agreed.id, 'bit', '10050')
    const record = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)
    assert.equal(record.to_amount, before)
    await assertHonest(record)
  })

  it('gains where the price has become better: gains pass like losses', async () => {
    const agreed = await readyToPay(exchange)
    const atOldPrice = btc(await cardEstimate('500'))
    market.setPrice('BTC', 985n)
    await capture(agreed.id, 'better', '50000')
    const record = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)
    assert.ok(btc(record.to_amount) > atOldPrice)
    await assertHonest(record)
  })

  it('in several deposits uses the lock up in the order of their arrival', async () => {
    const agreed = await readyToPay(exchange)
    await capture(agreed.id, 'one', '6000')
    await arrive(exchange, agreed.id, 'on_hold')
    const atOldPrice = btc(await cardEstimate('200'))
    market.setPrice('BTC', 1_015n)
    const atNewPrice = btc(await cardEstimate('200'))
    await capture(agreed.id, 'two', '14000')
    const record = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)
    const gain = atOldPrice - atNewPrice
    const kept = btc(record.to_amount) - atNewPrice
    assert.ok(kept * 200n <= gain * 101n && kept * 200n >= gain * 99n, `${kept} of ${gain}`)
    await assertHonest(record)
  })
})

describe('an excess whose price has moved beyond the bound', () => {
  it('waits until the agreed part is paid, and its customer accepts the price', async () => {
    const agreed = await readyToPay(exchange, sale)
    market.setPrice('BTC', 950n)
    await pay(exchange, agreed.id, { amount: '0.1' })
    const held = await arrive(exchange, agreed.id, 'on_hold')
    assert.equal(held.status_details, 'late')
    assert.deepEqual([held.from_amount, held.expected_from_amount], ['0.1', '0.0201'])
    assert.ok(cents(held.to_amount) >= cents(agreed.expected_to_amount), 'the agreed part is paid at the agreed price')
    assert.equal(await owed(exchange, agreed.id, 'BTC-BTC'), 7_990_000n)
    const { accept_price: choice, refund } = await customerChoices(ctxOf(), BigInt(agreed.id))
    assert.equal(choice?.fromAmount, 7_990_000n)
    assert.ok(refund)
    await acceptNow(ctxOf(), BigInt(agreed.id), { atLeast: choice.toAmount })
    const record = await arrive(exchange, agreed.id, 'finished')
    market.setPrice('BTC', 1_000n)
    assert.equal(cents(record.to_amount), cents(held.to_amount) + choice.toAmount)
    await assertHonest(record)
  })
})

describe('an exchange at two prices that is reversed', () => {
  it('is free again at both prices, whatever the market does', async () => {
    const all = await inPurse(exchange, purse)
    await moveOwnCoins(exchange, purse, -all)
    const agreed = await readyToPay(exchange)
    await capture(agreed.id, 'first', '6000')
    await arrive(exchange, agreed.id, 'on_hold')
    market.setPrice('BTC', 1_015n)
    await pay(exchange, agreed.id, { amount: '140' })
    const exchanged = await arrive(exchange, agreed.id, 'exchanging')
    assert.equal(exchanged.expected_from_amount, '200')
    await railEvent(exchange, agreed.id, 'chargeback')
    await seen(exchange, agreed.id, 'the chargeback', ({ from_amount: arrived }) => arrived !== '200')
    await assertBooksHold(exchange)
    await moveOwnCoins(exchange, purse, all)
    market.setPrice('BTC', 1_000n)
    const entries = await lookup<{ kind: string }>(
      exchange,
      `select entries.kind from entries join transactions on transactions.id = transaction_id
       where public_id = $1 and entries.kind like 'exchange%' order by entries.id`,
      [agreed.id],
    )
    assert.deepEqual(
      entries.slice(0, 2).map(({ kind }) => kind),
      ['exchange', 'exchange_mirrored'],
    )
    for (const { differences } of await explainPrices(ctxOf(), BigInt(agreed.id))) assert.deepEqual(differences, [])
    await assertBooksHold(exchange)
    await advance(exchange, 'PT1M')
  })
})

describe('how long a price holds', () => {
  const heldFor = ({ quote_expires_at: until, created_at: from }: Pick<Held, 'quote_expires_at' | 'created_at'>) =>
    (Date.parse(until) - Date.parse(from)) / 1_000
  type Held = TransactionRecord

  it('is shorter in a fast market, and as usual again afterwards; the quote says why', async () => {
    assert.equal(heldFor(await readyToPay(exchange, { to_currency: 'ETH' })), 900)
    market.setPrice('ETH', 1_011n)
    const fast = await readyToPay(exchange, { to_currency: 'ETH' })
    assert.equal(heldFor(fast), 225)
    const [quote] = await explainPrices(ctxOf(), BigInt(fast.id))
    assert.deepEqual(quote?.differences, [])
    assert.ok(quote?.lines.includes('its validity was shortened: the market was fast'))
    await advance(exchange, 'PT2M')
    assert.equal(heldFor(await readyToPay(exchange, { to_currency: 'ETH' })), 900)
    market.setPrice('ETH', 1_000n)
  })

  it('is half a minute for an institution, whose coins are then priced as they arrive', async () => {
    const ours = callsOf(exchange)
    await made(ours.addBank(bankAccount('half a minute')))
    const order = () => made(ours.order({ ...halfBitcoin, payout_account_address: ibanOf('half a minute') }))
    const [inTime, late] = [await order(), await order()]
    assert.equal(heldFor(inTime), 30)
    market.setPrice('BTC', 1_010n)
    await pay(exchange, inTime.id)
    await until(async () => (await ours.read(inTime.id)).status === 'finished', 'the first to be finished')
    await advance(exchange, 'PT31S')
    await pay(exchange, late.id)
    await until(async () => (await ours.read(late.id)).status === 'finished', 'the second to be finished')
    market.setPrice('BTC', 1_000n)
    const [first, second] = [await ours.read(inTime.id), await ours.read(late.id)]
    assert.equal(first.to_amount, inTime.expected_to_amount, 'the price of the response')
    assert.ok(cents(second.to_amount) > cents(first.to_amount), 'the price of its arrival, which is better')
  })
})

describe('an order of more than one exchange', () => {
  it('pays the fees of its total: fixed parts once, a minimum once, and the tier that the total has reached', async () => {
    const tiers = [{ above: '300', service: { buy: '0.4%', sell: '0.4%', swap: '0.4%' } }]
    const methods = { ...feesDocument().methods, VISA_MC: { percent: '2.5%', fixed: '0.25' } }
    await putInForce(ctxOf(), { kind: 'fees', document: feesDocument({ minimum: '2', tiers, methods }) })
    await until(async () => (await feesOf('100')) === 475n, 'the new fees')
    const whole = await feesOf('650')

    const agreed = await readyToPay(exchange)
    assert.equal(feesIn(agreed), 475n, '2 EUR at least, and 2.5% and 0.25 EUR of the card')
    await capture(agreed.id, 'agreed', '10000')
    await arrive(exchange, agreed.id, 'finished')
    await capture(agreed.id, 'later', '50000')
    await seen(exchange, agreed.id, 'the second payment', ({ from_amount: amount }) => amount === '600')
    const second = await arrive(exchange, agreed.id, 'finished')
    await capture(agreed.id, 'last', '5000')
    await seen(exchange, agreed.id, 'the third payment', ({ from_amount: amount }) => amount === '650')
    const third = await arrive(exchange, agreed.id, 'finished')
    assert.equal(
      [agreed, second, third].reduce((sum, record) => sum + feesIn(record), 0n),
      whole,
    )
    const [, lines] = await assertHonest(third)
    assert.ok(
      lines?.some((line) => line.includes('less the same of 100 that the order exchanged before')),
      lines?.join('\n'),
    )
  })

  const feesIn = ({ estimate_breakdown: { serviceFees } }: Pick<TransactionRecord, 'estimate_breakdown'>) =>
    serviceFees.reduce((sum, { amount }) => sum + cents(amount), 0n)

  async function feesOf(amount: string): Promise<bigint> {
    const body = { from_currency: 'EUR', to_currency: 'BTC', from_amount: amount, deposit_category: 'VISA_MC' }
    const answer = await exchange.api<{ service_fees: { amount: string }[] }>('/v1/estimate', { body })
    return answer.body.service_fees.reduce((sum, fee) => sum + cents(fee.amount), 0n)
  }
})
