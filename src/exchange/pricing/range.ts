import { parseAmount } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { wholeBasisPoints } from './price.ts'
import { leastFromAmount } from './sum.ts'
import { ceilDivide, unitsWorth } from './terms.ts'
import type { PairTerms } from './terms.ts'

/** The least and the greatest source amount of a pair, both accepted, in units of the source. */
export type Range = { min: bigint; max: bigint }

/** Bounds as decimal text; null is no bound. */
export type Bounds = { min: string | null; max: string | null }

/** What bounds an exchange besides its own costs. */
export type RangeInput = {
  /** In the source currency. */
  deposit: Bounds
  /** In the target currency. */
  payout: Bounds
  /** What can be paid out at once, in units of the target; undefined is no bound. */
  payable?: bigint | undefined
  /** In the market's reference currency, of the source amount: the partner account's. */
  partner: Bounds
  /** In the market's reference currency, of the source amount: the house's, by the policy `ranges`. */
  house: Bounds
}

/** The network fee takes at most this part of what is paid out for: a quarter. */
const networkFeeShareBasisPoints = 2_500n

/**
 * The source amounts that can be exchanged on these terms; undefined when there are none.
 *
 * Every amount within pays out at least the payout method's minimum, more than zero, and at least three times the network fee;
 * none pays out more than the method allows. Bounds that depend on a price are rounded inward to three significant digits, so
 * that a range is short and stays the same while prices move a little.
 */
export function rangeOf(terms: PairTerms, { deposit, payout, payable, partner, house }: RangeInput): Range | undefined {
  const { from, to, networkFee } = terms
  const { price } = terms.worth

  if (payable === 0n) return undefined

  const leastPaid = greatest([
    1n,
    ceilDivide(networkFee * BigInt(wholeBasisPoints), networkFeeShareBasisPoints) - networkFee,
    unitsOf(payout.min, to),
  ])
  const min = greatest([
    leastPayingOut(terms, leastPaid),
    unitsOf(deposit.min, from),
    worth(house.min, price, from, 'up'),
    worth(partner.min, price, from, 'up'),
  ])
  const max = least([
    mostNeverPayingOver(terms, least([unitsOf(payout.max, to), payable])),
    unitsOf(deposit.max, from),
    worth(house.max, price, from, 'down'),
    worth(partner.max, price, from, 'down'),
  ])
  return max === undefined || min > max ? undefined : { min, max }
}

/** The least source amount that pays out at least this much; every greater one does, too. */
const leastPayingOut = (terms: PairTerms, toAmount: bigint): bigint =>
  shortened(leastFromAmount(terms, toAmount, { feesIncluded: true }), 'up')

/** A source amount such that it and every smaller one pay out at most this much. */
const mostNeverPayingOver = (terms: PairTerms, toAmount: bigint | undefined): bigint | undefined =>
  toAmount && shortened(leastFromAmount(terms, toAmount + 1n, { feesIncluded: true }) - 1n, 'down')

/** A bound in units of an asset. Bounds are data, few and asked for often: each is read once. */
function unitsOf(text: string | null, asset: Asset): bigint | undefined {
  if (text === null) return undefined
  const read = unitsRead.get(asset) ?? new Map<string, bigint>()
  const known = read.get(text)
  if (known !== undefined) return known
  const units = parseAmount(text, asset)
  unitsRead.set(asset, read.set(text, units))
  return units
}

const unitsRead = new WeakMap<Asset, Map<string, bigint>>()

/** An amount of the reference currency in units of an asset; exact when the asset is that currency, else shortened. */
function worth(text: string | null, price: Ratio, asset: Asset, rounding: 'up' | 'down'): bigint | undefined {
  if (text === null) return undefined
  const units = unitsWorth(text, price, asset, rounding)
  return price.numerator === price.denominator ? units : shortened(units, rounding)
}

/** Three significant digits. */
function shortened(units: bigint, rounding: 'up' | 'down'): bigint {
  if (units < 1_000n) return units
  const step = tenTo(units.toString().length - 3)
  return (rounding === 'up' ? ceilDivide(units, step) : units / step) * step
}

type Candidates = readonly (bigint | undefined)[]

const greatest = (amounts: Candidates): bigint =>
  amounts.reduce<bigint>((a, b) => (b !== undefined && b > a ? b : a), 0n)

const least = (amounts: Candidates): bigint | undefined =>
  amounts.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined)
