import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { findListing } from '../../src/reference/catalog/asset.ts'
import { type Asset, formatAmount, parseAmount } from '../../src/platform/money/amount.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { offences } from '../support/strict-types.ts'
import { stopMarket } from '../support/still-market.ts'
import type { Refused } from '../support/journey.ts'
import { until } from '../support/telling.ts'

type Money = { amount: string; currency: string }
type Estimate = {
  from_currency: string
  to_currency: string
  to_network: string
  value: string
  estimated_exchange_rate: string
  service_fees: (Money & { name: string; percentage: string })[]
  converted_amount: Money
  network_fee: Money
  price: { numerator: string; denominator: string }
}

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
})
after(() => exchange.stop())

/** One of the pairs, and how much of the way from the least to the greatest amount, in millionths. */
const asked = fc.record({
  fiat: fc.constantFrom('EUR', 'USD', 'GBP'),
  coin: fc.constantFrom('BTC-BTC', 'ETH-ETH', 'USDT-ETH', 'USDT-TRX'),
  cents: fc.oneof(fc.bigInt(2_000n, 1_300_000n), fc.bigInt(2_000n, 2_100n)),
})
type Asked = { fiat: string; coin: string; cents: bigint }

type Assets = { from: Asset; to: Asset }

const assetsOf = ({ fiat, coin }: Asked): Assets & { pair: string } => {
  const [ticker = '', network] = coin.split('-')
  const [from, to] = [findListing(fiat)?.asset, findListing(ticker, network)?.asset]
  assert.ok(from && to)
  return { from, to, pair: `from_currency=${fiat}&to_currency=${ticker}&to_network=${network}` }
}

async function estimate(query: string): Promise<Estimate> {
  const { status, body } = await exchange.api<Estimate>(`/v1/estimate?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(offences('estimate', body), [])
  return body
}

/** The documented sum, in whole units; nothing of ours is used but reading decimal text. */
function assertSum(
  told: Estimate,
  { from, to, feesOf }: Assets & { feesOf?: bigint },
  paid: bigint,
  value: bigint,
): void {
  const { service_fees, converted_amount, network_fee, price } = told
  const fees = service_fees.reduce((sum, { amount }) => sum + parseAmount(amount, from), 0n)
  const converted = parseAmount(converted_amount.amount, from)
  assert.equal(paid, fees + converted)

  const gross =
    (converted * BigInt(price.numerator) * 10n ** BigInt(to.decimals)) /
    (BigInt(price.denominator) * 10n ** BigInt(from.decimals))
  assert.equal(value, gross - parseAmount(network_fee.amount, to))
  for (const { currency } of [...service_fees, converted_amount]) assert.equal(currency, from.ticker)
  assert.equal(network_fee.currency, to.ticker)

  const shown = told.estimated_exchange_rate.split('.')
  const decimals = shown[1]?.length ?? 0
  assert.ok(decimals >= 8)
  const rate = (value * 10n ** BigInt(from.decimals + decimals)) / (converted * 10n ** BigInt(to.decimals))
  assert.equal(BigInt(shown.join('')), rate, 'the rate is rounded down')
  let total = 0n
  for (const { amount, percentage } of service_fees) {
    const [whole = '0', digits = ''] = percentage.replace('%', '').split('.')
    const part = (feesOf ?? paid) * BigInt(whole + digits.padEnd(2, '0'))
    const off = parseAmount(amount, from) * 10_000n - part
    assert.ok(off > -10_000n && off < 10_000n, `${amount} is ${percentage}, less than a unit off`)
    total += part
  }
  assert.ok(fees * 10_000n >= total && (fees - 1n) * 10_000n < total, 'the total is rounded up once')
}

const holds = (runs: number, property: (one: Asked) => Promise<void>) =>
  fc.assert(fc.asyncProperty(asked, property), { numRuns: runs })

const sums = () => {
  it('holds for any amount', () =>
    holds(60, async (one) => {
      const { from, to, pair } = assetsOf(one)
      const told = await estimate(`${pair}&from_amount=${formatAmount(one.cents, from)}`)
      assertSum(told, { from, to }, one.cents, parseAmount(told.value, to))
    }))

  it('holds with the fees on top', () =>
    holds(30, async (one) => {
      const { from, to, pair } = assetsOf(one)
      const told = await estimate(`${pair}&fees_included=false&from_amount=${formatAmount(one.cents, from)}`)
      assert.equal(parseAmount(told.converted_amount.amount, from), one.cents)
      const fees = told.service_fees.reduce((sum, { amount }) => sum + parseAmount(amount, from), 0n)
      assertSum(told, { from, to, feesOf: one.cents }, one.cents + fees, parseAmount(told.value, to))
    }))

  it('finds the least amount that pays what is wanted', () =>
    holds(40, async (one) => {
      const { from, to, pair } = assetsOf(one)
      const direct = await estimate(`${pair}&from_amount=${formatAmount(one.cents, from)}`)
      for (const less of [0n, 1n]) {
        const wanted = parseAmount(direct.value, to) - less
        const asking = `${pair}&type=reverse&to_amount=${formatAmount(wanted, to)}`
        const { status, body: reverse } = await exchange.api<Estimate & Refused>(`/v1/estimate?${asking}`)
        if (status === 400 && less > 0n && one.cents < 2_003n) continue
        assert.equal(status, 200, JSON.stringify(reverse))
        const needed = parseAmount(reverse.value, from)
        const again = await estimate(`${pair}&from_amount=${reverse.value}`)
        assertSum(reverse, { from, to }, needed, parseAmount(again.value, to))
        assert.ok(parseAmount(again.value, to) >= wanted, 'it pays what is wanted')
        if (needed === 2_000n) continue
        const below = await estimate(`${pair}&from_amount=${formatAmount(needed - 1n, from)}`)
        assert.ok(parseAmount(below.value, to) < wanted, 'a cent less does not')
      }
    }))

  it('is what a create agrees on', () =>
    holds(12, async (one) => {
      const { from, to, pair } = assetsOf(one)
      const amount = formatAmount(one.cents, from)
      const told = await estimate(`${pair}&from_amount=${amount}`)
      const body = { from_amount: amount, from_currency: from.ticker, to_currency: to.ticker, to_network: to.network }
      const { body: record } = await exchange.api('/v1/transaction', { body })
      assert.equal(record.expected_to_amount, told.value)
      const breakdown = record.estimate_breakdown as {
        toAmount: string
        estimatedExchangeRate: string
        convertedAmount: Money
      }
      assert.deepEqual(
        [breakdown.toAmount, breakdown.estimatedExchangeRate, breakdown.convertedAmount],
        [told.value, told.estimated_exchange_rate, told.converted_amount],
      )
    }))
}

describe('the sum over HTTP', sums)

describe('the sum with a partner’s commission', () => {
  before(async () => {
    const { ctx } = exchange.service.composition
    await setPartner(ctx, BigInt(exchange.sandbox.partner_id), { fees: '{"commission_percent": "1.37"}' }, 'test')
  })
  it('has it as one of the fees', async () => {
    await until(async () => {
      const { service_fees: fees } = await estimate('from_currency=EUR&to_currency=BTC&from_amount=100')
      return fees.some(({ percentage }) => percentage === '1.37%')
    }, 'the commission')
  })
  sums()
})
