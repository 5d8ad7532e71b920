import assert from 'node:assert/strict'

import { isExactNumber, plainDecimal } from '../lib/json.ts'
import { badField, Refusal } from '../lib/refusal.ts'
import { parseAmount } from './amount.ts'
import type { Asset } from './amount.ts'

const numericString = /^\d{1,30}(?:\.\d{1,30})?$/

/**
 * Reads what a partner sent as an amount: a JSON number in any spelling (as `parseJson` gives it), expanded exactly,
 * or a numeric string without exponent. Absent (undefined, null, `""` and the word `null`) is undefined. Anything
 * else is refused with its path: signs, spaces, a bare dot, other types (wire.md, sections 1 and 9). The asset need
 * not be known yet.
 */
export function amountText(value: unknown, path: string): string | undefined {
  assert(typeof value !== 'number', 'a number that has been a double is no amount; read the body with parseJson')
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
  if (units === 0n) throw badField(path, 'An amount must be more than zero.')
  return units
}

/** Reads a partner's amount as `readOptionalAmount`, and refuses one that is absent. */
export function readAmount(value: unknown, asset: Asset, path: string): bigint {
  const units = readOptionalAmount(value, asset, path)
  if (units === undefined) throw badField(path, 'An amount is required.', 'REQUIRED')
  return units
}

function unitsAt(text: string, asset: Asset, path: string): bigint {
  try {
    return parseAmount(text, asset)
  } catch (error) {
    if (error instanceof Refusal) throw badField(path, error.message)
    throw error
  }
}
