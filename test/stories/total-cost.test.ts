import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange()
})
after(() => exchange.stop())

const orders = [
  { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' },
  { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' },
  { from_amount: '500', from_currency: 'XRP', to_currency: 'BTC' },
]

/** What left less the market value of what arrives, from nothing but the amounts and the market price of the record. */
function costOf({ side, expected_from_amount, expected_to_amount, market_price }: TransactionRecord): number {
  const price = Number(market_price.numerator) / Number(market_price.denominator)
  const [left, arrived] = [Number(expected_from_amount), Number(expected_to_amount)]
  return side === 'sell' ? left * price - arrived : left - arrived / price
}

for (const order of orders) {
  const name = `${order.from_currency} to ${order.to_currency}`
  it(`${name}: the total cost follows from the amounts, and the checkout shows the same figures`, async () => {
    const record = await create(exchange, order)
    const { total_cost: cost } = record
    assert.equal(cost.currency, record.side === 'sell' ? 'EUR' : order.from_currency)
    assert.ok(Math.abs(costOf(record) - Number(cost.amount)) <= 0.005 + 1e-9, `${costOf(record)} ${cost.amount}`)

    const page = await (await fetch(record.redirect_url.replace('/checkout', '/en/checkout'))).text()
    const [, amount, currency, marketPrice] =
      /data-total-cost="([\d.]+)" data-currency="([A-Z]+)" data-market-price="([\d.]+)"/.exec(page) ?? []
    assert.deepEqual([amount, currency], [cost.amount, cost.currency])
    const [, shown = ''] = /Total cost<\/span> <strong>([^<]+)<\/strong>/.exec(page) ?? []
    assert.match(
      shown.replaceAll(',', ''),
      new RegExp(`^${Number(cost.amount)}0?\\s${cost.currency} \\(${cost.percentage}\\)$`),
    )
    const { numerator, denominator } = record.market_price
    const ratio = Number(numerator) / Number(denominator)
    const unit = record.side === 'buy' || (record.side === 'swap' && ratio < 1) ? 1 / ratio : ratio
    assert.ok(Math.abs(Number(marketPrice) / unit - 1) < 1e-9, `${marketPrice} ${unit}`)
  })
}
