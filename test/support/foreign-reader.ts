/**
 * How a program reads one field: `text` casts to a text, `long` parses a 64-bit whole number of a text or a number, `double` a
 * floating one, `decimal` an exact one, `instant` an ISO time with a zone, `texts` a map of texts; the rest are JSON's own. With `?` it
 * takes null and absence too. An object is read field by field, a list of one shape item by item.
 */
export type Read = ReadWord | { readonly [field: string]: Read } | readonly [Read]

/** How one value is read. */
export type ReadWord =
  `${'text' | 'long' | 'double' | 'decimal' | 'instant' | 'texts' | 'int' | 'number' | 'yes or no' | 'list' | 'map'}${'' | '?'}`

/** Fields by how they are read, each group in one text; `more` are read in parts. */
export const fields = (
  read: Partial<Record<ReadWord, string>>,
  more: Readonly<Record<string, Read>> = {},
): { readonly [field: string]: Read } => ({
  ...Object.fromEntries(
    Object.entries(read).flatMap(([word, names]) => names.split(' ').map((name) => [name, word as ReadWord])),
  ),
  ...more,
})

/** Where a program that reads so would break on a value; empty when it reads all of it. */
export function unreadable(read: Read, value: unknown, at: string): string[] {
  if (typeof read === 'string')
    return readsAs(read, value) ? [] : [`${at} is ${JSON.stringify(value)}, read as ${read}`]
  if (isList(read)) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    return value.flatMap((item, index) => unreadable(read[0], item, `${at}[${index}]`))
  }
  if (!isMap(value)) return [`${at} is no object`]
  return Object.entries(read).flatMap(([name, field]) => unreadable(field, value[name], `${at}.${name}`))
}

const isList = (read: Exclude<Read, string>): read is readonly [Read] => Array.isArray(read)

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readsAs(read: string, value: unknown): boolean {
  if (value === null || value === undefined) return read.endsWith('?')
  const written = typeof value === 'number' ? String(value) : value
  switch (read.replace('?', '')) {
    case 'text':
      return typeof value === 'string'
    case 'long':
      return (
        typeof written === 'string' &&
        /^-?\d{1,19}$/.test(written) &&
        BigInt.asIntN(64, BigInt(written)) === BigInt(written)
      )
    case 'double':
    case 'decimal':
      return typeof written === 'string' && /^-?\d+(\.\d+)?$/.test(written)
    case 'instant':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)
    case 'texts':
      return isMap(value) && Object.values(value).every((one) => one === null || typeof one === 'string')
    case 'int':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'yes or no':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'map':
      return isMap(value)
    default:
      throw new Error(`Nobody reads ${read}.`)
  }
}

/** What a program asks, and how it reads the answer. `{id}` is a transaction's. A status that it takes for success is 200 or 201. */
export type Question = { path: string; body?: object; headers?: Record<string, string>; read: Read }

/**
 * Programs by others that speak this interface, found in public repositories on 2026-11-20 and described here in our own words: which
 * fields they read, as what, what they send. `keys`: whether they send a public key only, as programs in browsers and apps do.
 */
export type ForeignReader = {
  kind: string
  keys: 'public' | 'secret'
  questions: readonly Question[]
  /** How it reads a transaction, created or looked up, wherever that stands. */
  transaction?: Read
  create?: { body: object; headers?: Record<string, string> }
  /** How it reads what is not success. */
  error: Read
}
