import { printable } from '../shape.ts'
import { escaped, said } from './page-text.ts'
import type { Json } from './write-shapes.ts'

/** A schema's type in brief, with a link to the schema that it refers to. */
export function typeOf(schema: Json): string {
  const {
    $ref,
    anyOf,
    items,
    enum: values,
    type,
  } = schema as {
    $ref?: string
    anyOf?: Json[]
    items?: Json
    enum?: unknown[]
    type?: string | string[]
  }
  if ($ref !== undefined) return linkTo($ref.slice($ref.lastIndexOf('/') + 1))
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (values) return values.map((value) => `<code>${escaped(String(value))}</code>`).join(', ')
  if (items) return `list of ${typeOf(items)}`
  return [type ?? 'anything'].flat().join(' or ')
}

const linkTo = (name: string): string => `<a href="#schema-${name}"><code>${name}</code></a>`

/** Everything that a schema of the reference says: its fields, or its form and bounds. */
export function schemaFields(schema: Json): string {
  const properties = schema.properties as Record<string, Json> | undefined
  if (!properties) return `<p class="kind">${typeOf(schema)}${boundsOf(schema)}</p>${examplesOf(schema)}`
  const required = new Set(schema.required as string[] | undefined)
  return fieldList(properties, required)
}

function fieldList(properties: Record<string, Json>, required: ReadonlySet<string>): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const inner = field.properties as Record<string, Json> | undefined
    const kind = `${typeOf(field)}${boundsOf(field)}${required.has(name) ? '' : ', optional'}`
    const below = inner ? fieldList(inner, new Set(field.required as string[] | undefined)) : ''
    const about = typeof field.description === 'string' ? said(field.description) : ''
    return `<dt><code>${escaped(name)}</code> <span class="kind">${kind}</span></dt><dd>${about}${below}</dd>`
  })
  return `<dl>${rows.join('\n')}</dl>`
}

/** Each bound, and how it is said. */
const bounds: readonly (readonly [keyword: string, phrase: (bound: string) => string])[] = [
  ['minimum', (bound) => `from ${bound}`],
  ['maximum', (bound) => `to ${bound}`],
  ['maxLength', (bound) => `at most ${bound} characters`],
  ['maxItems', (bound) => `at most ${bound}`],
  ['format', (bound) => bound],
  // That a text is printable goes without saying.
  ['pattern', (bound) => (bound === printable ? '' : `<code>${escaped(bound)}</code>`)],
]

const boundsOf = (schema: Json): string =>
  bounds
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, phrase]) => phrase(String(schema[keyword])))
    .filter((phrase) => phrase !== '')
    .map((phrase) => `, ${phrase}`)
    .join('')

const examplesOf = ({ examples }: Json): string =>
  Array.isArray(examples)
    ? `<details><summary>Examples</summary><p>${examples.map((one) => `<code>${escaped(JSON.stringify(one))}</code>`).join(' ')}</p></details>`
    : ''

/** An example, folded away; nothing where there is none. */
export const examplePart = (title: string, example: unknown): string =>
  example === undefined
    ? ''
    : `<details><summary>${title}</summary><pre tabindex="0" role="group" aria-label="${title}">${escaped(JSON.stringify(example, null, 2))}</pre></details>`
