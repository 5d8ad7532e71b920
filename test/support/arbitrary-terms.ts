import fc from 'fast-check'

import type { Side } from '../../src/catalog/payment-method.ts'
import type { Asset } from '../../src/money/amount.ts'
import type { MarketPrice } from '../../src/money/market.ts'
import type { FeeSchedule } from '../../src/pricing/fees.ts'
import { termsOf } from '../../src/pricing/terms.ts'
import type { PairTerms, PairTermsInput } from '../../src/pricing/terms.ts'

/** Fixed business time of every price here. */
export const someTime = new Date('2026-03-01T12:00:00.000Z')

/** A made-up asset with its main network. */
export const assetWith = (ticker: string, decimals: number): Asset => ({
  id: `${ticker}-${ticker}`,
  ticker,
  network: ticker,
  decimals,
})

/** A market price from two decimal fractions over 10^8, the lower one first. */
export const marketPrice = (ticker: string, bid: bigint, ask: bigint, at = someTime): MarketPrice => ({
  ticker,
  bid: { numerator: bid, denominator: 10n ** 8n },
  ask: { numerator: ask, denominator: 10n ** 8n },
  at,
  source: 'test',
})

const price = (ticker: string): fc.Arbitrary<MarketPrice> =>
  fc
    .tuple(fc.bigInt(1n, 10n ** 14n), fc.bigInt(0n, 10n ** 12n))
    .map(([bid, more]) => marketPrice(ticker, bid, bid + more))

/** A fee of up to 10 percent, often of none or of one basis point. */
const basisPoints = fc.oneof(fc.constantFrom(0, 1, 50), fc.integer({ min: 0, max: 1_000 }))

/** A price list with any service fee, minimum and spread, the same on all sides. */
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({ service: basisPoints, spread: basisPoints, minimum: fc.constantFrom('0', '0', '0.01', '1.5', '30') })
  .map(({ service, spread, minimum }) => ({
    version: 'test',
    from: new Date(0),
    serviceBasisPoints: { buy: service, sell: service, swap: service },
    serviceMinimum: minimum,
    spreadBasisPoints: { buy: spread, sell: spread, swap: spread },
  }))

/** Everything that terms are made of: any decimals from 0 to 18, prices over 14 orders of magnitude, any fees. */
export const termsInputs: fc.Arbitrary<PairTermsInput> = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell', 'swap'),
  from: fc.integer({ min: 0, max: 18 }).map((decimals) => assetWith('AAA', decimals)),
  to: fc.integer({ min: 0, max: 18 }).map((decimals) => assetWith('BBB', decimals)),
  fromPrice: price('AAA'),
  toPrice: price('BBB'),
  reference: fc.constant('EUR'),
  schedule: schedules,
  depositBasisPoints: basisPoints,
  payoutBasisPoints: basisPoints,
  commissionBasisPoints: basisPoints,
  networkFee: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 12n)),
})

/** The terms of any pair. */
export const pairTerms: fc.Arbitrary<PairTerms> = termsInputs.map(termsOf)

/** Amounts of every size: a few units, and up to 30 digits. */
export const amounts: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt(1n, 10_000n),
  fc.bigInt(1n, 10n ** 18n),
  fc.bigInt(1n, 10n ** 30n),
)
