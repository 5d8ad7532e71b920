import { Refusal } from '../../platform/lib/refusal.ts'
import { scale } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { partsOf, wholeParts } from './price.ts'
import { ceilDivide } from './terms.ts'
import type { FeeRule, SumTerms } from './terms.ts'

/** What one amount comes to, in smallest units. `fromAmount = sum(fees) + convertedAmount` when fees are included. */
export type Sum = {
  fromAmount: bigint
  /** In the order of the terms' fees. */
  fees: readonly { rule: FeeRule; amount: bigint }[]
  convertedAmount: bigint
  /** What is paid out, the network fee already taken. */
  toAmount: bigint
}

/** How an amount was asked for. */
export type SumOptions = {
  /** False: the fees of `fromAmount` come on top of it, and all of it is converted. */
  feesIncluded: boolean
}

/**
 * What a source amount comes to. The fees' total is rounded up, the payout down, so that more in never gives less out.
 * Refuses an amount that leaves nothing to pay out.
 */
export function sumOf(terms: SumTerms, fromAmount: bigint, options: SumOptions = { feesIncluded: true }): Sum {
  const sum = bareSum(terms, fromAmount, options)
  if (sum.toAmount > 0n) return sum

  const message = `The ${terms.from.ticker} amount is too low: fees take all of it.`
  throw new Refusal('BAD_REQUEST', message, [{ path: 'from_amount', code: 'AMOUNT_TOO_LOW', message }])
}

/** The sum without the check for a positive payout: `toAmount` is zero or negative if fees take everything. */
export function bareSum(terms: SumTerms, fromAmount: bigint, { feesIncluded }: SumOptions): Sum {
  const fees = feesOf(terms, fromAmount)
  const charged = fees.reduce((total, fee) => total + fee.amount, 0n)
  const convertedAmount = feesIncluded ? fromAmount - charged : fromAmount
  const paidFor = convertedAmount > 0n ? scale(convertedAmount, terms.by, terms.over, 'down') : 0n
  return { fromAmount, fees, convertedAmount, toAmount: paidFor - terms.networkFee }
}

/** A fee on what is paid, in smallest units times `wholeParts`, not rounded. Each part of an amount has the share of its tier. */
function exactFee({ basisPoints, tiers, fixed, minimum }: FeeRule, paid: bigint): bigint {
  let share = partsOf(basisPoints)
  let part = paid * share
  for (const tier of tiers ?? []) {
    if (paid <= tier.above) break
    const next = partsOf(tier.basisPoints)
    part += (paid - tier.above) * (next - share)
    share = next
  }
  if (fixed) part += fixed.units * wholeParts
  const least = minimum * wholeParts
  return part > least ? part : least
}

/**
 * The fees on what is paid. Their total is rounded up once; each line is rounded down, and the units that are
 * left go to the lines with the largest remainders, the earlier of two equal ones first.
 */
function feesOf({ fees, feeRounding, exchangedBefore }: SumTerms, paid: bigint): Sum['fees'] {
  const lines = fees.map((rule) => {
    const exact = exchangedBefore
      ? exactFee(rule, exchangedBefore + paid) - exactFee(rule, exchangedBefore)
      : exactFee(rule, paid)
    return { rule, amount: exact / wholeParts, remainder: exact % wholeParts }
  })
  if (feeRounding === 'up') {
    return lines.map(({ rule, amount, remainder }) => ({ rule, amount: remainder > 0n ? amount + 1n : amount }))
  }
  let left = ceilDivide(
    lines.reduce((sum, { remainder }) => sum + remainder, 0n),
    wholeParts,
  )
  for (const line of lines.toSorted((one, other) => compare(other.remainder, one.remainder))) {
    if (left === 0n) break
    line.amount += 1n
    left -= 1n
  }
  return lines.map(({ rule, amount }) => ({ rule, amount }))
}

const compare = (one: bigint, other: bigint): number => (one > other ? 1 : 0) - (one < other ? 1 : 0)

/** The least source amount, not below `atLeast`, whose sum pays out at least `toAmount`. */
export function leastFromAmount(
  terms: SumTerms,
  toAmount: bigint,
  { feesIncluded, atLeast = 0n }: SumOptions & { atLeast?: bigint },
): bigint {
  const converted = ceilDivide((toAmount + terms.networkFee) * terms.over, terms.by)
  if (!feesIncluded) return converted > atLeast ? converted : atLeast
  return leastPaying(terms, converted, atLeast)
}

/**
 * The least amount, not below `atLeast`, that leaves at least `converted` after the fees.
 *
 * Starts from what no solution can be below (each fee is at least its least share, and at least its minimum) and steps by
 * what is missing. One unit more paid is at most one unit more left, so a step never passes a solution. What is missing
 * shrinks with each step to the fees' part of it, plus less than one unit a fee: a handful of steps for any amount.
 */
function leastPaying(terms: SumTerms, converted: bigint, atLeast = 0n): bigint {
  let amount = ceilDivide(converted * wholeParts, wholeParts - partsOf(terms.feeBasisPoints))
  if (amount < atLeast) amount = atLeast
  for (;;) {
    let missing = converted - amount
    for (const fee of feesOf(terms, amount)) missing += fee.amount
    if (missing <= 0n) return amount
    amount += missing
  }
}

/** A rate's least decimals, the significant digits of a tiny one, and its most decimals. */
const rateDigits = { decimals: 8, significant: 8, greatest: 36 }

/**
 * The rate that is shown: whole units of the target per whole unit of the source converted, rounded down.
 *
 * Eight decimals, and as many more (up to 36) as a tiny rate needs to show eight significant digits; zeros at the end go,
 * but the first eight decimals always stay. For display only: nothing is ever computed from it.
 */
export function rateText({ from, to }: { from: Asset; to: Asset }, { convertedAmount, toAmount }: RateAmounts): string {
  const { decimals, significant, greatest } = rateDigits
  if (convertedAmount <= 0n || toAmount <= 0n) return `0.${'0'.repeat(decimals)}`

  const over = convertedAmount * tenTo(to.decimals)
  const by = toAmount * tenTo(from.decimals)
  const digits = ((by * tenTo(greatest)) / over).toString().padStart(greatest + 1, '0')
  const [whole, fraction] = [digits.slice(0, -greatest), digits.slice(-greatest)]
  const leadingZeros = whole === '0' ? fraction.search(/[1-9]|$/) : 0
  const shown = fraction.slice(0, Math.max(decimals, leadingZeros + significant))
  return `${whole}.${shown.slice(0, decimals)}${shown.slice(decimals).replace(/0+$/, '')}`
}

type RateAmounts = Pick<Sum, 'convertedAmount' | 'toAmount'>
