import assert from 'node:assert/strict'

import { isExactNumber, plainDecimal } from '../lib/json.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { parseAmount } from './amount.ts'
import type { Asset } from './amount.ts'

const numericString = /^(?=[\d.]{1,31}$)(?:\d{1,30}|\d{1,29}\.\d{1,29})$/

/**
 * Reads an amount that a partner sent: a JSON number in any spelling (as `parseJson` returns it), expanded exactly, or a
 * numeric string of up to 30 digits without exponent. Undefined, null, `""` and the text `null` are undefined. Anything else is
 * refused with its path: signs, spaces, a bare dot, other types.
 */
export function amountText(value: unknown, path: string): string | undefined {
  assert(typeof value !== 'number', 'a double is not an exact amount; read the body with parseJson')
  if (value === undefined || value === null || value === '' || value === 'null') return undefined

  const text = isExactNumber(value) ? plainDecimal(value) : value
  if (typeof text !== 'string' || !numericString.test(text)) throw badField(path, 'This is not an amount.')
  return text
}

/**
 * Reads a partner's amount in the asset's smallest unit, or undefined when it is absent. Refuses with its path what
 * `amountText` and `parseAmount` refuse, and zero.
 */
export function readOptionalAmount(value: unknown, asset: Asset, path: string): bigint | undefined {
  const text = amountText(value, path)
  if (text === undefined) return undefined

  const units = unitsAt(text, asset, path)
  if (units === 0n) throw badField(path, 'This must be more than zero.')
  return units
}

/** As `readOptionalAmount`, and refuses an absent amount. */
export function readAmount(value: unknown, asset: Asset, path: string): bigint {
  const units = readOptionalAmount(value, asset, path)
  if (units === undefined) throw badField(path, 'This is required.', 'REQUIRED')
  return units
}

/**
 * Reads a partner's amount like `readAmount`, but cuts off digits beyond the asset's decimals, toward zero, and says so:
 * partners' programs send converted doubles. Refuses what is zero after the cut.
 */
export function readCutAmount(value: unknown, asset: Asset, path: string): { units: bigint; isCut: boolean } {
  const text = amountText(value, path)
  const [whole = '', fraction = ''] = text?.split('.') ?? []
  const isCut = fraction.replace(/0+$/, '').length > asset.decimals
  const kept = isCut ? [whole, fraction.slice(0, asset.decimals)].filter((part) => part !== '').join('.') : text
  return { units: readAmount(kept, asset, path), isCut }
}

/** Parses an amount that somebody typed into a field. Refuses with its path what `parseAmount` refuses. */
export function unitsAt(text: string, asset: Asset, path: string): bigint {
  try {
    return parseAmount(text, asset)
  } catch (error) {
    if (error instanceof Refusal) throw badField(path, error.message)
    throw error
  }
}
