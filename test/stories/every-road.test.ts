import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { coins, fiatCurrencies } from '../../src/reference/catalog/currency.ts'
import { networks } from '../../src/reference/catalog/network.ts'
import type { PaymentMethod, Side } from '../../src/reference/catalog/payment-method.ts'
import { findPaymentCategory } from '../../src/reference/catalog/payment-category.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, checkOut, create, pay, type Refused, statusesOf } from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { offences } from '../support/strict-types.ts'

/** One way through the exchange: how money comes in, as what, and on which network it goes out, as what. */
type Road = { side: Side; method: PaymentMethod; from: [string, string]; to: [string, string] }

/** Everything that can be paid in, by currency, network and method; and everything that can be paid out. */
const fiatIn = fiatCurrencies.flatMap(({ ticker, paymentMethods }) =>
  paymentMethods.filter(takes('buy')).map((method) => ({ ticker, network: ticker, method })),
)
const coinAssets = coins.flatMap(({ ticker, networks: homes }) =>
  homes.map(({ code, paymentMethods: [method] }) => ({ ticker, network: code, method: method as PaymentMethod })),
)
const coinNetworks = [...new Set(coinAssets.map(({ network }) => network))]

function takes(side: Side): (method: PaymentMethod) => boolean {
  return ({ deposit }) => deposit?.sides.includes(side) === true
}

/** The nth of a list, over and over: so that every currency of a network and of a method has its turn. */
const turn = <Item>(items: readonly Item[], n: number): Item => items[n % items.length] as Item

/** The nth coin of a network. */
const coinOn = (network: string, n: number) =>
  turn(
    coinAssets.filter((asset) => asset.network === network),
    n,
  )

/** A road for each side, way to pay and network of payout that the catalog offers. */
function allRoads(): Road[] {
  const methods = [...new Set(fiatIn.map(({ method }) => method.type))]
  const buys = methods.flatMap((type, m) =>
    coinNetworks.map((network, n): Road => {
      const source = turn(
        fiatIn.filter(({ method }) => method.type === type),
        m + n,
      )
      const target = turn(
        coinAssets.filter((asset) => asset.network === network),
        m + n,
      )
      return { side: 'buy', method: source.method, from: [source.ticker, source.network], to: [target.ticker, network] }
    }),
  )
  const payable = fiatCurrencies.filter(({ paymentMethods }) =>
    paymentMethods.some(({ withdrawal }) => withdrawal?.sides.includes('sell')),
  )
  const sells = payable.map(({ ticker }, n): Road => {
    const source = coinOn(turn(coinNetworks, n), n)
    return { side: 'sell', method: source.method, from: [source.ticker, source.network], to: [ticker, ticker] }
  })
  const swaps = coinNetworks.map((network, n): Road => {
    const target = coinOn(network, n)
    const source = coinOn(turn(coinNetworks, n + 1), n + 1)
    return { side: 'swap', method: source.method, from: [source.ticker, source.network], to: [target.ticker, network] }
  })
  return [...buys, ...sells, ...swaps]
}

const roads = allRoads()
let exchange: Exchange
before(async () => {
  const CONFIRMATIONS = networks.map(({ code }) => `${code}=1`).join()
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS })
  // Amounts at the ends of a range must still be in it when the transaction is created.
  stopMarket(exchange)
})
after(() => exchange.stop())

type Estimate = { value: string }

/** What is asked of an estimate for an amount of a road. */
const question = ({ method, from, to }: Road, amount: string): string =>
  `/v1/estimate?${new URLSearchParams({
    from_amount: amount,
    from_currency: from[0],
    from_network: from[1],
    to_currency: to[0],
    to_network: to[1],
    deposit_type: method.type,
  }).toString()}`

/** The least and the greatest amount of a road: the pair's, or what its own way to pay demands. */
async function rangeOf(road: Road): Promise<{ min: string; max: string }> {
  const { status, body } = await exchange.api<{ min: number; max: number }>(
    `/v1/market-info/min-max-range/${road.from.join('-')}_${road.to.join('-')}`,
  )
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(body.min > 0 && body.max >= body.min, `${JSON.stringify(body)} is no range`)
  const pair = { min: plain(body.min), max: plain(body.max) }
  const [least, most] = await Promise.all([ownBound(road, pair.min, 'min'), ownBound(road, pair.max, 'max')])
  return { min: least, max: most }
}

/** An end of the pair's range, or the one that is told to whoever asks for too little or too much. */
async function ownBound(road: Road, amount: string, end: 'min' | 'max'): Promise<string> {
  const { status, body } = await exchange.api<Refused>(question(road, amount))
  if (status === 200) return amount
  const told = body.errors[0]
  assert.equal(told?.code, 'AMOUNT_OUT_OF_RANGE', JSON.stringify(body))
  return String(told[end])
}

/** A number without the exponent that JavaScript writes small ones with. */
const plain = (amount: number): string => {
  const text = String(amount)
  const small = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text)
  return small ? `0.${'0'.repeat(Number(small[3]) - 1)}${small[1]}${small[2] ?? ''}` : text
}

/** An amount inside the road's range, at its ends as often as not. */
async function amountOn(road: Road, n: number): Promise<string> {
  const { min, max } = await rangeOf(road)
  return n % 3 === 0 ? max : min
}

describe('every road that the catalog offers ends in a payout', { concurrency: 12 }, () => {
  for (const [n, road] of roads.entries()) {
    const { side, method, from, to } = road
    test(`${side} by ${method.type}: ${from.join(' on ')} to ${to.join(' on ')}`, async () => {
      const amount = await amountOn(road, n)
      const estimate = await exchange.api<Estimate>(question(road, amount))
      assert.equal(estimate.status, 200, JSON.stringify(estimate.body))

      const { id } = await create(exchange, {
        from_amount: amount,
        from_currency: from[0],
        from_network: from[1],
        to_currency: to[0],
        to_network: to[1],
        deposit: { payment_category: method.category },
      })
      const ready = await checkOut(exchange, id)
      assert.equal(ready.status, 'waiting_for_deposit')
      assert.equal(ready.side, side)
      assertToldHowToPay(ready, method)
      await pay(exchange, id)
      const finished = await arrive(exchange, id, 'finished')
      // Above what an unknown person may exchange, the identity is checked first.
      const isChecked = Number(finished.from_amount_in_eur) > 20_000
      const before = isChecked ? ['new', 'waiting_for_customer'] : ['new']
      assert.deepEqual(statusesOf(finished), [...before, 'waiting_for_deposit', 'exchanging', 'sending', 'finished'])
      assert.deepEqual(offences('transaction', finished), [])
      assert.equal(finished.to_amount, finished.expected_to_amount)
      assert.ok(finished.output_hash)
    })
  }
})

test('the books hold after all of them', () => assertBooksHold(exchange))

/** Coins are told an address; other money is told on pages. */
function assertToldHowToPay({ deposit }: TransactionRecord, { category }: PaymentMethod): void {
  const isCoin = findPaymentCategory(category)?.flow === 'coin'
  assert.equal(deposit !== null, isCoin, JSON.stringify(deposit))
  if (deposit) assert.ok(deposit.address.length > 20)
}

test('the roads use every coin network and every fiat currency, both ways', () => {
  const paidIn = new Set(roads.map(({ from }) => from[1]))
  const paidOut = new Set(roads.map(({ to }) => to[1]))
  for (const network of coinNetworks) assert.ok(paidIn.has(network) && paidOut.has(network), network)
  for (const { ticker } of fiatCurrencies) assert.ok(paidOut.has(ticker), ticker)
})
