import assert from 'node:assert/strict'

import { Refusal } from '../lib/refusal.ts'

/**
 * A ticker on a network. Decimals belong to the pair: USDT has 6 on Tron and 18 on BNB Chain.
 * `id` is `TICKER-NETWORK` (`BTC-BTC`, `USDT-TRX`, `EUR-EUR`): the key that every amount in the database refers to.
 */
export type Asset = { id: string; ticker: string; network: string; decimals: number }

const plainDecimal = /^(\d{1,30})(?:\.(\d{1,30}))?$/

/** The first integer that `numeric(38,0)` cannot hold. */
const tooLarge = 10n ** 38n

/**
 * Reads a decimal text as a whole number of the asset's smallest unit.
 *
 * Digits finer than that unit are refused, never rounded: a partner who sends 1.005 EUR has a bug, and rounding
 * would turn it into our loss or theirs. Trailing zeros are not decimals. Refuses signs, exponents, over 30 digits, and
 * what the database could not hold.
 *
 * @example parseAmount('1.5', EUR) // 150n
 */
export function parseAmount(text: string, { ticker, decimals }: Pick<Asset, 'ticker' | 'decimals'>): bigint {
  const match = plainDecimal.exec(text)
  const [, whole = '', digits = ''] = match ?? []
  if (!match || whole.length + digits.length > 30) throw new Refusal('BAD_REQUEST', 'This is not an amount.')

  const fraction = digits.replace(/0+$/, '')
  if (fraction.length > decimals) {
    throw new Refusal('BAD_REQUEST', `${ticker} has at most ${decimals} decimal places.`)
  }
  const units = BigInt(whole + fraction.padEnd(decimals, '0'))
  if (units >= tooLarge) throw new Refusal('BAD_REQUEST', 'This amount is too large.')
  return units
}

/**
 * Without exponent and trailing zeros. `150n` EUR is `1.5`.
 */
export function formatAmount(units: bigint, { decimals }: Pick<Asset, 'decimals'>): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction ? `${sign}${whole}.${fraction}` : `${sign}${whole}`
}

/** Cents as people read them, with both decimals: `150n` is `1.50`. */
export const formatCents = (cents: bigint): string => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** `down` for what we pay, `up` for what we charge. */
export type Rounding = 'down' | 'up'

/** Multiplies an amount by the ratio `by / over`. A negative value is a fault. */
export function scale(amount: bigint, by: bigint, over: bigint, rounding: Rounding): bigint {
  assert(amount >= 0n, 'an amount is never negative')
  assert(by >= 0n, 'a ratio is never negative')
  assert(over > 0n, 'a ratio never divides by zero')

  const product = amount * by
  const floor = product / over
  return rounding === 'up' && product % over > 0n ? floor + 1n : floor
}

/** The least of one amount or more. */
export const leastOf = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((one, other) => (one < other ? one : other))
