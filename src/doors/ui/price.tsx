import type { ComponentChildren } from 'preact'

import type { Listing } from '../../reference/catalog/asset.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import type { Language } from '../../platform/language/language.ts'
import { scale } from '../../platform/money/amount.ts'
import type { Ratio } from '../../platform/money/ratio.ts'
import { breakable } from './copy.tsx'

type RowProps = { name: string; note?: string; value: string }

/** One line of a price. */
export function Row({ name, note, value }: RowProps) {
  return (
    <div class="row">
      <dt>
        {name} {note === undefined ? null : <span class="note">{note}</span>}
      </dt>
      <dd>{breakable(value)}</dd>
    </div>
  )
}

type EndRowProps = { name: string; note?: string; value: string; mark: ComponentChildren }

/** What is paid or received, with the currency's logo and the payment method. */
export function EndRow({ name, note, value, mark }: EndRowProps) {
  return (
    <div class="row end">
      <dt>{name}</dt>
      <dd>
        {mark}
        <span>{breakable(value)}</span>
      </dd>
      {note === undefined ? null : <dd class="note">{note}</dd>}
    </div>
  )
}

/** Even the price of a coin worth 0.0812 cents shows this many digits. */
const leastDigits = 10n ** 4n
const mostDecimals = 18
/** Prices show no more decimals than this unless they need them for their digits. */
const usualDecimals = 8

/** A price of whole units of `to` for one of `from`. */
export type ShownPrice = { price: Ratio; side: Side; from: Listing; to: Listing }

/**
 * The price of one coin; for two coins, of the more valuable one. Rounded up where the customer pays it, down where the customer
 * receives it, with more decimals than the currency has if it is small.
 */
export function rateText(
  { price: { numerator, denominator }, side, from, to }: ShownPrice,
  { say, price }: Language,
): string {
  const isOfTarget = side === 'buy' || (side === 'swap' && numerator < denominator)
  const [unit, money] = isOfTarget ? [to, from] : [from, to]
  const [times, over] = isOfTarget ? [denominator, numerator] : [numerator, denominator]
  const rounding = isOfTarget ? 'up' : 'down'
  let decimals = Math.min(money.asset.decimals, usualDecimals)
  while (decimals < mostDecimals && scale(10n ** BigInt(decimals), times, over, 'down') < leastDigits) decimals += 1
  const units = scale(10n ** BigInt(decimals), times, over, rounding)
  return say('summary.rateValue', { unit: unit.asset.ticker, price: price(units, decimals, money) })
}
