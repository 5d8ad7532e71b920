const between = /[\s\u00a0\u202f'’٬]/g

/**
 * Reads a typed number as a plain decimal: `1.234,50` and `1234,5` where a comma is the decimal separator are `1234.50` and
 * `1234.5`. Spaces and apostrophes between digits, and Arabic digits, are accepted; so is the other separator if it is unambiguous
 * (`0.5`, and `1,5` where a point is the decimal separator). Undefined for text that isn't a number or is ambiguous: `1,234` is a
 * thousand to one reader and one and a quarter to another, unless `groupsThousands` says that its reader groups digits this way.
 */
export function readNumber(
  typed: string,
  decimalSign: '.' | ',',
  { groupsThousands = false }: { groupsThousands?: boolean } = {},
): string | undefined {
  const text = plainOf(typed, decimalSign)
  if (/^\d+$/.test(text)) return text
  const other = decimalSign === '.' ? ',' : '.'
  const [whole, fraction] = cut(text, decimalSign) ?? cut(text, other) ?? []
  if (whole === undefined || fraction === undefined) return ungrouped(text, decimalSign) ?? ungrouped(text, other)
  const isForeign = text.includes(other) && !text.includes(decimalSign)
  if (isForeign && fraction.length === 3 && !/^0*$/.test(whole)) {
    return groupsThousands ? ungrouped(text, other) : undefined
  }
  return fraction === '' ? whole : `${whole || '0'}.${fraction}`
}

/**
 * Both readings of an ambiguous number, each as it can be typed: `1,234` where a point is the decimal separator is `1234`, or
 * `1.234`. Undefined if it is unambiguous, or isn't a number.
 */
export function twoReadings(typed: string, decimalSign: '.' | ','): { whole: string; decimal: string } | undefined {
  const text = plainOf(typed, decimalSign)
  const other = decimalSign === '.' ? ',' : '.'
  const whole = text.split(other).length === 2 ? ungrouped(text, other) : undefined
  return whole === undefined ? undefined : { whole, decimal: text.replace(other, decimalSign) }
}

const plainOf = (typed: string, decimalSign: '.' | ','): string =>
  latinDigits(typed.replace(between, '')).replace('٫', decimalSign)

/** Replaces the digits of Arabic and Persian keyboards with Latin ones. */
export const latinDigits = (typed: string): string =>
  typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 0x10))

/** Splits at a decimal separator that occurs once; the digits before it may be grouped by the other separator. */
function cut(text: string, sign: '.' | ','): [whole: string, fraction: string] | undefined {
  const [before = '', fraction = '', ...more] = text.split(sign)
  if (!text.includes(sign) || more.length > 0 || !/^\d*$/.test(fraction)) return undefined
  const whole = /^\d*$/.test(before) ? before : ungrouped(before, sign === '.' ? ',' : '.')
  return whole === undefined || whole + fraction === '' ? undefined : [whole, fraction]
}

/** Joins groups of three digits; a single group is allowed only before decimals, which the caller checks. */
function ungrouped(text: string, sign: '.' | ','): string | undefined {
  const groups = text.split(sign)
  const areGroups = groups.every((group, place) => (place === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(group))
  return areGroups && groups.length > 1 ? groups.join('') : undefined
}
