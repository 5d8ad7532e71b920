import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
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
  /** In the market's reference currency, of the source amount: the partner account's. */
  partner: Bounds
  /** Whose exchange it is; a customer's if nothing is said. */
  kind?: Kind
}

/** The house's own bounds of one exchange, in the market's reference currency. */
const policyBounds: Readonly<Record<Kind, Readonly<Record<Side, Bounds>>>> = {
  retail: {
    buy: { min: '10', max: '50000' },
    sell: { min: '10', max: '50000' },
    swap: { min: '10', max: '100000' },
  },
  b2b: {
    buy: { min: '1000', max: '1000000' },
    sell: { min: '1000', max: '1000000' },
    swap: { min: '1000', max: '2000000' },
  },
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
export function rangeOf(
  terms: PairTerms,
  { deposit, payout, partner, kind = 'retail' }: RangeInput,
): Range | undefined {
  const { from, to, side, networkFee } = terms
  const { price } = terms.worth
  const policy = policyBounds[kind][side]

  const leastPaid = greatest([
    1n,
    ceilDivide(networkFee * BigInt(wholeBasisPoints), networkFeeShareBasisPoints) - networkFee,
    unitsOf(payout.min, to),
  ])
  const min = greatest([
    leastPayingOut(terms, leastPaid),
    unitsOf(deposit.min, from),
    worth(policy.min, price, from, 'up'),
    worth(partner.min, price, from, 'up'),
  ])
  const max = least([
    mostNeverPayingOver(terms, unitsOf(payout.max, to)),
    unitsOf(deposit.max, from),
    worth(policy.max, price, from, 'down'),
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
