import assert from 'node:assert/strict'

/** An exact ratio of two whole numbers. The numerator is never negative, the denominator always positive. */
export type Ratio = { numerator: bigint; denominator: bigint }

export type RatioText = { numerator: string; denominator: string }

const plainDecimal = /^(\d+)(?:\.(\d+))?$/

/** Parses a plain decimal (`0.82918`) exactly. Anything else is a fault: only our own data comes here. */
export function ratioOf(text: string): Ratio {
  const [, whole, digits = ''] = plainDecimal.exec(text) ?? []
  assert(whole !== undefined, `${text} is not a plain decimal`)
  return { numerator: BigInt(whole + digits), denominator: tenTo(digits.length) }
}

/** In lowest terms (Euclid), as prices are published and stored. */
export function reduced({ numerator, denominator }: Ratio): Ratio {
  let [divisor, rest] = [numerator, denominator]
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest]
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

export const ratioText = ({ numerator, denominator }: Ratio): RatioText => ({
  numerator: numerator.toString(),
  denominator: denominator.toString(),
})

export const ratioFrom = ({ numerator, denominator }: RatioText): Ratio => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
})

const powers = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

/** Looked up, because every calculation needs several. */
export const tenTo = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent)

/** Not in lowest terms. */
export const times = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

/** `a / b`, not in lowest terms; `b` must not be zero. */
export const over = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.denominator,
  denominator: a.denominator * b.numerator,
})

/** Whether a ratio differs from another by at most so many hundredths of a percent, exactly. */
export function isNear(one: Ratio, other: Ratio, basisPoints: number): boolean {
  const [a, b] = [one.numerator * other.denominator, other.numerator * one.denominator]
  const distance = a > b ? a - b : b - a
  return distance * 10_000n <= b * BigInt(basisPoints)
}
