import { unsafeCharacters } from '../../platform/lib/unsafe-characters.ts'
import type { Json } from './command.ts'

type Fields = { readonly [name: string]: Json }

/** Formats JSON for people: a list of objects as a table, an object as one field a line, nested values indented below their name. */
export function layOut(json: Json): string {
  if (isList(json)) return listed(json)
  return isFields(json) ? fielded(json) : cell(json)
}

/** Aligns rows in columns; the first row is the heading. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json)
const isFields = (json: Json): json is Fields => typeof json === 'object' && json !== null && !isList(json)

/** Whether a value fits on one line. */
function isPlain(json: Json): boolean {
  if (isList(json)) return json.every((item) => !isList(item) && !isFields(item))
  return !isFields(json) || Object.keys(json).length === 0
}

function listed(items: readonly Json[]): string {
  if (items.length === 0) return 'none'
  if (!items.every(isFields)) return items.map((item) => layOut(item)).join('\n')

  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  return columns([names, ...items.map((item) => names.map((name) => cell(item[name] ?? null)))])
}

function fielded(fields: Fields): string {
  const entries = Object.entries(fields)
  const width = Math.max(0, ...entries.filter(([, value]) => isPlain(value)).map(([name]) => name.length))
  return entries
    .map(([name, value]) =>
      isPlain(value) ? `${name.padEnd(width)}  ${cell(value)}` : `${name}\n${indented(layOut(value))}`,
    )
    .join('\n')
}

/** Text from outside could clear the terminal, or write a line of ours: its control and invisible characters are shown as codes. */
const shownSafely = (text: string): string =>
  text.replaceAll(unsafeCharacters, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)

/** One cell of a table; `-` is empty. */
function cell(json: Json): string {
  if (json === null || json === '') return '-'
  if (isList(json)) return json.length === 0 ? '-' : json.map(cell).join(', ')
  if (!isFields(json)) return shownSafely(String(json))
  return (
    Object.entries(json)
      .map(([name, value]) => `${name} ${cell(value)}`)
      .join(', ') || '-'
  )
}

const indented = (text: string): string => text.replace(/^/gm, '  ')
