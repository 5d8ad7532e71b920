import { badField } from '../../platform/lib/refusal.ts'

/** What the framework makes of a query: texts, or several where a name was repeated. */
export type Query = Readonly<Record<string, string | string[] | undefined>>

/** An optional value of a query: `''` and the word `null` are absent. Refuses a name that is there more than once. */
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
  if (text === 'true' || text === 'false') return text === 'true'
  throw badField(name, 'This must be true or false.')
}
