import { parseDuration } from '../../platform/lib/duration.ts'
import type { Schema } from '../../platform/lib/schema.ts'

/** `2.5%`, at most two decimals. A negative one fits the schema, so that its refusal can say what it would lose. */
export const percent: Schema = { type: 'string', pattern: '^-?(0|[1-9]\\d{0,2})(\\.\\d{1,2})?%$' }

/** An amount in whole units: `1000` or `0.5`. */
export const decimal: Schema = { type: 'string', pattern: '^(0|[1-9]\\d{0,11})(\\.\\d{1,2})?$' }

/** ISO 8601, without years and months. */
export const duration: Schema = { type: 'string', format: 'duration' }

export const count: Schema = { type: 'integer', minimum: 1, maximum: 1_000_000 }

/** An object of exactly these members, all of them required unless named in `optional`. */
export const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

/** A percentage in hundredths of a percent. */
export function basisPointsOf(text: string): number {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?%$/.exec(text) ?? []
  if (whole === '') throw new Error('A percentage is malformed.')
  return Number.parseInt(`${sign}${whole}${fraction.padEnd(2, '0')}`, 10)
}

/** A decimal amount of euros in cents. */
export function centsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

export const msOf = parseDuration
