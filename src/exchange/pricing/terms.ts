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
  /** The partner's commission, in hundredths of a percent of what the customer pays. */
  commissionBasisPoints: number
  /** What sending the payout costs, in units of `to`. */
  networkFee: bigint
}

/** One fee: its part of what the customer pays, and at least the minimum. */
export type FeeRule = {
  kind: FeeKind
  basisPoints: number
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
  /** The sum of the fees' parts. */
  feeBasisPoints: number
  /** Business time of the oldest book that the rate was taken from, or the worth where there is only one ticker. */
  rateAt: Date
}

/** The part of the terms that an amount's sum depends on. */
export type SumTerms = Pick<PairTerms, 'from' | 'to' | 'by' | 'over' | 'fees' | 'feeBasisPoints' | 'networkFee'> & {
  /** `total_up` where absent. */
  feeRounding?: FeeRounding
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
  const feeBasisPoints = fees.reduce((sum, fee) => sum + fee.basisPoints, 0)
  assert(feeBasisPoints <= maxFeeBasisPoints, 'fees that take more than half')

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
  const rules: FeeRule[] = []
  add('service', schedule.serviceBasisPoints[side], minimum, schedule.serviceMinimum)
  add('deposit', input.depositBasisPoints)
  add('payout', input.payoutBasisPoints)
  add('partner', input.commissionBasisPoints)
  return rules

  function add(kind: FeeKind, basisPoints: number, least = 0n, minimumText = '0'): void {
    assert(basisPoints >= 0 && Number.isInteger(basisPoints), 'a fee is whole basis points')
    if (basisPoints > 0 || least > 0n) rules.push({ kind, basisPoints, minimum: least, minimumText })
  }
}

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
