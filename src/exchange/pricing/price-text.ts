import type { Listing } from '../../reference/catalog/asset.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import type { Language } from '../../platform/language/language.ts'
import { formatAmount, scale } from '../../platform/money/amount.ts'
import type { Ratio } from '../../platform/money/ratio.ts'

/** Even the price of a coin worth 0.0812 cents shows this many digits. */
const leastDigits = 10n ** 4n
const mostDecimals = 18
/** Prices show no more decimals than this unless they need them for their digits. */
const usualDecimals = 8

/** A price of whole units of `to` for one of `from`. */
export type ShownPrice = { price: Ratio; side: Side; from: Listing; to: Listing }

/** What one whole `unit` costs or brings. `isPaid`: the customer pays it, and it is rounded up. */
type UnitPrice = { unit: Listing; money: Listing; units: bigint; decimals: number; isPaid: boolean }

/**
 * The price of one coin; for two coins, of the more valuable one. Rounded up where the customer pays it, down where the customer
 * receives it, with more decimals than the currency has if it is small.
 */
export function rateText(shown: ShownPrice, language: Language): string {
  const { unit } = unitPriceOf(shown)
  return language.say('summary.rateValue', { unit: unit.asset.ticker, price: unitPriceText(shown, language) })
}

/** The price of `rateText` alone: `89,238.10 EUR`. */
export function unitPriceText(shown: ShownPrice, { price }: Language): string {
  const { units, decimals, money } = unitPriceOf(shown)
  return price(units, decimals, money)
}

/** The same as a plain decimal with at least so many digits that whole orders can be computed from it. */
export function exactUnitPrice(shown: ShownPrice): string {
  const { units, decimals } = unitPriceOf(shown, 10n ** 12n)
  return formatAmount(units, { decimals })
}

export function unitPriceOf(
  { price: { numerator, denominator }, side, from, to }: ShownPrice,
  least = leastDigits,
): UnitPrice {
  const isOfTarget = side === 'buy' || (side === 'swap' && numerator < denominator)
  const [unit, money] = isOfTarget ? [to, from] : [from, to]
  const [times, over] = isOfTarget ? [denominator, numerator] : [numerator, denominator]
  const rounding = isOfTarget ? 'up' : 'down'
  let decimals = Math.min(money.asset.decimals, usualDecimals)
  while (decimals < mostDecimals && scale(10n ** BigInt(decimals), times, over, 'down') < least) decimals += 1
  const units = scale(10n ** BigInt(decimals), times, over, rounding)
  return { unit, money, units, decimals, isPaid: isOfTarget }
}
