import { Refusal } from '../../platform/lib/refusal.ts'
import { scale } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { wholeBasisPoints } from './price.ts'
import { ceilDivide, feeOf } from './terms.ts'
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
 * The sum of wire.md section 2 for a source amount. Fees are rounded up, the payout down.
 * Refuses an amount that leaves nothing to pay out.
 */
export function sumOf(terms: SumTerms, fromAmount: bigint, options: SumOptions = { feesIncluded: true }): Sum {
  const sum = bareSum(terms, fromAmount, options)
  if (sum.toAmount > 0n) return sum

  const message = `The ${terms.from.ticker} amount is too low: fees take all of it.`
  throw new Refusal('BAD_REQUEST', message, [{ path: 'from_amount', code: 'AMOUNT_TOO_LOW', message }])
}

/** The sum as it comes out, with nothing or less than nothing to pay out where fees take all. */
export function bareSum(terms: SumTerms, fromAmount: bigint, { feesIncluded }: SumOptions): Sum {
  const fees = terms.fees.map((rule) => ({ rule, amount: feeOf(rule, fromAmount) }))
  const charged = fees.reduce((total, fee) => total + fee.amount, 0n)
  const convertedAmount = feesIncluded ? fromAmount - charged : fromAmount
  const paidFor = convertedAmount > 0n ? scale(convertedAmount, terms.by, terms.over, 'down') : 0n
  return { fromAmount, fees, convertedAmount, toAmount: paidFor - terms.networkFee }
}

/**
 * The least source amount, not below `atLeast`, whose sum pays out at least `toAmount`.
 *
 * Several fees rounded up can rise together, so the payout is not quite monotone in the amount; this holds all the same,
 * see `leastPaying`.
 */
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
 * The least amount, not below `atLeast`, of which at least `converted` is left after the fees.
 *
 * Starts from what no solution can be below (each fee is at least its exact part, and at least its minimum) and steps by
 * what is missing. One unit more paid is at most one unit more left, so a step never passes a solution. What is missing
 * shrinks with each step to the fees' part of it, plus less than one unit a fee: a handful of steps for any amount.
 */
export function leastPaying({ fees, feeBasisPoints }: SumTerms, converted: bigint, atLeast = 0n): bigint {
  const whole = BigInt(wholeBasisPoints)
  let amount = ceilDivide(converted * whole, whole - BigInt(feeBasisPoints))
  if (amount < atLeast) amount = atLeast
  for (;;) {
    let missing = converted - amount
    for (const fee of fees) missing += feeOf(fee, amount)
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
