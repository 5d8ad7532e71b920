import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { projectFolder } from './source.ts'

/**
 * What strict readers of this interface accept, record by record: `s` string, `i` integer, `n` number, `ns` either, `b`
 * boolean, `a` array, `o` object; `:` names the allowed words or the record inside; `?` may be null or absent.
 */
const table = JSON.parse(readFileSync(join(projectFolder, 'test/support/strict-types.json'), 'utf8')) as Record<
  string,
  Record<string, string>
>

/** Where a value is not what a strict reader takes for a record of this name; empty when it is fine. */
export function offences(record: string, value: unknown, at = record): string[] {
  const fields = table[record]
  if (!fields) throw new Error(`The table of strict types has no ${record}.`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`]
  return Object.entries(fields).flatMap(([name, rule]) =>
    fieldOffences(rule, (value as Record<string, unknown>)[name], `${at}.${name}`),
  )
}

function fieldOffences(rule: string, value: unknown, at: string): string[] {
  const [, type = '', nullable, detail] = /^(s|i|n|ns|b|a|o)(\?)?(?::(.+))?$/.exec(rule) ?? []
  if (value === null || value === undefined) return nullable ? [] : [`${at} is missing`]
  switch (type) {
    case 's':
      if (typeof value !== 'string') return [`${at} is no text`]
      return detail && !detail.split('|').includes(value) ? [`${at} is "${value}"`] : []
    case 'i':
      return Number.isInteger(value) ? [] : [`${at} is no integer`]
    case 'n':
      return typeof value === 'number' ? [] : [`${at} is no number`]
    case 'ns':
      return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
        ? []
        : [`${at} is no number`]
    case 'b':
      return typeof value === 'boolean' ? [] : [`${at} is no yes or no`]
    case 'a':
      if (!Array.isArray(value)) return [`${at} is no list`]
      return detail ? value.flatMap((item, index) => offences(detail, item, `${at}[${index}]`)) : []
    case 'o':
      return detail ? offences(detail, value, at) : []
    default:
      throw new Error(`The table of strict types has a rule that cannot be read: ${rule}.`)
  }
}
