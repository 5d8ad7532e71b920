import { badField, type Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'

/** The refusal of a setting; `must` completes the sentence. */
export const wrong = (name: string, sentence: string): Refusal => badField(name, `${name}: ${sentence}`)

export function oneOf<Value extends string>(text: string, values: readonly Value[], name: string): Value {
  const value = values.find((one) => one === text)
  if (value === undefined) throw wrong(name, `must be one of ${values.join(', ')}.`)
  return value
}

/** Parses a percentage of at most two decimals into basis points, at most `most`. */
export function basisPoints(text: string, name: string, most: number): number {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  const points = whole === '' ? Number.NaN : Number.parseInt(whole + fraction.padEnd(2, '0'), 10)
  if (!(points <= most)) throw wrong(name, `must be a percentage from 0 to ${most / 100}, with at most two decimals.`)
  return points
}

/** 150 is 1.5. */
export const percentText = (basisPoints: number): string => formatAmount(BigInt(basisPoints), { decimals: 2 })

/** An amount of the market's reference currency, unchanged; null if absent. */
export function amountOrNull(value: unknown, name: string): string | null {
  if (value === undefined || value === null) return null
  const text = plain(value)
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(text)) throw wrong(name, 'must be an amount with at most two decimals.')
  return text
}

/** Such an amount in hundredths. */
export const cents = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(2, '0'))
}

/** A number or a text as JSON has it; anything else is read as no text at all. */
export const plain = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : ''

/** The JSON object that a file holds. */
export function json(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw wrong(name, 'must be a JSON object.')
}

/** A value that must be an object with no other names than these. */
export function fieldsOf<Name extends string>(
  value: unknown,
  name: string,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  const isWanted = isObject(value) && Object.keys(value).every((key) => (names as readonly string[]).includes(key))
  if (!isWanted) throw wrong(name, `takes ${names.join(', ')}.`)
  return value as Partial<Record<Name, unknown>>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A day (`2027-01-31`, its beginning) or a time (`2027-01-31T12:00:00Z`), in UTC. Refuses days that no calendar has. */
export function instant(text: string, name: string): Date {
  const isWritten = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = new Date(isWritten ? text : '')
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(text.slice(0, 10))) {
    throw wrong(name, 'must be a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z.')
  }
  return time
}
