import { isNumberWithExponent, numberIn } from '../../platform/lib/json.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { readFlag } from './fields.ts'

/** What the framework makes of a query: texts, or several where a name was repeated. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

/** An optional value of a query: `''` and the text `null` are absent. Refuses a name that is there more than once. */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined || value === '' || value === 'null') return undefined
  if (typeof value !== 'string') throw badField(name, 'This is given more than once.')
  return value
}

/** An optional yes or no of a query. */
export function queryFlag(query: Query, name: string, fallback: boolean): boolean {
  const text = queryText(query, name)
  if (text === undefined) return fallback
  const flag = readFlag(text)
  if (flag === undefined) throw badField(name, 'This must be true or false.')
  return flag
}

/** An optional amount of a query: white space around it is ignored, and an exponent is read as JSON reads it. */
export function queryAmount(query: Query, name: string): unknown {
  const text = queryText(query, name)?.trim()
  return text !== undefined && isNumberWithExponent(text) ? numberIn(text) : text
}
