import { printable } from '../shape.ts'
import type { Json } from '../openapi/write-shapes.ts'
import { schemasPath } from './calls.ts'
import { escaped, said } from './text.ts'

/** The schemas of an OpenAPI document, by name. */
export type Schemas = Readonly<Record<string, Json>>

type Parts = {
  $ref?: string
  anyOf?: Json[]
  items?: Json
  enum?: unknown[]
  type?: string | string[]
  properties?: Record<string, Json>
}

/** A schema's type in brief, with a link to the schema that it refers to. */
export function typeOf(schema: Json): string {
  const { $ref, anyOf, items, enum: values, type } = schema as Parts
  if ($ref !== undefined) return linkTo(nameIn($ref))
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  if (values) return values.map((value) => `<code>${escaped(String(value))}</code>`).join(', ')
  if (items) return `list of ${typeOf(items)}`
  return [type ?? 'anything'].flat().join(' or ')
}

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
const linkTo = (name: string): string => `<a href="${schemasPath}#schema-${name}"><code>${name}</code></a>`

/**
 * Everything that a schema says: its fields, or its form and bounds. With `schemas`, the fields of what it refers to are unfolded
 * in place; a schema within itself is only linked.
 */
export function schemaFields(schema: Json, schemas?: Schemas): string {
  const whole = recordOf(schema, schemas, [])
  if (!whole) return `<p class="kind">${typeOf(schema)}${boundsOf(schema)}</p>${examplesOf(schema)}`
  return fieldList(whole.record, schemas, whole.seen)
}

type NestedRecord = { record: Json; seen: readonly string[] }

/** The schema with fields that a schema comes to: itself, what it refers to, an item of its list, or one of its alternatives. */
function recordOf(schema: Json, schemas: Schemas | undefined, seen: readonly string[]): NestedRecord | undefined {
  const { $ref, anyOf, items, properties } = schema as Parts
  if (properties) return { record: schema, seen }
  if (items) return recordOf(items, schemas, seen)
  if (anyOf) return anyOf.map((one) => recordOf(one, schemas, seen)).find(Boolean)
  if ($ref === undefined) return undefined
  const name = nameIn($ref)
  const referred = schemas?.[name]
  return referred && !seen.includes(name) ? recordOf(referred, schemas, [...seen, name]) : undefined
}

function fieldList(record: Json, schemas: Schemas | undefined, seen: readonly string[]): string {
  const required = new Set(record.required as string[] | undefined)
  const rows = Object.entries((record as Parts).properties ?? {}).map(([name, field]) => {
    const kind = `${typeOf(field)}${boundsOf(field)}${required.has(name) ? '' : ', optional'}`
    const inner = recordOf(field, schemas, seen)
    const list = inner ? fieldList(inner.record, schemas, inner.seen) : ''
    const isReferred = (field as Parts).properties === undefined
    const below =
      inner && isReferred
        ? `<details><summary>Fields of <code>${escaped(name)}</code></summary>${list}</details>`
        : list
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
