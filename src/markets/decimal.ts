import assert from 'node:assert/strict'

import { isExactNumber, numberIn, plainDecimal } from '../platform/lib/json.ts'
import { ratioOf, tenTo } from '../platform/money/ratio.ts'
import type { Ratio } from '../platform/money/ratio.ts'

/**
 * A number of a source that is not negative, in any spelling that JSON allows, as a plain decimal text without needless zeros.
 * Undefined for anything else, and beyond 30 digits.
 */
export function readDecimal(value: unknown): string | undefined {
  const number = typeof value === 'string' ? numberIn(value.trim()) : isExactNumber(value) ? value : undefined
  const text = number && plainDecimal(number)
  return text === undefined || text.startsWith('-') ? undefined : text
}

/** Compares two texts of `readDecimal` by their value. */
export function compareDecimals(a: string, b: string): number {
  const [[wholeA = '', fractionA = ''], [wholeB = '', fractionB = '']] = [a.split('.'), b.split('.')]
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1
  return fractionA === fractionB ? 0 : fractionA < fractionB ? -1 : 1
}

/** Prices keep so many significant digits: twelve are a cent in a billion. */
const significantDigits = 12

/** A price above zero as a plain decimal text, rounded to twelve significant digits. Exact where it has no more. */
export function priceText({ numerator, denominator }: Ratio, rounding: 'down' | 'up'): string {
  assert(numerator > 0n, 'a price is above zero')
  const decimals = Math.max(0, significantDigits - (numerator.toString().length - denominator.toString().length))
  const scaled = numerator * tenTo(decimals)
  const floor = scaled / denominator
  const units = rounding === 'up' && floor * denominator !== scaled ? floor + 1n : floor
  const digits = units.toString().padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, cut) : `${digits.slice(0, cut)}.${fraction}`
}

/** A bid and an ask for the same pair the other way round, and not better for a customer. */
export const inverted = <Quote extends { bid: string; ask: string }>(quote: Quote): Quote => ({
  ...quote,
  bid: priceText(reciprocal(quote.ask), 'down'),
  ask: priceText(reciprocal(quote.bid), 'up'),
})

function reciprocal(price: string): Ratio {
  const { numerator, denominator } = ratioOf(price)
  return { numerator: denominator, denominator: numerator }
}
