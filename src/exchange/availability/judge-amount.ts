import { type Problem, Refusal } from '../../platform/lib/refusal.ts'
import { amountText, readAmount, readCutAmount } from '../../platform/money/amount-in.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { bareSum, leastFromAmount } from '../pricing/sum.ts'
import type { Sum } from '../pricing/sum.ts'
import type { Pair } from './judge-pair.ts'
import type { Exchange } from './exchange.ts'
import type { ExchangeRequest, RequestedAmount, RequestPaths } from './request.ts'
import { broken } from './rule.ts'
import type { Failure, Rule, AddFailure } from './rule.ts'

const pathOf = ({ direction }: RequestedAmount, paths: RequestPaths): string =>
  direction === 'direct' ? paths.fromAmount : paths.toAmount

/** Reports an amount that is absent or invalid in any currency; true when it can be checked further. */
export function judgeAmountForm({ amount }: ExchangeRequest, paths: RequestPaths, tell: AddFailure): boolean {
  if (!amount) return false
  try {
    const isGiven = amountText(amount.value, '') !== undefined
    if (!isGiven)
      tell(broken('the amount is an amount', pathOf(amount, paths), 'This is required.', { code: 'REQUIRED' }))
    return isGiven
  } catch (error) {
    tell(brokenBy(error, 'the amount is an amount', pathOf(amount, paths)))
    return false
  }
}

/** What an amount comes to, and that digits of it were cut off, if they were. */
export type JudgedAmount = { sum: Sum; warning: Problem | undefined }

/** Works out the sum of an amount. Tells of one that its currency can not hold, or outside the range of its exchange. */
export function judgeAmount(
  { asked: amount, isExact, paths }: { asked: RequestedAmount; isExact: boolean; paths: RequestPaths },
  pair: Pair,
  tell: AddFailure,
): JudgedAmount | undefined {
  const asset = (amount.direction === 'direct' ? pair.source : pair.target)?.asset
  if (!asset) return undefined

  const path = pathOf(amount, paths)
  let read: { units: bigint; isCut: boolean }
  try {
    read = isExact
      ? { units: readAmount(amount.value, asset, path), isCut: false }
      : readCutAmount(amount.value, asset, path)
  } catch (error) {
    tell(brokenBy(error, 'the amount fits its currency', path))
    return undefined
  }
  if (!pair.exchange) return undefined

  const sum = sumWithin(pair.exchange, read.units, amount)
  if (sum) return { sum, warning: read.isCut ? cutWarning(asset, path) : undefined }

  const { min, max, message } = rangeProblem(pair.exchange)
  tell(broken('the amount is within the range', path, message, { min, max }))
  return undefined
}

const cutWarning = ({ ticker, decimals }: Asset, path: string): Problem => ({
  code: 'AMOUNT_ROUNDED',
  path,
  message: `${ticker} has at most ${decimals} decimal places, so the digits beyond them were cut off.`,
})

/** A refused amount as a broken rule; a fault stays a fault. */
function brokenBy(error: unknown, rule: Rule, path: string): Failure {
  if (error instanceof Refusal) return broken(rule, path, error.message)
  throw error
}

/**
 * The sum of an amount that is within the range. Reverse, the source amount is the least of the range that pays it: what any
 * amount of the range pays can always be asked for, even if less than the range's least amount would pay it too.
 */
function sumWithin(
  { terms, range }: Exchange,
  units: bigint,
  { direction, feesIncluded = true, isAgreed = false }: RequestedAmount,
): Sum | undefined {
  if (direction === 'direct' && isAgreed) {
    const sum = bareSum(terms, units, { feesIncluded })
    return sum.toAmount > 0n ? sum : undefined
  }
  if (direction === 'direct') {
    return units < range.min || units > range.max ? undefined : bareSum(terms, units, { feesIncluded })
  }
  const fromAmount = leastFromAmount(terms, units, { feesIncluded, atLeast: range.min })
  if (fromAmount > range.max) return undefined

  const isBelow =
    fromAmount === range.min &&
    leastFromAmount(terms, units, { feesIncluded }) < range.min &&
    bareSum(terms, range.min, { feesIncluded }).toAmount > units
  return isBelow ? undefined : bareSum(terms, fromAmount, { feesIncluded })
}

/** A range as partners read it: its ends in decimal text, and a sentence that names them. */
export function rangeProblem({ terms: { from }, range }: RangeOf): { min: string; max: string; message: string } {
  const [min, max] = [formatAmount(range.min, from), formatAmount(range.max, from)]
  return { min, max, message: `${from.ticker} amount must be higher than ${min} and lower than ${max}` }
}

type RangeOf = { terms: { from: Asset }; range: Exchange['range'] }
