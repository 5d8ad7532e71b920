import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import fc from 'fast-check'

import { type HouseEntry, type Prices, priceOf, valueEntry, worthOf } from './valuation.ts'

const decimals: Record<string, number> = { 'EUR-EUR': 2, 'BTC-BTC': 8, 'ETH-ETH': 18 }
const accounts = [
  'position',
  'fees:service',
  'fees:deposit',
  'network-fees',
  'losses:chargebacks',
  'method-costs',
  'hedging-fees',
]

const pricesFrom = (
  btc: bigint,
  eth: bigint,
  rate: { numerator: bigint; denominator: bigint } | undefined,
): Prices => ({
  decimalsOf: (asset) => decimals[asset] ?? assert.fail(asset),
  markOf: (asset) => (asset === 'EUR-EUR' ? 10n ** 18n : asset === 'BTC-BTC' ? btc : eth),
  rateOf: () => rate,
})
const price = fc.bigInt({ min: 1n, max: 10n ** 24n })
const ratio = fc.record({
  numerator: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  denominator: fc.bigInt({ min: 1n, max: 10n ** 12n }),
})
const changes = fc.array(
  fc.record({
    account: fc.constantFrom(...accounts),
    asset: fc.constantFrom(...Object.keys(decimals)),
    amount: fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
  }),
  { minLength: 1, maxLength: 8 },
)
const entries: fc.Arbitrary<HouseEntry> = fc.record({
  kind: fc.constantFrom('exchange', 'exchange_mirrored', 'hedge_fill', 'wallet_cost', 'deposit_reversed'),
  changes,
  exchanged: fc.option(
    ratio.map((quotedRate) => ({ from: 'EUR-EUR', to: 'BTC-BTC', coin: 'BTC-BTC', quotedRate })),
    { nil: undefined },
  ),
  base: fc.option(fc.constantFrom('BTC-BTC', 'ETH-ETH'), { nil: undefined }),
})
const prices = fc.tuple(price, price, fc.option(ratio, { nil: undefined })).map((all) => pricesFrom(...all))

describe('the value of an entry', () => {
  it('is the sum of its columns, for any entry and any prices', () => {
    fc.assert(
      fc.property(entries, prices, (entry, at) => {
        const rows = valueEntry(entry, at)
        const worth = rows.reduce((sum, row) => sum + row.worth, 0n)
        const columns = rows.reduce(
          (sum, row) => sum + row.spread + row.fees + row.methodCosts + row.networkCosts + row.hedging + row.drift,
          0n,
        )
        assert.equal(columns, worth)
      }),
    )
  })

  it('misses no change and adds none', () => {
    fc.assert(
      fc.property(entries, prices, (entry, at) => {
        for (const asset of Object.keys(decimals)) {
          const changed = entry.changes.reduce((sum, one) => (one.asset === asset ? sum + one.amount : sum), 0n)
          const row = valueEntry(entry, at).find((one) => one.asset === asset)
          assert.equal(row?.change ?? 0n, changed)
        }
      }),
    )
  })

  it('of a reversal is that of what it reverses, with the other sign, at the same prices', () => {
    fc.assert(
      fc.property(entries, prices, (entry, at) => {
        const back = { ...entry, changes: entry.changes.map((one) => ({ ...one, amount: -one.amount })) }
        const opposite = valueEntry(back, at).map(({ asset, ...row }) => ({
          asset,
          ...Object.fromEntries(Object.entries(row).map(([name, amount]) => [name, -amount])),
        }))
        assert.deepEqual(opposite, valueEntry(entry, at))
      }),
    )
  })

  it('splits an exchange into the spread that was kept and what the price moved since the quote', () => {
    // 100 EUR at 50,000 EUR a bitcoin, less 1 percent: 0.00198 BTC. The price has risen by a tenth since.
    const entry: HouseEntry = {
      kind: 'exchange',
      changes: [
        { account: 'position', asset: 'EUR-EUR', amount: 10_000n },
        { account: 'position', asset: 'BTC-BTC', amount: -198_000n },
      ],
      exchanged: {
        from: 'EUR-EUR',
        to: 'BTC-BTC',
        coin: 'BTC-BTC',
        quotedRate: { numerator: 1n, denominator: 50_000n },
      },
    }
    const at = pricesFrom(55_000n * 10n ** 18n, 1n, { numerator: 1n, denominator: 55_000n })
    const coin = valueEntry(entry, at).find(({ asset }) => asset === 'BTC-BTC')
    // 0.002 BTC are worth 110 EUR now, 10 EUR more than what came in; 0.00002 BTC were kept.
    assert.equal(coin?.drift, -10_00000000n)
    assert.equal(coin?.spread, 1_10000000n)
  })
})

describe('prices and worths', () => {
  it('are whole numbers of their units', () => {
    assert.equal(priceOf({ numerator: 1n, denominator: 3n }), 333333333333333333n)
    assert.equal(worthOf(150n, 2, 10n ** 18n), 150_000_000n)
    assert.equal(worthOf(1n, 18, 3_000n * 10n ** 18n), 0n)
    assert.equal(worthOf(-1n, 8, 50_000n * 10n ** 18n), -50_000n)
  })
})
