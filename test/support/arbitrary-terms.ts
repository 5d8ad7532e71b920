import fc from 'fast-check'

import type { Side } from '../../src/reference/catalog/payment-method.ts'
import type { Asset } from '../../src/platform/money/amount.ts'
import type { Book } from '../../src/markets/source.ts'
import type { FeeSchedule } from '../../src/exchange/pricing/fees.ts'
import { pathPrice } from '../../src/exchange/pricing/path.ts'
import type { Leg } from '../../src/exchange/pricing/path.ts'
import type { Rate } from '../../src/exchange/pricing/rate.ts'
import { termsOf } from '../../src/exchange/pricing/terms.ts'
import type { PairTerms, PairTermsInput } from '../../src/exchange/pricing/terms.ts'

/** Fixed business time of every price here. */
export const someTime = new Date('2026-03-01T12:00:00.000Z')

/** A made-up asset with its main network. */
export const assetWith = (ticker: string, decimals: number): Asset => ({
  id: `${ticker}-${ticker}`,
  ticker,
  network: ticker,
  decimals,
})

/** The book of `base/quote` from two decimal fractions over 10^8, the lower one first. */
export const bookOf = (
  base: string,
  quote: string,
  bid: bigint,
  ask: bigint,
  at = someTime,
  source = 'test',
): Book => ({
  market: { name: `${base}/${quote}`, base, quote, source },
  bid: { numerator: bid, denominator: 10n ** 8n },
  ask: { numerator: ask, denominator: 10n ** 8n },
  at,
})

/** The book of a ticker against the euro. That of the euro itself stands for no book at all. */
export const euroBook = (ticker: string, bid: bigint, ask: bigint): Book => bookOf(ticker, 'EUR', bid, ask)

/** What terms take from the market, through the euro: the rate between two tickers, and what the first is worth. */
export function ratesBetween(source: Book, target: Book): { rate: Rate; worth: Rate } {
  const sell = legsOf(source, 'sell')
  return {
    rate: rateAlong(source.market.base, target.market.base, [...sell, ...legsOf(target, 'buy')]),
    worth: rateAlong(source.market.base, 'EUR', sell),
  }
}

const legsOf = (book: Book, crossing: Leg['crossing']): Leg[] =>
  book.market.base === 'EUR' ? [] : [{ book, crossing }]

export const rateAlong = (from: string, to: string, legs: Leg[]): Rate => ({
  from,
  to,
  legs,
  price: pathPrice(legs),
  sold: undefined,
})

/** The same terms for the way back, from the same books. */
export function turned(input: PairTermsInput): PairTermsInput {
  const [there, back] = input.rate.legs.map(({ book }) => book)
  if (!there || !back) throw new Error('These terms do not come from two books.')
  return { ...input, from: input.to, to: input.from, ...ratesBetween(back, there) }
}

const anyBook = (ticker: string): fc.Arbitrary<Book> =>
  fc.tuple(fc.bigInt(1n, 10n ** 14n), fc.bigInt(0n, 10n ** 12n)).map(([bid, more]) => euroBook(ticker, bid, bid + more))

/** A fee of up to 10 percent, often of none or of one basis point, with up to eight decimals of a percent. */
const basisPoints = fc.oneof(
  fc.constantFrom(0, 1, 50, 12.5, 0.000001),
  fc.integer({ min: 0, max: 1_000 }),
  fc.integer({ min: 0, max: 1_000_000_000 }).map((millionths) => millionths / 1_000_000),
)

/** Up to three tiers, ascending, with shares that do not. */
const tiersOf = fc
  .tuple(fc.subarray(['0.01', '1', '30.5', '1000', '2500000']), fc.tuple(basisPoints, basisPoints, basisPoints))
  .map(([above, any]) =>
    above.slice(0, 3).map((one, index) => {
      const share = any.toSorted((a, b) => b - a)[index] ?? 0
      return { above: one, basisPoints: { buy: share, sell: share, swap: share } }
    }),
  )

const fixedParts = fc.constantFrom('0', '0', '0.01', '0.25', '3')

/** A price list with any service fee, tiers, minimum and spread, the same on all sides. */
const schedules: fc.Arbitrary<FeeSchedule> = fc
  .record({
    service: basisPoints,
    tiers: tiersOf,
    spread: basisPoints,
    minimum: fc.constantFrom('0', '0', '0.01', '1.5', '30'),
  })
  .map(({ service, tiers, spread, minimum }) => ({
    kind: 'fees' as const,
    version: 7,
    serviceBasisPoints: { buy: service, sell: service, swap: service },
    serviceTiers: tiers.map(({ above, basisPoints: { buy } }) => {
      const share = Math.min(buy, service)
      return { above, basisPoints: { buy: share, sell: share, swap: share } }
    }),
    serviceMinimum: minimum,
    spreadBasisPoints: { buy: spread, sell: spread, swap: spread },
  }))

/** Everything that terms are made of: any decimals from 0 to 18, prices over 14 orders of magnitude, any fees. */
export const termsInputs: fc.Arbitrary<PairTermsInput> = fc
  .record({
    side: fc.constantFrom<Side>('buy', 'sell', 'swap'),
    from: fc.integer({ min: 0, max: 18 }).map((decimals) => assetWith('AAA', decimals)),
    to: fc.integer({ min: 0, max: 18 }).map((decimals) => assetWith('BBB', decimals)),
    source: anyBook('AAA'),
    target: anyBook('BBB'),
    schedule: schedules,
    depositBasisPoints: basisPoints,
    payoutBasisPoints: basisPoints,
    depositFixed: fixedParts,
    payoutFixed: fixedParts,
    commissionBasisPoints: basisPoints,
    networkFee: fc.oneof(fc.constant(0n), fc.bigInt(0n, 10n ** 12n)),
  })
  .map(({ source, target, ...input }) => ({ ...input, ...ratesBetween(source, target) }))

/** The terms of any pair. */
export const pairTerms: fc.Arbitrary<PairTerms> = termsInputs.map(termsOf)

/** Amounts of every size: a few units, and up to 30 digits. */
export const amounts: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt(1n, 10_000n),
  fc.bigInt(1n, 10n ** 18n),
  fc.bigInt(1n, 10n ** 30n),
)
