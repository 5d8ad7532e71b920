import assert from 'node:assert/strict'

/** An exact ratio of two whole numbers. The numerator is never negative, the denominator always positive. */
export type Ratio = { numerator: bigint; denominator: bigint }

/** A ratio as JSON keeps it. */
export type RatioText = { numerator: string; denominator: string }

const plainDecimal = /^(\d+)(?:\.(\d+))?$/

/** Reads a plain decimal text (`0.82918`) as an exact ratio. Anything else is a fault: only our own data comes here. */
export function ratioOf(text: string): Ratio {
  const [, whole, digits = ''] = plainDecimal.exec(text) ?? []
  assert(whole !== undefined, `${text} is not a plain decimal`)
  return { numerator: BigInt(whole + digits), denominator: tenTo(digits.length) }
}

/** The same ratio in lowest terms (Euclid), which is how prices are published and stored. */
export function reduced({ numerator, denominator }: Ratio): Ratio {
  let [divisor, rest] = [numerator, denominator]
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest]
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

/** A ratio as two decimal integers in text, for JSON. */
export const ratioText = ({ numerator, denominator }: Ratio): RatioText => ({
  numerator: numerator.toString(),
  denominator: denominator.toString(),
})

/** A ratio as JSON kept it. */
export const ratioFrom = ({ numerator, denominator }: RatioText): Ratio => ({
  numerator: BigInt(numerator),
  denominator: BigInt(denominator),
})

const powers = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

/** Ten to a power, looked up: every sum needs several, and an asset's decimals are few. */
export const tenTo = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent)

/** The product of two ratios, not in lowest terms. */
export const times = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

/** One ratio divided by another that is not zero, not in lowest terms. */
export const over = (a: Ratio, b: Ratio): Ratio => ({
  numerator: a.numerator * b.denominator,
  denominator: a.denominator * b.numerator,
})

/** Whether a ratio is within so many hundredths of a percent of another, to either side, exactly. */
export function isNear(one: Ratio, other: Ratio, basisPoints: number): boolean {
  const [a, b] = [one.numerator * other.denominator, other.numerator * one.denominator]
  const distance = a > b ? a - b : b - a
  return distance * 10_000n <= b * BigInt(basisPoints)
}
