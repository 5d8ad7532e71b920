const between = /[\s\u00a0\u202f'’٬]/g

/**
 * A number as a reader types it, in the form of the interface: `1.234,50` and `1234,5` where a comma is the decimal sign are
 * `1234.50` and `1234.5`. Spaces and apostrophes between digits and Arabic digits are read; so is the other sign where it can be
 * meant in one way only (`0.5`, and `1,5` where a point is the decimal sign). Undefined for what is no number and for what may be
 * two: `1,234` is a thousand to one reader and one and a quarter to another.
 */
export function readNumber(typed: string, decimalSign: '.' | ','): string | undefined {
  const text = plainOf(typed, decimalSign)
  if (/^\d+$/.test(text)) return text
  const other = decimalSign === '.' ? ',' : '.'
  const [whole, fraction] = cut(text, decimalSign) ?? cut(text, other) ?? []
  if (whole === undefined || fraction === undefined) return ungrouped(text, decimalSign) ?? ungrouped(text, other)
  const isForeign = text.includes(other) && !text.includes(decimalSign)
  if (isForeign && fraction.length === 3 && !/^0*$/.test(whole)) return undefined
  return fraction === '' ? whole : `${whole || '0'}.${fraction}`
}

/**
 * The two readings of what is not read because it may be either, each as it can be typed: `1,234` where a point is the decimal
 * sign is `1234`, or `1.234`. Undefined for what is read, and for what is no number in any reading.
 */
export function twoReadings(typed: string, decimalSign: '.' | ','): { whole: string; decimal: string } | undefined {
  const text = plainOf(typed, decimalSign)
  const other = decimalSign === '.' ? ',' : '.'
  const whole = text.split(other).length === 2 ? ungrouped(text, other) : undefined
  return whole === undefined ? undefined : { whole, decimal: text.replace(other, decimalSign) }
}

const plainOf = (typed: string, decimalSign: '.' | ','): string =>
  latinDigits(typed.replace(between, '')).replace('٫', decimalSign)

/** A text with the digits of Arabic and Persian keyboards as the Latin ones that they stand for. */
export const latinDigits = (typed: string): string =>
  typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 0x10))

/** The digits before and after a decimal sign that stands there once; those before it alone, or in groups by the other sign. */
function cut(text: string, sign: '.' | ','): [whole: string, fraction: string] | undefined {
  const [before = '', fraction = '', ...more] = text.split(sign)
  if (!text.includes(sign) || more.length > 0 || !/^\d*$/.test(fraction)) return undefined
  const whole = /^\d*$/.test(before) ? before : ungrouped(before, sign === '.' ? ',' : '.')
  return whole === undefined || whole + fraction === '' ? undefined : [whole, fraction]
}

/** Whole digits in groups of three; one group alone is enough where a decimal part follows, which the caller knows. */
function ungrouped(text: string, sign: '.' | ','): string | undefined {
  const groups = text.split(sign)
  const areGroups = groups.every((group, place) => (place === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group))
  return areGroups && groups.length > 1 ? groups.join('') : undefined
}
