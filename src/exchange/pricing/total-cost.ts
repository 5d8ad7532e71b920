import type { Side } from '../../reference/catalog/payment-method.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { ratioFrom, reduced } from '../../platform/money/ratio.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import type { FeeKind } from './fees.ts'
import { partsOf, wholeBasisPoints, wholeParts } from './price.ts'
import { unitsIn } from './quote.ts'
import type { StoredQuote } from './quote.ts'
import type { Sum } from './sum.ts'
import { unitPrice } from './terms.ts'
import type { PairTerms } from './terms.ts'

/** One reason why less arrives than was paid. `basisPoints`: its rule, where it is a share. */
export type CostPart = { kind: FeeKind | 'network' | 'spread' | 'refund'; amount: bigint; basisPoints?: number }

/**
 * What an exchange costs in all: what leaves the customer, less the market value of what arrives, rounded half up. The parts add
 * up to the total. Amounts are in units of `asset`: the customer's money, or the source coin of a swap.
 */
export type TotalCost = {
  asset: Asset
  amount: bigint
  /** Its share of what is paid: rounded to a tenth of a percent, and below one percent to a hundredth. */
  basisPoints: number
  /** None is zero or negative. */
  parts: CostPart[]
  /** The market's price before our spread, in lowest terms: whole units of `to` for one of `from`. */
  marketPrice: Ratio
}

/** The cost of a stored quote. An excess adds the cost at its own market price. */
export function totalCostOf(quote: StoredQuote): TotalCost {
  const own = exactCostOf(quote)
  return rounded(quote.excess ? sumOfCosts(own, exactCostOf(quote.excess)) : own)
}

/** The cost of money that was sent back: what was kept for sending it. */
export function costOfRefund({ asset, paid, sent, marketPrice }: RefundCost): TotalCost {
  const parts: CostPart[] = [{ kind: 'refund', amount: paid - sent }]
  return rounded({ asset, over: 1n, paid, total: paid - sent, parts, marketPrice })
}

type RefundCost = { asset: Asset; paid: bigint; sent: bigint; marketPrice: Ratio }

/** The cost of an amount that is being asked about: `sum` is what it comes to on these terms. */
export const totalCostOfSum = (terms: PairTerms, { fees, convertedAmount, toAmount }: Sum): TotalCost =>
  rounded(
    exactCost({
      ...terms,
      spreadBasisPoints: terms.schedule.spreadBasisPoints[terms.side],
      fees: fees.map(({ rule, amount }) => ({ ...shareOf(rule), amount })),
      convertedAmount,
      toAmount,
    }),
  )

/** The share of a fee, where it has one for any amount and nothing besides. */
const shareOf = ({ kind, basisPoints, tiers, fixed }: Shared): { kind: FeeKind; basisPoints?: number } =>
  tiers === undefined && fixed === undefined ? { kind, basisPoints } : { kind }

type Shared = { kind: FeeKind; basisPoints: number; tiers?: unknown; fixed?: unknown }

type CostInput = Pick<PairTerms, 'from' | 'to' | 'price' | 'networkFee'> &
  Pick<Sum, 'convertedAmount' | 'toAmount'> & {
    side: Side
    spreadBasisPoints: number
    fees: { kind: FeeKind; basisPoints?: number; amount: bigint }[]
  }

/** A cost before rounding: every amount is a numerator over `over`. */
type ExactCost = {
  asset: Asset
  over: bigint
  paid: bigint
  total: bigint
  parts: CostPart[]
  marketPrice: Ratio
}

/** Of what a quote's own price is for, without the excess. */
function exactCostOf({ excess, ...quote }: StoredQuote): ExactCost {
  const { from, to } = quote
  return exactCost({
    side: quote.side,
    from,
    to,
    price: ratioFrom(quote.price),
    spreadBasisPoints: quote.spreadBasisPoints,
    fees: quote.fees
      .filter(({ on }) => on === undefined)
      .map((fee) => ({ ...shareOf(fee), amount: unitsIn(fee.amount, from) })),
    networkFee: unitsIn(quote.networkFee, to),
    convertedAmount: unitsIn(quote.convertedAmount, from) - unitsIn(excess?.convertedAmount ?? '0', from),
    toAmount: unitsIn(quote.toAmount, to) - unitsIn(excess?.toAmount ?? '0', to),
  })
}

/**
 * At the market price, `by` units of the target are worth `over` units of the source: an amount of the source times `by` and one of
 * the target times `over` have the same measure. Divided by `by` it is the source, divided by `over` the target.
 */
function exactCost(input: CostInput): ExactCost {
  const { side, from, to, fees, networkFee, convertedAmount, toAmount } = input
  const marketPrice = withoutSpread(input)
  const { by, over } = unitPrice(marketPrice, from, to)
  const paid = fees.reduce((sum, { amount }) => sum + amount, convertedAmount) * by
  const total = paid - toAmount * over
  const charged: CostPart[] = [
    ...fees.map((fee) => ({ ...fee, amount: fee.amount * by })),
    { kind: 'network', amount: networkFee * over },
  ]
  const spread = total - charged.reduce((sum, { amount }) => sum + amount, 0n)
  const parts: CostPart[] = [...charged, { kind: 'spread', basisPoints: input.spreadBasisPoints, amount: spread }]
  const isOfTarget = side === 'sell'
  return { asset: isOfTarget ? to : from, over: isOfTarget ? over : by, paid, total, parts, marketPrice }
}

/** `lessSpread` the other way round. */
const withoutSpread = ({ price, spreadBasisPoints }: Pick<CostInput, 'price' | 'spreadBasisPoints'>): Ratio =>
  reduced({
    numerator: price.numerator * wholeParts,
    denominator: price.denominator * (wholeParts - partsOf(spreadBasisPoints)),
  })

/** Both over one denominator; the market price is the first one's. */
function sumOfCosts(one: ExactCost, other: ExactCost): ExactCost {
  const parts = one.parts.map((part) => ({ ...part, amount: part.amount * other.over }))
  for (const { kind, basisPoints, amount } of other.parts) {
    const same = parts.find((part) => part.kind === kind)
    if (same) same.amount += amount * one.over
    else parts.push({ kind, ...(basisPoints === undefined ? {} : { basisPoints }), amount: amount * one.over })
  }
  return {
    ...one,
    over: one.over * other.over,
    paid: one.paid * other.over + other.paid * one.over,
    total: one.total * other.over + other.total * one.over,
    parts,
  }
}

/** Each part is rounded down, and the units that are left go to the largest remainders. */
function rounded({ asset, over, paid, total, parts, marketPrice }: ExactCost): TotalCost {
  const amount = halfUp(total, over)
  const lines = parts.map((part) => ({
    part: { ...part, amount: part.amount / over },
    remainder: part.amount % over,
  }))
  let left = lines.reduce((rest, { part }) => rest - part.amount, amount)
  for (const { part } of lines.toSorted((one, two) => (one.remainder < two.remainder ? 1 : -1))) {
    if (left <= 0n) break
    part.amount += 1n
    left -= 1n
  }
  const shares = lines.map(({ part }) => part).filter((part) => part.amount > 0n)
  const exact = paid === 0n ? 0n : halfUp(total * BigInt(wholeBasisPoints), paid)
  const share = exact < 100n ? exact : halfUp(exact, 10n) * 10n
  return { asset, amount, basisPoints: Number.parseInt(String(share), 10), parts: shares, marketPrice }
}

const halfUp = (amount: bigint, over: bigint): bigint => (2n * amount + over) / (2n * over)
