/** How a language spells values of JSON. */
export type Spelling = {
  record: readonly [open: string, close: string]
  list: readonly [open: string, close: string]
  /** A name with what follows it, up to the value. */
  name: (name: string) => string
  text: (text: string) => string
  constants: Readonly<Record<'true' | 'false' | 'null', string>>
  /** Whether the last one of several lines ends with a comma, too. */
  endsWithComma: boolean
}

const singleQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
const jsonConstants = { true: 'true', false: 'false', null: 'null' }

export const json: Spelling = {
  record: ['{', '}'],
  list: ['[', ']'],
  name: (name) => `${JSON.stringify(name)}: `,
  text: (text) => JSON.stringify(text),
  constants: jsonConstants,
  endsWithComma: false,
}

export const javascript: Spelling = {
  ...json,
  name: (name) => (/^[A-Za-z_]\w*$/.test(name) ? `${name}: ` : `${singleQuoted(name)}: `),
  text: singleQuoted,
  endsWithComma: true,
}

export const python: Spelling = {
  ...json,
  constants: { true: 'True', false: 'False', null: 'None' },
  endsWithComma: true,
}

export const php: Spelling = {
  ...json,
  record: ['[', ']'],
  name: (name) => `${singleQuoted(name)} => `,
  text: singleQuoted,
  endsWithComma: true,
}

/** How long a record may be on one line. */
const widest = 56

/** A value of JSON in a language's spelling; what is too long for a line has a line for each item, further in than `indent`. */
export function literal(value: unknown, spelling: Spelling, indent = ''): string {
  if (typeof value === 'string') return spelling.text(value)
  if (value === null || typeof value === 'boolean') return spelling.constants[`${value}`]
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, spelling, inner))
    : Object.entries(value).map(([name, item]) => spelling.name(name) + literal(item, spelling, inner))
  const [open, close] = Array.isArray(value) ? spelling.list : spelling.record
  const pad = open === '{' && items.length > 0 ? ' ' : ''
  const line = `${open}${pad}${items.join(', ')}${pad}${close}`
  if (line.length <= widest && !line.includes('\n')) return line
  const comma = spelling.endsWithComma ? ',' : ''
  return `${open}\n${items.map((item) => inner + item).join(',\n')}${comma}\n${indent}${close}`
}
