import { tenTo } from '../../platform/money/ratio.ts'

/** Decimal texts of venues as whole numbers of 10^-18, exactly. Finer digits are refused, and so is anything that is not a number. */
export const exactDecimals = 18

const form = /^(-?)(\d{1,20})(?:\.(\d{1,40}))?$/

export function exactOf(text: string): bigint {
  const [, sign, whole = '', digits = ''] = form.exec(text) ?? []
  const fraction = digits.replace(/0+$/, '')
  if (sign === undefined || fraction.length > exactDecimals) throw new Error(`A venue's number cannot be read: ${text}`)
  const units = BigInt(whole + fraction.padEnd(exactDecimals, '0'))
  return sign === '-' ? -units : units
}

/** An exact amount that is not negative, in an asset's smallest unit. */
export function unitsOf(exact: bigint, decimals: number, rounding: 'up' | 'down'): bigint {
  const unit = tenTo(exactDecimals - decimals)
  const floor = exact / unit
  return rounding === 'up' && exact % unit > 0n ? floor + 1n : floor
}
