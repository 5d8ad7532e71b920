import assert from 'node:assert/strict'

import type { Side } from '../../reference/catalog/payment-method.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { ratioOf, tenTo } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import type { FeeKind, FeeSchedule } from './fees.ts'
import { soldAt } from './rate.ts'
import type { Rate } from './rate.ts'

/** Everything that decides what an exchange of this pair costs, whatever its amount. */
export type PairTermsInput = {
  side: Side
  from: Asset
  to: Asset
  /** From the source's ticker to the target's. */
  rate: Rate
  /** From the source's ticker to the market's reference currency: what the source is worth there. */
  worth: Rate
  schedule: FeeSchedule
  /** What the way in and the way out cost, in hundredths of a percent of what the customer pays. */
  depositBasisPoints: number
  payoutBasisPoints: number
  /** What they cost besides for each payment, decimal text in the reference currency; absent for nothing. */
  depositFixed?: string
  payoutFixed?: string
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** What sending the payout costs, in units of `to`. */
  networkFee: bigint
}

/** From an amount on, what is above it has another share. `above` in units of the source, and as its schedule says it. */
export type FeeTier = { above: bigint; aboveText: string; basisPoints: number }

/** One fee: its share of what the customer pays, and at least the minimum. */
export type FeeRule = {
  kind: FeeKind
  /** May have decimals: see `partsOf`. */
  basisPoints: number
  /** Ascending; absent where one share holds for any amount. */
  tiers?: readonly FeeTier[]
  /** Charged besides, whatever the amount: in units of the source, and as its schedule says it. */
  fixed?: { units: bigint; text: string }
  /** In units of the source. */
  minimum: bigint
  /** The same as its schedule says it, decimal text in the reference currency. */
  minimumText: string
}

/** A pair's price and fees, worked out. Costs a few microseconds; `sum.ts` applies it to amounts. */
export type PairTerms = PairTermsInput & {
  /** Whole units of the target per whole unit of the source. */
  price: Ratio
  /** The same in smallest units: `value = floor(converted x by / over) - networkFee`. */
  by: bigint
  over: bigint
  /** Those that are charged at all, in a fixed order. */
  fees: readonly FeeRule[]
  /** The sum of the fees' least shares. */
  feeBasisPoints: number
  /** Business time of the oldest book that the rate was taken from, or the worth where there is only one ticker. */
  rateAt: Date
}

/** The part of the terms that an amount's sum depends on. */
export type SumTerms = Pick<PairTerms, 'from' | 'to' | 'by' | 'over' | 'fees' | 'feeBasisPoints' | 'networkFee'> & {
  /** `total_up` where absent. */
  feeRounding?: FeeRounding
  /** What the same order has exchanged before, in units of `from`: fees are what the whole comes to, less what that part does. */
  exchangedBefore?: bigint
}

/**
 * How fees become whole units: `total_up` rounds their total up once and shares it out over the lines; `up` rounded every line
 * up, in quotes of before 2026-11-23.
 */
export type FeeRounding = 'up' | 'total_up'

/** More than half of what the customer pays is no fee but a mistake in the data. */
const maxFeeBasisPoints = 5_000

/** Works out a pair's price and fees. Refuses (as a fault) fees that are negative or take more than half. */
export function termsOf(input: PairTermsInput): PairTerms {
  const { side, from, to, rate, worth, schedule } = input
  assert(rate.from === from.ticker && rate.to === to.ticker && worth.from === from.ticker, 'rates of other currencies')
  const price = soldAt(rate, schedule.spreadBasisPoints[side])
  const fees = feeRules(input)
  const most = fees.reduce((sum, fee) => sum + Math.max(...sharesOf(fee)), 0)
  assert(most <= maxFeeBasisPoints, 'fees that take more than half')
  const feeBasisPoints = leastShares(fees)

  const { by, over } = unitPrice(price, from, to)

  // Named one by one: a spread would cost more than all the arithmetic.
  return {
    side,
    from,
    to,
    rate,
    worth,
    schedule,
    depositBasisPoints: input.depositBasisPoints,
    payoutBasisPoints: input.payoutBasisPoints,
    ...(input.depositFixed === undefined ? {} : { depositFixed: input.depositFixed }),
    ...(input.payoutFixed === undefined ? {} : { payoutFixed: input.payoutFixed }),
    commissionBasisPoints: input.commissionBasisPoints,
    networkFee: input.networkFee,
    price,
    by,
    over,
    fees,
    feeBasisPoints,
    rateAt: oldestOf(rate.legs.length > 0 ? rate : worth),
  }
}

const sharesOf = ({ basisPoints, tiers = [] }: Pick<FeeRule, 'basisPoints' | 'tiers'>): number[] => [
  basisPoints,
  ...tiers.map((tier) => tier.basisPoints),
]

/** The sum of the fees' least shares: no amount pays less. */
export const leastShares = (fees: readonly FeeRule[]): number =>
  fees.reduce((sum, fee) => sum + Math.min(...sharesOf(fee)), 0)

function oldestOf({ legs: [first, ...others] }: Rate): Date {
  assert(first, 'a price comes from somewhere')
  return others.reduce((oldest, { book }) => (book.at < oldest ? book.at : oldest), first.book.at)
}

type Decimals = Pick<Asset, 'decimals'>

/** A price of whole currency units as a price of smallest units, `by / over`. */
export const unitPrice = (
  { numerator, denominator }: Ratio,
  from: Decimals,
  to: Decimals,
): { by: bigint; over: bigint } => ({
  by: numerator * tenTo(to.decimals),
  over: denominator * tenTo(from.decimals),
})

function feeRules(input: PairTermsInput): FeeRule[] {
  const { side, from, worth, schedule } = input
  const minimum = unitsWorth(schedule.serviceMinimum, worth.price, from, 'up')
  const tiers = schedule.serviceTiers.map(({ above, basisPoints }) =>
    tierOf(above, basisPoints[side], worth.price, from),
  )
  const rules: FeeRule[] = []
  add('service', schedule.serviceBasisPoints[side], {
    ...(tiers.length > 0 ? { tiers } : {}),
    minimum,
    minimumText: schedule.serviceMinimum,
  })
  add('deposit', input.depositBasisPoints, fixedOf(input.depositFixed, worth.price, from))
  add('payout', input.payoutBasisPoints, fixedOf(input.payoutFixed, worth.price, from))
  add('partner', input.commissionBasisPoints)
  return rules

  function add(kind: FeeKind, basisPoints: number, more: Partial<FeeRule> = {}): void {
    assert(basisPoints >= 0, 'a fee is not negative')
    const rule: FeeRule = { kind, basisPoints, minimum: 0n, minimumText: '0', ...more }
    if (basisPoints > 0 || rule.minimum > 0n || rule.tiers || rule.fixed) rules.push(rule)
  }
}

/** A fixed part of a fee in units of the source, rounded up: it is charged. */
export const fixedOf = (text: string | undefined, price: Ratio, from: Decimals): Pick<FeeRule, 'fixed'> =>
  text === undefined || text === '0' ? {} : { fixed: { units: unitsWorth(text, price, from, 'up'), text } }

/** Where a tier begins in units of the source, rounded up. */
export const tierOf = (aboveText: string, basisPoints: number, price: Ratio, from: Decimals): FeeTier => ({
  above: unitsWorth(aboveText, price, from, 'up'),
  aboveText,
  basisPoints,
})

/**
 * How many units of an asset are worth an amount of the reference currency (decimal text), when one whole of the asset
 * is worth `price` of it. The caller names the rounding: up for what is charged or demanded, down for what is allowed.
 */
export function unitsWorth(text: string, price: Ratio, { decimals }: Decimals, rounding: 'up' | 'down'): bigint {
  if (text === '0') return 0n
  const amount = dataRatio(text)
  const units = amount.numerator * price.denominator * tenTo(decimals)
  const over = amount.denominator * price.numerator
  return rounding === 'up' ? ceilDivide(units, over) : units / over
}

/** The amounts that price lists and bounds name are few and asked for with every exchange: each is read once. */
const ratiosRead = new Map<string, Ratio>()
const mostRatiosRead = 10_000

function dataRatio(text: string): Ratio {
  const known = ratiosRead.get(text)
  if (known) return known
  if (ratiosRead.size >= mostRatiosRead) ratiosRead.clear()
  const ratio = ratioOf(text)
  ratiosRead.set(text, ratio)
  return ratio
}

/** Division rounded up, for numbers that are not negative. */
export const ceilDivide = (amount: bigint, over: bigint): bigint => (amount + over - 1n) / over
